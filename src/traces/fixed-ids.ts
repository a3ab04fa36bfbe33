/** Span ids: random, except for a flow's own spans, whose ids the flow has already sent to its activities. */
import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { SpanPlace } from './carrier.js';

export class FixedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #fixed: Pick<SpanPlace, 'traceId' | 'spanId'> | undefined;

  /** Spans that `make` starts get these ids; `traceId` applies only to a span without parent. */
  with<T>(fixed: Pick<SpanPlace, 'traceId' | 'spanId'>, make: () => T): T {
    this.#fixed = fixed;
    try {
      return make();
    } finally {
      this.#fixed = undefined;
    }
  }

  generateTraceId = (): string => this.#fixed?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#fixed?.spanId ?? this.#random.generateSpanId();
}
