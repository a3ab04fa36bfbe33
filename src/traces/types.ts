/** Types of traces. Nothing here refers to OpenTelemetry, which is loaded only when traces are on. */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from './workflow-interceptors.js';

/** Words of fixed lists, ids and numbers: never a URL, a header, a body, a text of the service or a workflow id (it may hold a case number). */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that has already ended, a child of the active span. Times are epoch ms. */
export interface EndedSpan {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly facts: SpanFacts;
  /** One word, if it failed. */
  readonly problem?: string;
}

/** The span of a received request, until it is answered. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs `work` in the context of the request: its starts, signals and calls belong to the trace. */
  run<T>(work: () => T): T;
  note(facts: SpanFacts): void;
  /** @param problem one word, if it failed */
  end(facts: SpanFacts, problem?: string): void;
}

export interface TraceSettings {
  /** How spans are sent to the collector. */
  readonly protocol: 'http/protobuf' | 'http/json';
  /** `service.name` if OTEL_SERVICE_NAME is not set. */
  readonly service: string;
  readonly log: { warn(fields: Readonly<Record<string, number>>, message: string): void };
}

export interface Traces {
  /** For `interceptors.workflow` of a client: starts, signals and updates carry their trace. */
  readonly clientInterceptors: readonly WorkflowClientInterceptor[];
  /** For `interceptors.activity` of a worker; before others that log. */
  readonly activityInterceptors: readonly ActivityInterceptorsFactory[];
  /** For `interceptors.workflowModules` of a worker, or of its bundle. */
  readonly workflowModules: readonly string[];
  /** For `sinks` of a worker. */
  readonly sinks: InjectedSinks<TraceSinks>;
  readonly traceId: () => string | undefined;
  readonly note: (span: EndedSpan) => void;
  /** Begins a trace of its own: the caller neither sends nor receives the trace id. */
  readonly beginRequest: (name: string, startMs: number) => RequestSpan;
  /** Sends the remaining spans, for two seconds at most. Never rejects; idempotent. */
  readonly close: () => Promise<void>;
}
