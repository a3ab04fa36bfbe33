/**
 * Tracing inside the workflow bundle; bundled only when traces are on, and found by name. Each message of a flow gets the trace
 * of what moved the flow last: its start, a webhook, a person. Everything is synchronous and passes promises on as they are, so
 * no microtask is added and a history replays the same with or without it. Nothing of OpenTelemetry runs here; the worker writes
 * a flow's spans (docs/decisions/0054).
 */
import type { Headers } from '@temporalio/common';
import { proxySinks, workflowInfo, type Sinks, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import {
  formatTraceparent,
  parseTraceparent,
  readCarrier,
  withCarrier,
  type Carrier,
  type SpanPlace,
} from './carrier.js';

/** A stretch of a flow: from a message that moves it to the next such message, or to its end. Times are epoch ms. */
export interface Stretch {
  readonly place: SpanPlace;
  /** The span that moved the flow; absent if that was not traced. */
  readonly origin?: string;
  readonly tracestate?: string;
  /** The stretch before, perhaps in another trace. */
  readonly before?: string;
  /** `start`, or the name of the signal or update. */
  readonly movedBy: string;
  readonly startMs: number;
}

export interface EndedStretch extends Stretch {
  readonly endMs: number;
  /** Failure type; absent if the flow continues or has succeeded. */
  readonly failure?: string;
}

export interface TraceSinks extends Sinks {
  readonly tramitaTraces: { stretch(ended: EndedStretch): void };
}

export const interceptors: WorkflowInterceptorsFactory = () => {
  const { tramitaTraces } = proxySinks<TraceSinks>();
  let count = 0;
  let current: Stretch | undefined;

  const end = (failure?: string): void => {
    if (current === undefined) return;
    tramitaTraces.stretch({ ...current, endMs: Date.now(), ...(failure === undefined ? {} : { failure }) });
  };
  const begin = (movedBy: string, carrier: Carrier | undefined): Stretch => {
    const moved = carrier === undefined ? undefined : parseTraceparent(carrier.traceparent);
    const digits = workflowInfo().runId.replaceAll('-', '');
    count = (count + 1) % 0x1_00_00;
    return {
      place: {
        // A run whose start was not traced begins a trace of its own.
        traceId: moved?.traceId ?? digits,
        spanId: `${digits.slice(-12)}${count.toString(16).padStart(4, '0')}`,
        sampled: moved?.sampled ?? true,
      },
      ...(carrier === undefined ? {} : { origin: carrier.traceparent }),
      ...(carrier?.tracestate === undefined ? {} : { tracestate: carrier.tracestate }),
      ...(current === undefined ? {} : { before: formatTraceparent(current.place) }),
      movedBy,
      startMs: Date.now(),
    };
  };
  const move = (movedBy: string, headers: Headers): void => {
    const carrier = readCarrier(headers);
    if (carrier === undefined) return;
    const next = begin(movedBy, carrier);
    end();
    current = next;
  };
  const carry = <Input extends { readonly headers: Headers }>(input: Input): Input => {
    // A signal handler may send messages before `execute` is called.
    current ??= begin('start', undefined);
    const { place, origin, tracestate } = current;
    const carrier: Carrier = {
      traceparent: formatTraceparent(place),
      ...(origin === undefined ? {} : { origin }),
      ...(tracestate === undefined ? {} : { tracestate }),
    };
    return { ...input, headers: withCarrier(input.headers, carrier) };
  };

  return {
    inbound: [
      {
        execute: (input, next) => {
          current ??= begin('start', readCarrier(input.headers));
          const result = next(input);
          result.then(
            () => end(),
            (error: unknown) => end(failureOf(error)),
          );
          return result;
        },
        handleSignal: (input, next) => {
          move(input.signalName, input.headers);
          return next(input);
        },
        handleUpdate: (input, next) => {
          move(input.name, input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(carry(input)),
        scheduleLocalActivity: (input, next) => next(carry(input)),
        startChildWorkflowExecution: (input, next) => next(carry(input)),
        signalWorkflow: (input, next) => next(carry(input)),
        continueAsNew: (input, next) => next(carry(input)),
        getLogAttributes: (attributes, next) =>
          next(current === undefined ? attributes : { ...attributes, traceId: current.place.traceId }),
      },
    ],
  };
};

/** The type of a failure, never its text, which may quote the service. */
function failureOf(error: unknown): string | undefined {
  const { name, type } = (error ?? {}) as { readonly name?: unknown; readonly type?: unknown };
  if (name === 'ContinueAsNew') return undefined;
  if (typeof type === 'string' && type !== '') return type;
  return typeof name === 'string' ? name : 'Failed';
}
