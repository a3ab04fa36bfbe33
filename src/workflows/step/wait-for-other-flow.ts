/**
 * An equal call of another flow is on its way: nothing is sent here. The ledger signals `wake` when that row settles; the
 * timer only covers a lost signal, and a second one within a minute. Finite: the sweeper turns a row that stays open into
 * `unknown` after five minutes.
 */
import { condition } from '@temporalio/workflow';
import { withJitter } from '../../contract/values/index.js';
import type { StepRun } from './step-run.js';

const LOOK_AGAIN_MS = 20_000;

/** One wake is answered for each row that is waited for: rows are ours, so they cannot come without end as signals can. */
export async function waitForOtherFlow(run: StepRun, intentId: string): Promise<void> {
  const { flow, step, wakesBefore } = run;
  const waitMs = withJitter(LOOK_AGAIN_MS, Math.random);
  flow.enter({
    state: 'waiting',
    waitingFor: `an equal call (${step.title}) of another flow`,
    nextCheckAtMs: Date.now() + waitMs,
  });
  const isFirst = run.wokenFor !== intentId;
  const takesWakes = isFirst || flow.eventLooks.mayTake();
  const woken = (): boolean => takesWakes && flow.wakes() > wakesBefore;
  if (!(await condition(woken, waitMs, { summary: 'wait for an equal call of another flow' }))) return;
  run.wokenFor = intentId;
  if (!isFirst) await flow.eventLooks.take(() => false);
}
