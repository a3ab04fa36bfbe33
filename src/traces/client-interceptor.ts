/** Gives each start, signal and update of a client a span, whose trace it carries to the flow. Queries are not traced. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';
import { withCarrier } from './carrier.js';
import type { FlowTracer } from './tracer.js';

type Carry = (headers: Headers) => Headers;

export function createClientInterceptor(traces: FlowTracer): WorkflowClientInterceptor {
  const within = <T>(name: string, send: (carry: Carry) => Promise<T>): Promise<T> =>
    traces.tracer.startActiveSpan(name, { kind: SpanKind.PRODUCER }, async (span) => {
      try {
        return await send((headers) => withCarrier(headers, traces.carrierOf(span)));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
        throw error;
      } finally {
        span.end();
      }
    });
  return {
    startWithDetails: (input, next) =>
      within(`StartWorkflow:${input.workflowType}`, (carry) => next({ ...input, headers: carry(input.headers) })),
    signalWithStart: (input, next) =>
      within(`SignalWithStartWorkflow:${input.workflowType}`, (carry) =>
        next({ ...input, headers: carry(input.headers) }),
      ),
    signal: (input, next) =>
      within(`SignalWorkflow:${input.signalName}`, (carry) => next({ ...input, headers: carry(input.headers) })),
    startUpdate: (input, next) =>
      within(`StartWorkflowUpdate:${input.updateName}`, (carry) => next({ ...input, headers: carry(input.headers) })),
    startUpdateWithStart: (input, next) =>
      within(`UpdateWithStartWorkflow:${input.updateName}`, (carry) =>
        next({
          ...input,
          workflowStartHeaders: carry(input.workflowStartHeaders),
          updateHeaders: carry(input.updateHeaders),
        }),
      ),
  };
}
