/**
 * An equal call of another flow is on its way: nothing is sent here. The ledger signals `wake` when that row settles; the
 * timer only covers a lost signal. Finite: the sweeper turns a row that stays open into `unknown` after five minutes.
 */
import { condition } from '@temporalio/workflow';
import type { Flow } from '../flow/flow.js';

const LOOK_AGAIN_MS = 20_000;

export async function waitForOtherFlow(flow: Flow, title: string, wakesSeen: number): Promise<void> {
  flow.enter({
    state: 'waiting',
    waitingFor: `an equal call (${title}) of another flow`,
    nextCheckAtMs: Date.now() + LOOK_AGAIN_MS,
  });
  await condition(() => flow.wakes() > wakesSeen, LOOK_AGAIN_MS, { summary: 'wait for an equal call of another flow' });
}
