/**
 * Our own tracer provider, for processes without one. OpenTelemetry's SDK sends OTLP over HTTP in batches and reads the other
 * `OTEL_*` variables itself. Spans wait in a queue of bounded length and block nothing; spans that the collector does not accept
 * are dropped.
 */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { FixedIds } from './fixed-ids.js';
import type { TraceSettings } from './types.js';

/** A program that ends waits at most this long for a collector that does not answer. */
const CLOSE_WITHIN_MS = 2_000;
/** `ExportResultCode.SUCCESS` */
const TAKEN = 0;
const WARN_EVERY_MS = 5 * 60_000;

export interface OwnProvider {
  readonly ids: FixedIds;
  close(): Promise<void>;
}

/** Registers it for the whole process; {@link OwnProvider.close} unregisters it. */
export function registerOwnProvider({ protocol, service, log }: TraceSettings): OwnProvider {
  const ids = new FixedIds();
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    // The last name wins, so OTEL_SERVICE_NAME overrides ours.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(withWarnings(exporter, log))],
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  const hasContext = context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider(provider);
  return {
    ids,
    close: async () => {
      // First, so that traces that are opened during the shutdown register again.
      trace.disable();
      if (hasContext) context.disable();
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise((resolve) => {
        timer = setTimeout(resolve, CLOSE_WITHIN_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), over]);
      clearTimeout(timer);
    },
  };
}

/** The exporter, with a warning from time to time if the collector does not accept spans; the SDK logs nothing. */
function withWarnings(exporter: SpanExporter, log: TraceSettings['log']): SpanExporter {
  let quietUntilMs = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const code: number = result.code;
        if (code !== TAKEN && Date.now() >= quietUntilMs) {
          quietUntilMs = Date.now() + WARN_EVERY_MS;
          log.warn({ spans: spans.length }, 'the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no spans: dropped');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
