/**
 * Spans only by OpenTelemetry's API, so that any provider of the user's own will do. With ours, a flow's span has the id that the
 * flow has told; another provider gives ids of its own, and what a flow does stands beside the flow's span, below what moved it.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  context,
  createTraceState,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent, type Carrier, type SpanPlace } from './carrier.js';
import type { FixedIds } from './fixed-ids.js';
import type { SpanFacts } from './types.js';
import type { EndedStretch } from './workflow-interceptors.js';

export class FlowTracer {
  readonly tracer: Tracer;
  readonly #ids: FixedIds | undefined;

  /** @param ids of our own provider; without, spans are the user's own provider's */
  constructor(ids: FixedIds | undefined) {
    this.tracer = trace.getTracer('tramita');
    this.#ids = ids;
  }

  /** Where a span begins that a message has caused; without a carrier, below what runs now. */
  contextOf(carrier: Carrier | undefined): Context {
    if (carrier === undefined) return context.active();
    const { traceparent, origin, tracestate } = carrier;
    const place = parseTraceparent(this.#ids === undefined ? (origin ?? traceparent) : traceparent);
    if (place === undefined) return context.active();
    const isOwnTrace = origin === undefined && this.#ids !== undefined;
    return below(isOwnTrace ? this.#decided(place) : place, tracestate);
  }

  /** A carrier of the span that runs in this context. */
  carrierOf(span: Span): Carrier {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const tracestate = traceState?.serialize();
    const sampled = isSampled({ traceFlags });
    return {
      traceparent: formatTraceparent({ traceId, spanId, sampled }),
      ...(tracestate === undefined ? {} : { tracestate }),
    };
  }

  /** A flow's span, when it has ended. */
  writeStretch(ended: EndedStretch, flow: { readonly type: string; readonly facts: SpanFacts }): void {
    const { place, origin, tracestate, before, startMs, endMs, failure, movedBy } = ended;
    const from = origin === undefined ? undefined : parseTraceparent(origin);
    const start = (parent: Context): Span =>
      this.tracer.startSpan(
        `RunWorkflow:${flow.type}`,
        {
          kind: SpanKind.INTERNAL,
          startTime: startMs,
          links: linkTo(before),
          attributes: given({ ...flow.facts, 'tramita.moved_by': movedBy, 'tramita.failure': failure }),
        },
        parent,
      );
    let span: Span;
    if (this.#ids === undefined) span = start(below(from ?? place, tracestate));
    else span = this.#ids.with(place, () => start(from === undefined ? ROOT_CONTEXT : below(from, tracestate)));
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span.end(endMs);
  }

  /** A trace that a flow began: whether it is written is the sampler's to say, as of every trace that begins here. */
  #decided(place: SpanPlace): SpanPlace {
    const asked = this.#ids?.with(place, () => this.tracer.startSpan('asked', { root: true }, ROOT_CONTEXT));
    return { ...place, sampled: asked?.isRecording() ?? place.sampled };
  }
}

/** Only what has a value. */
export function given(facts: SpanFacts): Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function below({ traceId, spanId, sampled }: SpanPlace, tracestate?: string): Context {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  });
}

function linkTo(traceparent: string | undefined): Link[] {
  const place = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (place === undefined) return [];
  const { traceId, spanId, sampled } = place;
  return [{ context: { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE } }];
}

function isSampled({ traceFlags }: Pick<SpanContext, 'traceFlags'>): boolean {
  return (traceFlags & 1) === 1;
}
