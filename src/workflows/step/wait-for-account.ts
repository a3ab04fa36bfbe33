/**
 * Waits while an account's calls are held: the service is down or asked to wait, our own database is away, or the ledger is
 * being reconciled. Nothing was sent and no try is counted. A flow that has paid waits a day, then parks for a person; one that
 * has not paid waits half an hour, then fails. For the ledger any flow waits until it is reconciled.
 */
import { ActivityFailure, patched, sleep } from '@temporalio/workflow';
import { formatDuration, growingWaitMs, withJitter } from '../../contract/values/index.js';
import type { CallHeld } from '../../protocol/index.js';
import { POLLING_ROUND_MS, releaseCalls } from '../flow/calls.js';
import { isCancelledCall } from '../flow/define-flow.js';
import { parkUntilResumed } from './parking.js';
import type { StepRun } from './step-run.js';

export type AccountHeld = Extract<CallHeld, { readonly because: 'outage' | 'throttled' | 'ledger' | 'database' }>;
type Throttled = Extract<AccountHeld, { because: 'throttled' }>;

const NOTHING_SENT = { charged: '0', reused: false, settled: true } as const;
const UNPAID_WAIT_MS = 30 * 60_000;

/** Growing waits: a service that keeps asking to wait must not fill the history. */
const THROTTLED_AGAIN = { leastMs: 1_000, share: 0.05 };

/** Why the call is tried again. After a new hold, a person's `resume` begins a new wait. */
type AfterHold = 'released' | 'resumed';

/** Returns when the call may be tried again. `sinceMs`: when the wait began. */
export async function waitForAccount(run: StepRun, held: AccountHeld, sinceMs: number): Promise<AfterHold> {
  const { flow, step } = run;
  const { account } = flow.settings;
  const { because } = held;
  const patience = patienceMs({ because, paid: flow.paid(), heldForMs: Date.now() - sinceMs });
  const leftMs = patience === 0 && asksNobody(run, held) ? POLLING_ROUND_MS : patience;
  if (leftMs > 0 && (await waitForRelease(run, held, { leftMs, sinceMs }))) return 'released';
  // The next try of the call shows whether the ledger still holds it; then a new round of waiting begins.
  if (held.because === 'ledger') return 'released';

  const reason = reasonOf(held);
  if (flow.paid()) {
    const facts = { reason: `${reason}; calls of account "${account}" wait`, ...NOTHING_SENT };
    const waitsFor = held.because === 'database' ? 'the database' : 'the service';
    await parkUntilResumed(flow, step, { attention: 'stalled', facts, waitsFor });
    return 'resumed';
  }
  throw flow.fail(
    held.because === 'throttled' ? 'Throttled' : 'Unreachable',
    `${step.title} was held for ${formatDuration(UNPAID_WAIT_MS)}: ${reason}. Nothing was sent. Start again later`,
    { operation: step.operation },
  );
}

/** Runs from before this patch waited on, however long the service asked to wait. */
function asksNobody({ flow }: StepRun, { because }: AccountHeld): boolean {
  return because === 'throttled' && flow.paid() && !patched('throttled-for-a-day-asks-a-person');
}

/** How long a held call goes on waiting by itself; 0: no longer. Each wait for a release of its own lasts up to a day. Pure. */
export function patienceMs(held: {
  readonly because: AccountHeld['because'];
  readonly paid: boolean;
  readonly heldForMs: number;
}): number {
  const { because, paid, heldForMs } = held;
  if (because === 'ledger' || (paid && because !== 'throttled')) return POLLING_ROUND_MS;
  return Math.max(0, (paid ? POLLING_ROUND_MS : UNPAID_WAIT_MS) - heldForMs);
}

function reasonOf(held: Exclude<AccountHeld, { because: 'ledger' }>): string {
  switch (held.because) {
    case 'outage':
      return 'the service is down';
    case 'throttled':
      return 'the service keeps asking to wait (429)';
    case 'database':
      return held.reason;
  }
}

/** What people read while the call waits. Pure. */
export function waitingFor(
  held: Exclude<AccountHeld, Throttled>,
  { account, ...until }: { readonly account: string } & WaitsUntil,
): string {
  const since = new Date(held.sinceMs).toISOString();
  switch (held.because) {
    case 'outage':
      return `the service, which has been down for account "${account}" since ${since} (its balance is read once a minute, free); ${afterwards(until)}`;
    case 'database':
      return `the database: ${held.reason}; nothing is sent meanwhile; ${afterwards(until)}`;
    case 'ledger':
      return `the ledger, which has been under reconciliation since ${since} (\`tramita ledger reconcile\`); nothing is sent meanwhile`;
  }
}

interface WaitsUntil {
  readonly untilMs: number;
  readonly paid: boolean;
}

/** What happens without a person. */
function afterwards({ untilMs, paid }: WaitsUntil, endsAs = 'Unreachable'): string {
  const end = paid ? 'asks a person' : `ends as ${endsAs}`;
  return `the flow continues on its own, and ${end} if this lasts until ${new Date(untilMs).toISOString()}`;
}

/** Returns true when the call may be tried again, false when the time is over. */
async function waitForRelease(
  run: StepRun,
  held: AccountHeld,
  { leftMs, sinceMs }: { readonly leftMs: number; readonly sinceMs: number },
): Promise<boolean> {
  const { flow, step } = run;
  const { firstRunId } = flow;
  const { account } = flow.settings;
  if (held.because === 'throttled') {
    await waitOutThrottling(run, held, { leftMs, sinceMs });
    return true;
  }
  const { because } = held;
  flow.enter({
    state: 'waiting',
    waitingFor: waitingFor(held, { account, untilMs: Date.now() + leftMs, paid: flow.paid() }),
  });
  try {
    const summary = `wait for the ${because === 'outage' ? 'service' : because} before ${step.title} ${flow.label()}`;
    const released = await releaseCalls(summary, leftMs).awaitRelease({ account, because, sinceMs, firstRunId });
    if (released?.unexpected !== undefined && patched('release-tells-its-charge')) flow.inform(released.unexpected);
    return true;
  } catch (error) {
    if (isCancelledCall(error) || !(error instanceof ActivityFailure)) throw error;
    return false;
  }
}

async function waitOutThrottling(
  { flow, step }: StepRun,
  { untilMs }: Throttled,
  { leftMs, sinceMs }: { readonly leftMs: number; readonly sinceMs: number },
): Promise<void> {
  const leastMs = Math.round(growingWaitMs(Date.now() - sinceMs, THROTTLED_AGAIN));
  const waitMs = Math.min(withJitter(Math.max(untilMs - Date.now(), leastMs), Math.random), leftMs);
  const then = afterwards({ untilMs: Date.now() + leftMs, paid: flow.paid() }, 'Throttled');
  const waitingFor = `the service, which asked account "${flow.settings.account}" to wait; ${then}`;
  flow.enter({ state: 'waiting', waitingFor, nextCheckAtMs: Date.now() + waitMs });
  await sleep(waitMs, { summary: `wait before ${step.title}, as the service asked` });
}
