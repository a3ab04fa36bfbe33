/** Activities: a span each, in the trace that the flow has told, with what came of the call. Lines of the log get the trace's id. */
import { SpanStatusCode } from '@opentelemetry/api';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { readCarrier } from './carrier.js';
import { given, type FlowTracer } from './tracer.js';
import type { SpanFacts } from './types.js';

export function createActivityInterceptor(traces: FlowTracer): ActivityInterceptorsFactory {
  return ({ info }) => {
    let traceId: string | undefined;
    return {
      inbound: {
        execute: (input, next) =>
          traces.tracer.startActiveSpan(
            `RunActivity:${info.activityType}`,
            {
              attributes: given({
                'temporal.run_id': info.workflowExecution?.runId,
                'temporal.workflow_type': info.workflowType,
                'temporal.attempt': info.attempt,
                ...wordsOf(input.args[0], ['account', 'operation', 'intentId']),
              }),
            },
            traces.contextOf(readCarrier(input.headers)),
            async (span) => {
              ({ traceId } = span.spanContext());
              try {
                const result = await next(input);
                span.setAttributes(given(wordsOf(result, RESULTS)));
                return result;
              } catch (error) {
                if (isToldLater(error)) {
                  span.setAttributes(given(wordsOf(error.result, RESULTS)));
                  throw error;
                }
                const type = error instanceof ApplicationFailure ? error.type : (error as Error).name;
                span.setAttributes(given({ 'tramita.failure': type ?? undefined }));
                if (!isExpected(error))
                  span.setStatus({ code: SpanStatusCode.ERROR, ...(type ? { message: type } : {}) });
                throw error;
              } finally {
                span.end();
              }
            },
          ),
      },
      outbound: {
        getLogAttributes: (attributes, next) => next(traceId === undefined ? attributes : { ...attributes, traceId }),
      },
    };
  };
}

/** Members of results that say what came of it. */
const RESULTS = ['outcome', 'kind', 'because', 'charged', 'reused', 'status', 'intentId', 'operation'];
/** Words, ids, amounts: a text with a space or of that length would be something else. */
const WORD = /^[\w.:-]{1,80}$/;

/** Those of the named members that are words, figures or yes and no. */
function wordsOf(value: unknown, names: readonly string[]): SpanFacts {
  if (typeof value !== 'object' || value === null) return {};
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [`tramita.${NAMES[name] ?? name}`, factOf(name, members[name])]));
}

function factOf(name: string, member: unknown): SpanFacts[string] {
  if (typeof member === 'number' || typeof member === 'boolean') return member;
  if (typeof member !== 'string' || !WORD.test(member)) return undefined;
  // An amount, as decimal text.
  return name === 'charged' ? Number(member) : member;
}

const NAMES: Readonly<Record<string, string>> = { intentId: 'intent_id' };

/** A call that goes on looking for the end of its work: what has come of it so far (workers/brief-waits.ts). */
function isToldLater(error: unknown): error is Error & { readonly result?: unknown } {
  return error instanceof Error && error.name === 'CompleteAsyncError';
}

/** "Not yet": asked again later, which is no failure of anything. */
function isExpected(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}
