/**
 * Adds to each log line the call that it is about: a line that is written while an activity runs has the workflow, the run and,
 * once it is known, the ledger row. Fields that a line sets itself take precedence.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { activityInfo } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Activities, ActivityLog } from '../activities/index.js';
import { present } from '../contract/values/index.js';
import type { Ledger } from '../ledger/index.js';
import type { ChargedActivity, ChargedCallResult } from '../protocol/index.js';
import type { Traces } from '../traces/index.js';
import { eachCharged } from './each-charged.js';

interface CallContext {
  readonly workflowId: string;
  readonly runId: string;
  intentId?: string;
}

const current = new AsyncLocalStorage<CallContext>();

/** Runs an activity in its context, unless it already has one. */
function within<T>(input: unknown, run: () => T): T {
  if (current.getStore() !== undefined) return run();
  const { workflowExecution } = activityInfo();
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  return current.run({ workflowId, runId, ...present({ intentId: intentIdOf(input) }) }, run);
}

function intentIdOf(input: unknown): string | undefined {
  const intentId = typeof input === 'object' && input !== null && 'intentId' in input ? input.intentId : undefined;
  return typeof intentId === 'string' ? intentId : undefined;
}

/** The same activities, each in the context of its call. */
export function inContext({ charged, free }: Activities): Activities {
  const each = <Calls extends object>(calls: Calls): Calls =>
    Object.fromEntries(
      Object.entries(calls as Record<string, (input: unknown) => unknown>).map(([name, call]) => [
        name,
        (input: unknown) => within(input, () => call(input)),
      ]),
    ) as Calls;
  return { charged: each(charged), free: each(free) };
}

/** The same activities; each charged one logs one line with its outcome. */
export function logged({ charged, free }: Activities, log: ActivityLog): Activities {
  const wrap =
    (call: ChargedActivity, operation: string): ChargedActivity =>
    async (input) => {
      const startedMs = performance.now();
      const result = await call(input);
      const { account } = input;
      const ms = Math.round(performance.now() - startedMs);
      log.info({ account, operation, ms, ...endOf(result) }, 'charged call ended');
      return result;
    };
  return { charged: eachCharged(charged, wrap), free };
}

function endOf(result: ChargedCallResult): Readonly<Record<string, string | number | boolean | null>> {
  const { outcome } = result;
  if (outcome === 'HELD') return { outcome, because: result.because };
  if (outcome === 'REFUSED') return { outcome };
  const { charged, reused, status } = result;
  return { outcome, charged, reused, ...present({ status }) };
}

/** The ledger row that the running activity is about. */
export function currentIntentId(): string | undefined {
  return current.getStore()?.intentId;
}

/** The same log; each line has the fields of its call and the id of its trace. */
export function withCallFields(log: ActivityLog, traces?: Pick<Traces, 'traceId'>): ActivityLog {
  const write =
    (level: keyof ActivityLog): ActivityLog['info'] =>
    (fields, message) =>
      log[level]({ ...current.getStore(), ...present({ traceId: traces?.traceId() }), ...fields }, message);
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** The same `openIntent`, which also notes the row in the context, from the moment that the row may exist. */
export function notesIntent(openIntent: Ledger['openIntent']): Ledger['openIntent'] {
  return async (request) => {
    const call = current.getStore();
    if (call !== undefined) call.intentId = request.attemptToken;
    const verdict = await openIntent(request);
    if (call !== undefined && 'intent' in verdict) call.intentId = verdict.intent.intentId;
    return verdict;
  };
}

/** Adds the row to the SDK's own log lines about a failed activity. */
export const callFieldsOfSdk: ActivityInterceptorsFactory = () => {
  let call: CallContext | undefined;
  return {
    inbound: {
      execute: (input, next) =>
        within(input.args[0], () => {
          call = current.getStore();
          return next(input);
        }),
    },
    outbound: {
      getLogAttributes: (attributes, next) => next({ ...attributes, ...present({ intentId: call?.intentId }) }),
    },
  };
};
