/** Ids of spans: random, but for a flow's own spans, whose ids the flow has told its activities already. */
import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { SpanPlace } from './carrier.js';

export class FixedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #fixed: Pick<SpanPlace, 'traceId' | 'spanId'> | undefined;

  /** Spans that `make` begins have these ids; `traceId` counts for a span without parent. */
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
