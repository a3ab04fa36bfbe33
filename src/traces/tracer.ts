/**
 * Uses only OpenTelemetry's API, so that any provider works. With ours, a flow's span gets the id that the flow has sent to its
 * activities. Another provider chooses its own id, so the activities become siblings of that span, below what moved the flow.
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

  /** @param ids of our own provider; undefined with another provider */
  constructor(ids: FixedIds | undefined) {
    this.tracer = trace.getTracer('tramita');
    this.#ids = ids;
  }

  /** The parent context for a span that a message causes; without a carrier, the active context. */
  contextOf(carrier: Carrier | undefined): Context {
    if (carrier === undefined) return context.active();
    const { traceparent, origin, tracestate } = carrier;
    const place = parseTraceparent(this.#ids === undefined ? (origin ?? traceparent) : traceparent);
    if (place === undefined) return context.active();
    const isOwnTrace = origin === undefined && this.#ids !== undefined;
    return below(isOwnTrace ? this.#withSampling(place) : place, tracestate);
  }

  carrierOf(span: Span): Carrier {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const tracestate = traceState?.serialize();
    const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    return {
      traceparent: formatTraceparent({ traceId, spanId, sampled }),
      ...(tracestate === undefined ? {} : { tracestate }),
    };
  }

  writeStretch(ended: EndedStretch, flow: { readonly type: string; readonly facts: SpanFacts }): void {
    const { place, origin, tracestate, before, startMs, endMs, failure, movedBy } = ended;
    const parent = origin === undefined ? undefined : parseTraceparent(origin);
    const startIn = (parentContext: Context): Span =>
      this.tracer.startSpan(
        `RunWorkflow:${flow.type}`,
        {
          kind: SpanKind.INTERNAL,
          startTime: startMs,
          links: linkTo(before),
          attributes: given({ ...flow.facts, 'tramita.moved_by': movedBy, 'tramita.failure': failure }),
        },
        parentContext,
      );
    let span: Span;
    if (this.#ids === undefined) span = startIn(below(parent ?? place, tracestate));
    else span = this.#ids.with(place, () => startIn(parent === undefined ? ROOT_CONTEXT : below(parent, tracestate)));
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span.end(endMs);
  }

  /** For a trace that a flow began: the sampler decides whether it is recorded, as for every trace that begins here. */
  #withSampling(place: SpanPlace): SpanPlace {
    const probe = this.#ids?.with(place, () => this.tracer.startSpan('asked', { root: true }, ROOT_CONTEXT));
    return { ...place, sampled: probe?.isRecording() ?? place.sampled };
  }
}

export function given(facts: SpanFacts): Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function below(place: SpanPlace, tracestate?: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...spanContextOf(place),
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  });
}

function linkTo(traceparent: string | undefined): Link[] {
  const place = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return place === undefined ? [] : [{ context: spanContextOf(place) }];
}

function spanContextOf({ traceId, spanId, sampled }: SpanPlace): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}
