/** Traces with OpenTelemetry; loaded by `open-traces.ts` when they are on, and by nothing else. */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  trace,
  type ProxyTracerProvider,
  type Span,
} from '@opentelemetry/api';
import { extname, join } from 'node:path';
import { createActivityInterceptor } from './activity-interceptor.js';
import { createClientInterceptor } from './client-interceptor.js';
import { registerOwnProvider } from './own-provider.js';
import { FlowTracer, given } from './tracer.js';
import type { TraceSettings, Traces } from './types.js';

/** Uses a provider that somebody else has registered in this process, and neither changes nor closes it. */
export function createTraces(settings: TraceSettings): Traces {
  const own = isRegistered() ? undefined : registerOwnProvider(settings);
  const traces = new FlowTracer(own?.ids);
  const fail = (span: Span, problem: string | undefined): void => {
    if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
  };
  return {
    clientInterceptors: [createClientInterceptor(traces)],
    activityInterceptors: [createActivityInterceptor(traces)],
    workflowModules: [join(__dirname, `workflow-interceptors${extname(__filename)}`)],
    sinks: {
      tramitaTraces: {
        stretch: {
          // Not during replay, so that each stretch is reported once.
          callDuringReplay: false,
          fn: ({ runId, workflowType }, ended) =>
            traces.writeStretch(ended, { type: workflowType, facts: { 'temporal.run_id': runId } }),
        },
      },
    },
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    note: ({ name, startMs, endMs, facts, problem }) => {
      const span = traces.tracer.startSpan(name, {
        kind: SpanKind.CLIENT,
        startTime: startMs,
        attributes: given(facts),
      });
      fail(span, problem);
      span.end(endMs);
    },
    beginRequest: (name, startMs) => {
      const span = traces.tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: startMs, root: true });
      return {
        traceId: span.spanContext().traceId,
        run: (work) => context.with(trace.setSpan(ROOT_CONTEXT, span), work),
        note: (facts) => void span.setAttributes(given(facts)),
        end: (facts, problem) => {
          span.setAttributes(given(facts));
          fail(span, problem);
          span.end();
        },
      };
    },
    close: () => own?.close() ?? Promise.resolve(),
  };
}

function isRegistered(): boolean {
  const provider: object = trace.getTracerProvider();
  // The API's proxy, which has no provider behind it until one is registered.
  const isProxy = 'getDelegateTracer' in provider;
  return !isProxy || (provider as ProxyTracerProvider).getDelegateTracer('tramita') !== undefined;
}
