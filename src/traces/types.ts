/** Words of traces. Nothing here names OpenTelemetry: it is loaded only when traces are on. */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from './workflow-interceptors.js';

/** Words of fixed lists, ids and figures: never a URL, a header, a body, a text of the service or a workflow id (it may hold a case number). */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that has ended already, below what runs now. Times are epoch ms. */
export interface EndedSpan {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly facts: SpanFacts;
  /** In a word, where it went wrong. */
  readonly problem?: string;
}

/** A request that was taken, until it is answered. */
export interface RequestSpan {
  readonly traceId: string;
  /** What `work` starts, signals and calls belongs to the request. */
  run<T>(work: () => T): T;
  note(facts: SpanFacts): void;
  /** @param problem in a word, where it went wrong */
  end(facts: SpanFacts, problem?: string): void;
}

export interface TraceSettings {
  /** How spans are written to the collector. */
  readonly protocol: 'http/protobuf' | 'http/json';
  /** `service.name` where OTEL_SERVICE_NAME says nothing. */
  readonly service: string;
  readonly log: { warn(fields: Readonly<Record<string, number>>, message: string): void };
}

export interface Traces {
  /** For `interceptors.workflow` of a client: starts, signals and updates carry their trace. */
  readonly clientInterceptors: readonly WorkflowClientInterceptor[];
  /** For `interceptors.activity` of a worker; before others, which log. */
  readonly activityInterceptors: readonly ActivityInterceptorsFactory[];
  /** For `interceptors.workflowModules` of a worker, or of its bundle. */
  readonly workflowModules: readonly string[];
  /** For `sinks` of a worker. */
  readonly sinks: InjectedSinks<TraceSinks>;
  /** The trace of what runs now. */
  readonly traceId: () => string | undefined;
  readonly note: (span: EndedSpan) => void;
  /** A trace of its own: the caller neither gives nor gets the trace id. */
  readonly beginRequest: (name: string, startMs: number) => RequestSpan;
  /** Hands over what is left, for two seconds at most. Never rejects; idempotent. */
  readonly close: () => Promise<void>;
}
