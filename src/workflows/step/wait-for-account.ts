/**
 * The account's calls wait unsent: the service is out, or asked to wait. Nothing was sent and no try is counted. A flow that
 * has paid waits for as long as it takes (a round of a day, then a person may look); one that has not, for half an hour.
 */
import { ActivityFailure, isCancellation, sleep } from '@temporalio/workflow';
import { formatDuration } from '../../contract/values/index.js';
import type { CallHeld } from '../../protocol/index.js';
import { POLLING_ROUND_MS, releaseCalls } from '../flow/calls.js';
import { parkUntilResumed } from './parking.js';
import type { StepRun } from './step-run.js';

export type AccountHeld = Extract<CallHeld, { readonly because: 'outage' | 'throttled' | 'ledger' | 'database' }>;

const UNPAID_WAIT_MS = 30 * 60_000;

const WAITED_SHARE = 0.05;

/** Returns when the call may be tried again. `sinceMs`: when this send was held first. */
export async function waitForAccount(run: StepRun, held: AccountHeld, sinceMs: number): Promise<void> {
  const { flow, step } = run;
  const { account } = flow.settings;
  const leftMs = patienceMs({ paid: flow.paid(), heldForMs: Date.now() - sinceMs });
  if (leftMs > 0 && (await isReleased(run, held, { leftMs, sinceMs }))) return;

  const outage = held.because === 'outage';
  const reason = outage ? 'the service is out' : 'the service keeps asking to wait (429)';
  if (flow.paid()) {
    const facts = {
      reason: `${reason}; calls of account "${account}" wait`,
      charged: '0',
      reused: false,
      settled: true,
    };
    await parkUntilResumed(flow, step, { attention: 'stalled', facts });
    return;
  }
  throw flow.fail(
    outage ? 'Unreachable' : 'Throttled',
    `${step.title} was held for ${formatDuration(UNPAID_WAIT_MS)}: ${reason}. Nothing was sent. Start again later`,
    { operation: step.operation },
  );
}

/** How long a held call goes on waiting by itself; 0: no longer. Pure. */
export function patienceMs(held: { readonly paid: boolean; readonly heldForMs: number }): number {
  return held.paid ? POLLING_ROUND_MS : Math.max(0, UNPAID_WAIT_MS - held.heldForMs);
}

async function isReleased(
  { flow, step }: StepRun,
  held: AccountHeld,
  { leftMs, sinceMs }: { readonly leftMs: number; readonly sinceMs: number },
): Promise<boolean> {
  const { account } = flow.settings;
  if (held.because === 'throttled') {
    // Grows with the time waited: a service that asks to wait again and again must not fill the history.
    const leastMs = Math.max(1_000, Math.round((Date.now() - sinceMs) * WAITED_SHARE));
    const waitMs = Math.min(Math.max(held.untilMs - Date.now(), leastMs), leftMs);
    const waitingFor = `the service, which asked account "${account}" to wait`;
    flow.enter({ state: 'waiting', waitingFor, nextCheckAtMs: Date.now() + waitMs });
    await sleep(waitMs, { summary: `wait before ${step.title}: the service asked to` });
    return true;
  }
  const since = new Date(held.sinceMs).toISOString();
  flow.enter({
    state: 'waiting',
    waitingFor: `the service, which is out for account "${account}" since ${since} (its balance is asked, free)`,
  });
  try {
    await releaseCalls(`wait for the service before ${step.title} ${flow.label()}`, leftMs).awaitRelease({
      account,
      sinceMs: Date.now(),
    });
    return true;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return false;
  }
}
