/**
 * An equal call of another flow is on its way: nothing is sent here. The ledger signals `wake` when that row settles; the
 * timer only covers a lost signal, and a second one within a minute. Finite: the sweeper turns a row that stays open into
 * `unknown` after five minutes.
 */
import { condition } from '@temporalio/workflow';
import { withJitter } from '../../contract/values/index.js';
import type { Flow } from '../flow/flow.js';

const LOOK_AGAIN_MS = 20_000;

export async function waitForOtherFlow(flow: Flow, title: string, wakesSeen: number): Promise<void> {
  const waitMs = withJitter(LOOK_AGAIN_MS, Math.random);
  flow.enter({
    state: 'waiting',
    waitingFor: `an equal call (${title}) of another flow`,
    nextCheckAtMs: Date.now() + waitMs,
  });
  const heedsWakes = flow.eventLooks.mayTake();
  const woken = (): boolean => heedsWakes && flow.wakes() > wakesSeen;
  if (await condition(woken, waitMs, { summary: 'wait for an equal call of another flow' })) {
    await flow.eventLooks.take(() => false);
  }
}
