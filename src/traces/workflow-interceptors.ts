/**
 * Tracing inside the workflow bundle; bundled only when traces are on, and found by name. It gives each message of a flow the
 * trace of what has moved the flow last: its start, a webhook, a person. Everything is synchronous and hands promises through
 * as they are: no turn of the event loop is added, so a history replays the same with it and without it. Nothing of
 * OpenTelemetry runs here; a flow's spans are written by the worker (docs/decisions/0054).
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

/** A stretch of a flow's life: from what has moved it until the next such thing, or its end. Times are epoch ms. */
export interface Stretch {
  readonly place: SpanPlace;
  /** The span that has moved the flow; absent where nothing traced has. */
  readonly origin?: string;
  readonly tracestate?: string;
  /** The stretch before, maybe in another trace. */
  readonly before?: string;
  /** `start`, or the name of the signal or update. */
  readonly movedBy: string;
  readonly startMs: number;
}

export interface EndedStretch extends Stretch {
  readonly endMs: number;
  /** Failure type; absent where the flow goes on, or has ended well. */
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
        // A run that nothing traced has started is a trace of its own.
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
    // A signal may come before the start is reported: such a flow has begun already.
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

/** Its type, never its text, which may quote the service. */
function failureOf(error: unknown): string | undefined {
  const { name, type } = (error ?? {}) as { readonly name?: unknown; readonly type?: unknown };
  if (name === 'ContinueAsNew') return undefined;
  if (typeof type === 'string' && type !== '') return type;
  return typeof name === 'string' ? name : 'Failed';
}
