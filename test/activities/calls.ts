/** Charged calls, their polls and the looks for their evidence as the activities make them. */
import { randomUUID } from 'node:crypto';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { resolveUnknown as resolve } from '../../src/activities/evidence/resolve-unknown.js';
import { noteQuietBalance, type AccountDeps, type ActivityDeps } from '../../src/activities/index.js';
import { awaitFinal } from '../../src/activities/polling/await-final.js';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import type { AwaitFinalResult, CallOutcome, ChargedCallInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';

export type Call = ChargedCallInput & { readonly operation: string };

/** A call of a run that no other test has, about a case that no other test has. */
export function newCall(operation: string, more: Partial<ChargedCallInput> = {}): Call {
  const run = randomUUID();
  return {
    workflowId: `test/${run}`,
    firstRunId: run,
    workflowType: 'test',
    step: operation,
    ordinal: 1,
    account: 'default',
    operation,
    params: { cnj: newCase() },
    flags: [],
    ...more,
  };
}

/** The first attempt at a call. */
export async function charge(
  deps: ActivityDeps,
  call: Call,
  attemptToken: string = randomUUID(),
): Promise<CallOutcome> {
  return (await runChargedCall(deps, call.operation, call, { attempt: 1, attemptToken })) as CallOutcome;
}

/** One attempt to wait for the end of pending work; undefined if it has not ended. */
export function look(
  deps: ActivityDeps,
  call: Call,
  { intentId = '' }: CallOutcome,
): Promise<AwaitFinalResult | undefined> {
  const asker = { signal: AbortSignal.timeout(30_000), workflowId: call.workflowId, errors: createErrorFinals() };
  return awaitFinal(deps, { ...call, intentId, sinceMs: Date.now() }, asker).catch(() => undefined);
}

type Resolving = Parameters<typeof resolve>;

/** Like its activity, for an attempt that is scheduled now unless the test says otherwise. */
export function resolveUnknown(
  deps: Resolving[0],
  input: Resolving[1],
  asker?: Resolving[2],
): ReturnType<typeof resolve> {
  const nowMs = deps.clock.nowMs();
  return resolve(deps, input, asker ?? { workflowType: '', scheduledAtMs: nowMs, attemptScheduledAtMs: nowMs });
}

export function accountOf({ accounts }: ActivityDeps): AccountDeps {
  return accounts.get('default') as AccountDeps;
}

/** A reading is stored only while no transaction writes, including those of other test files. */
export async function untilNoted(deps: ActivityDeps): Promise<void> {
  const { ledger } = deps;
  const isNoted = async (): Promise<boolean> => {
    await noteQuietBalance(deps, accountOf(deps));
    const [{ seq }, last] = await Promise.all([ledger.quiet('default'), ledger.openingBalance('default')]);
    return last?.seq === seq;
  };
  await until(isNoted, { what: 'a reading of the balance' });
}
