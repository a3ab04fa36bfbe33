/** Gives each activity a span in the trace of its flow, with the outcome of the call. Log lines get the trace's id. */
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
                if (isCompletedLater(error)) {
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

/** Members of results that show the outcome. */
const RESULTS = ['outcome', 'kind', 'because', 'charged', 'reused', 'status', 'intentId', 'operation'];
/** Words, ids and amounts. A text with a space, or a longer one, would be something else. */
const WORD = /^[\w.:-]{1,80}$/;

/** The named members that are words, numbers or booleans. */
function wordsOf(value: unknown, names: readonly string[]): SpanFacts {
  if (typeof value !== 'object' || value === null) return {};
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [`tramita.${SPAN_NAMES[name] ?? name}`, factOf(name, members[name])]));
}

function factOf(name: string, member: unknown): SpanFacts[string] {
  if (typeof member === 'number' || typeof member === 'boolean') return member;
  if (typeof member !== 'string' || !WORD.test(member)) return undefined;
  // An amount, as decimal text.
  return name === 'charged' ? Number(member) : member;
}

const SPAN_NAMES: Readonly<Record<string, string>> = { intentId: 'intent_id' };

/** An activity that continues after this attempt; `result` is its outcome so far (workers/brief-waits.ts). */
function isCompletedLater(error: unknown): error is Error & { readonly result?: unknown } {
  return error instanceof Error && error.name === 'CompleteAsyncError';
}

/** "Not yet": the activity is tried again later, so nothing has failed. */
function isExpected(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}
