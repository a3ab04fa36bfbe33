/** Loads OpenTelemetry when traces are wanted, once for all programs of a process. */
import type { createTraces } from './otel-traces.js';
import type { TraceSettings, Traces } from './types.js';

let shared: { readonly traces: Traces; users: number } | undefined;

/**
 * Traces of this process, until every opener has closed them. A tracer provider that is registered already is used; otherwise one
 * of our own is registered, which sends to the collector of OTEL_EXPORTER_OTLP_ENDPOINT.
 */
export function openTraces(settings: TraceSettings): Traces {
  shared ??= { traces: load().createTraces(settings), users: 0 };
  const opened = shared;
  opened.users += 1;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    opened.users -= 1;
    if (opened.users > 0) return;
    if (shared === opened) shared = undefined;
    await opened.traces.close();
  };
  return { ...opened.traces, close: () => (closing ??= close()) };
}

function load(): { readonly createTraces: typeof createTraces } {
  // Not at the top: 60 files that a process without traces does not need. Not `import()`: a plugin's constructor cannot await.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- see above
  return require('./otel-traces.js') as ReturnType<typeof load>;
}
