/**
 * Sends a charged step once: a new ordinal, one activity, one outcome. While the call is held (no worker, an equal call of
 * another flow, a cap, the service, the database), the flow waits here under the same ordinal, because nothing was sent for it.
 */
import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import { present, withJitter } from '../../contract/values/index.js';
import {
  chargedTaskQueue,
  MEMO_ID_KEY,
  type CallHeld,
  type CallOutcome,
  type ChargedCallResult,
} from '../../protocol/index.js';
import { chargedCall, freeCalls } from '../flow/calls.js';
import type { Waiting } from '../flow/flow.js';
import { decideActivityFailure } from './decide-activity-failure.js';
import { isCallResult } from './is-call-result.js';
import { parkOnBudget } from './park-on-budget.js';
import { parkOnCharge } from './parking.js';
import { callOf, conclude, keyOf, type StepRun } from './step-run.js';
import { waitForAccount, type AccountHeld } from './wait-for-account.js';

/** `NOT_STARTED`: no worker has taken the call. */
type CallResult = ChargedCallResult | { readonly outcome: 'NOT_STARTED' };

/** How long to wait for an equal call of another flow before asking again, in case the signal of its end is lost. */
const LOOK_AGAIN_MS = 20_000;

export async function sendStep(run: StepRun): Promise<CallOutcome> {
  const { flow, step } = run;
  run.ordinal += 1;
  run.askedAtMs = Date.now();
  let heldSinceMs: number | undefined;
  for (;;) {
    // Read again after every wait, so that records which others created meanwhile are not taken for ours.
    if (step.listing === true) await readListing(run);
    run.wakesBefore = flow.wakes();
    const result = await callOnce(run);
    if ('caseAttribute' in result) flow.maskCase(result.caseAttribute);
    // Runs from before this patch did not count what it cost.
    if ('floorRead' in result && patched('floor-read-is-told')) flow.inform(result.floorRead);
    switch (result.outcome) {
      case 'NOT_STARTED':
        break;
      case 'REFUSED':
        throw flow.fail('InvalidInput', result.problem, { operation: step.operation });
      case 'HELD':
        flow.record({ step: step.step, operation: step.operation, ordinal: run.ordinal, held: true });
        if (isAccountHeld(result)) {
          heldSinceMs ??= Date.now();
          const then = await waitForAccount(run, result, heldSinceMs);
          // The wait for the ledger does not count: a later hold has its own half hour.
          if (result.because === 'ledger' || then === 'resumed') heldSinceMs = undefined;
        } else {
          heldSinceMs = undefined;
          await waitWhileHeld(run, result);
        }
        break;
      default:
        if (result.unexpected !== undefined) flow.inform(result.unexpected);
        return conclude(run, shownIfUndecided(run, await storeIfSpooled(run, result)));
    }
  }
}

function isAccountHeld(held: CallHeld): held is AccountHeld {
  return ['outage', 'throttled', 'ledger', 'database'].includes(held.because);
}

/** Runs one activity. Throws only if the flow itself is cancelled. */
async function callOnce(run: StepRun): Promise<CallResult> {
  const { flow, step, ordinal, joinIntent } = run;
  const { account, webhook, webhookPatienceMs, once, maxSpend, budget } = flow.settings;
  run.sentAtMs = Date.now();
  run.lostActivity = undefined;
  flow.record({ step: step.step, operation: step.operation, ordinal });
  const taskQueue = chargedTaskQueue(flow.taskQueue, step.queueOf ?? account);
  flow.enter({ ...callingOf(run), callQueue: taskQueue });
  const summary = `${step.title} ${flow.label()} #${ordinal}`;
  try {
    const { operation, ...about } = callOf(run);
    const call = chargedCall({ operation, taskQueue, summary, file: step.file === true });
    const result: unknown = await call({
      ...keyOf(run),
      ...about,
      workflowType: flow.type,
      ...keyOfStarter(),
      askedAtMs: flow.startedAtMs,
      flags: step.flags,
      ...present({
        webhook,
        webhookPatienceMs,
        once,
        maxAgeMs: step.maxAgeMs,
        notBeforeMs: step.notBeforeMs,
        sentNotBeforeMs: step.sentNotBeforeMs,
        maxSpend,
        budget,
        joinIntent,
      }),
    });
    return isCallResult(result) ? result : unknownCall('its activity was completed by hand, with no outcome');
  } catch (error) {
    // A call that was cancelled while the flow was not is lost, no more.
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
    run.lostActivity = error instanceof ActivityFailure ? error.activityId : undefined;
    return lostResult(error);
  }
}

/** A call that has ended is no longer shown as one that no worker has taken: looking for its charge may take minutes. */
function shownIfUndecided({ flow, step }: StepRun, ended: CallOutcome): CallOutcome {
  const isUndecided = ended.outcome === 'UNKNOWN' || ended.outcome === 'CHARGED_LOST';
  if (isUndecided) flow.showWait(`free evidence about the charge of ${step.title}`);
  return ended;
}

/** What people read while the call is in flight. */
function callingOf({ step, ordinal }: StepRun): Waiting {
  return { state: step.title.startsWith('GET') ? 'reading' : 'requesting', waitingFor: `${step.title} #${ordinal}` };
}

function keyOfStarter(): { readonly idKey?: string } {
  const idKey = workflowInfo().memo?.[MEMO_ID_KEY];
  return typeof idKey === 'string' ? { idKey } : {};
}

function lostResult(error: unknown): CallResult {
  const lost = decideActivityFailure(error);
  if (lost.kind === 'not started') return { outcome: 'NOT_STARTED' };
  return lost.kind === 'not_sent' ? { ...unknownCall(lost.reason), outcome: 'NOT_SENT' } : unknownCall(lost.reason);
}

function unknownCall(reason: string): CallOutcome & { readonly outcome: 'UNKNOWN' } {
  return { outcome: 'UNKNOWN', reason, charged: null, reused: false, settled: true };
}

/** Reads the listing before the call, so that what the call created can be recognised later if its outcome is unknown. */
async function readListing(run: StepRun): Promise<void> {
  const title = `read the listing before ${run.step.title}`;
  const { unexpected } = await freeCalls(title).takeListing({ ...keyOf(run), ...callOf(run) });
  if (unexpected !== undefined) run.flow.inform(unexpected);
}

/** An answer that only the spool has is settled first, by a free activity that keeps trying. */
async function storeIfSpooled(run: StepRun, outcome: CallOutcome): Promise<CallOutcome> {
  const { intentId } = outcome;
  if (outcome.settled || intentId === undefined) return outcome;
  const summary = `store the answer of ${run.step.title} ${run.flow.label()}`;
  const store = (): Promise<CallOutcome> => freeCalls(summary).settleFromSpool({ ...callOf(run), intentId });
  // Runs from before this patch kept showing the call as in flight. What is shown matters: it may end a waiting `resume`.
  if (!patched('says-what-is-to-be-stored')) return store();
  const kept = `the answer of ${run.step.title}, kept on the disk of the worker that made the call`;
  run.flow.enter({ state: 'waiting', waitingFor: `the database to store ${kept}` });
  const stored = await store();
  // The database is back: the further handling of the answer is shown as after any call.
  run.flow.enter(callingOf(run));
  return stored;
}

async function waitWhileHeld(run: StepRun, held: Exclude<CallHeld, AccountHeld>): Promise<void> {
  const { flow, step, wakesBefore } = run;
  switch (held.because) {
    case 'open elsewhere':
      run.joinIntent = held.intentId;
      await waitForOtherFlow(run, held.intentId);
      return;
    case 'unknown elsewhere':
      // After any decision but `abandon` the ledger is asked again: it knows what the decision means for this call.
      run.joinIntent = held.intentId;
      await parkOnCharge(flow, step, {
        attention: 'unknown-charge',
        facts: {
          intentId: held.intentId,
          charged: '0',
          reused: true,
          settled: true,
          ...present({ madeBy: held.madeBy }),
        },
        elsewhereSinceMs: held.openedAtMs,
        wakesSeen: wakesBefore,
      });
      return;
    case 'budget':
      await parkOnBudget(flow, step, held);
      return;
  }
}

/**
 * Waits for an equal call of another flow. The ledger signals `wake` when the row of that call settles; the timer covers a lost
 * signal, and a second signal within a minute. The wait is finite: the sweeper turns a row that stays open into `unknown` after
 * five minutes. The first wake for each row is answered at once: rows are ours, and unlike signals they are limited.
 */
async function waitForOtherFlow(run: StepRun, intentId: string): Promise<void> {
  const { flow, step, wakesBefore } = run;
  const waitMs = withJitter(LOOK_AGAIN_MS, Math.random);
  flow.enter({
    state: 'waiting',
    waitingFor: `an equal call (${step.title}) of another flow, whose answer is shared`,
    nextCheckAtMs: Date.now() + waitMs,
  });
  const isFirst = run.wokenFor !== intentId;
  const takesWakes = isFirst || flow.eventLooks.mayTake();
  const woken = (): boolean => takesWakes && flow.wakes() > wakesBefore;
  if (!(await condition(woken, waitMs, { summary: 'wait for an equal call of another flow' }))) return;
  run.wokenFor = intentId;
  if (!isFirst) await flow.eventLooks.take(() => false);
}
