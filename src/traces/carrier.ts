/**
 * The trace of a message in Temporal's headers: W3C `traceparent` under the key of Temporal's own interceptors, so that theirs
 * and ours understand each other. Pure, and part of the workflow bundle if traces are on.
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** The key of `@temporalio/interceptors-opentelemetry`. */
const TRACE_HEADER = '_tracer-data';

export interface Carrier {
  readonly traceparent: string;
  readonly tracestate?: string;
  /**
   * Only in messages of a flow: the span that moved the flow. `traceparent` is then the flow's own span, which a tracer provider
   * other than ours cannot write under this id. Absent if what moved the flow was not traced.
   */
  readonly origin?: string;
}

/** Parts of a `traceparent`. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/** W3C: version 00, neither id all zeros. */
const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
/** W3C requires that at least this length is propagated. */
const MAX_STATE = 512;

export function parseTraceparent(text: string): SpanPlace | undefined {
  const [, traceId, spanId, flags] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, sampled: Number.parseInt(flags, 16) % 2 === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: SpanPlace): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The carrier in these headers; undefined if there is none, or it is unreadable. Never throws: strangers start flows too. */
export function readCarrier(headers: Headers): Carrier | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  try {
    const read: unknown = defaultPayloadConverter.fromPayload(payload);
    if (typeof read !== 'object' || read === null) return undefined;
    const { traceparent, tracestate, origin } = read as Readonly<Record<string, unknown>>;
    if (typeof traceparent !== 'string' || parseTraceparent(traceparent) === undefined) return undefined;
    return {
      traceparent,
      ...(typeof tracestate === 'string' && tracestate.length <= MAX_STATE ? { tracestate } : {}),
      ...(typeof origin === 'string' && parseTraceparent(origin) !== undefined ? { origin } : {}),
    };
  } catch {
    return undefined;
  }
}

export function withCarrier(headers: Headers, carrier: Carrier): Headers {
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}
