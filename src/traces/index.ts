/**
 * Door of the traces: from a webhook or a starter through flow and activities to the HTTP call, as OpenTelemetry spans.
 * OpenTelemetry is loaded only when traces are opened. What a span may hold is in docs/operations.md (Traces); how it stays out
 * of replay is in docs/decisions/0054.
 */
export { openTraces } from './open-traces.js';
export type { EndedSpan, RequestSpan, SpanFacts, Traces } from './types.js';
