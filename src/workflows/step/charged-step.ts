/**
 * One charged step of a flow, from intent to answer: sends, waits, parks and sends again until there is a usable answer or a
 * reason to end. All money rules live here and in the ledger:
 *
 * - A new send always has a new ordinal, and only `NOT_SENT`, `REJECTED` or a person's `not-charged` lead to one.
 * - `UNKNOWN` and `CHARGED_LOST` are never repeated by themselves.
 * - A flow that has paid never fails on what can be cured: it parks.
 */
import { present } from '../../contract/values/index.js';
import type { ApplicationFailure } from '@temporalio/common';
import { patched } from '@temporalio/workflow';
import type { CallOutcome, CallOutcomeName, FailureType, Reading, ReadingFor } from '../../protocol/index.js';
import { waitForFinal } from './await-final.js';
import { evidenceCalls } from '../flow/calls.js';
import {
  cureOf,
  decideRejection,
  failureOfRefusal,
  MAX_TRIES,
  notSentWaitMs,
  reasonSuffix,
  afterLostAnswer,
} from './decide-rejection.js';
import type { Flow } from '../flow/flow.js';
import { reportsCharge } from '../flow/flow-record.js';
import { parkOnCharge, parkUntilResumed } from './parking.js';
import { sendStep } from './send-step.js';
import {
  attemptOf,
  callOf,
  conclude,
  keyOf,
  newStepRun,
  waitBeforeSend,
  type ChargedStep,
  type StepRun,
} from './step-run.js';

type Outcome<Name extends CallOutcomeName> = Extract<CallOutcome, { outcome: Name }>;
export type DoneCall<R extends Reading = Reading> = Outcome<'DONE'> & { readonly reading: R };
type Undecided = Outcome<'UNKNOWN' | 'CHARGED_LOST'>;

/** Runs `step` to its answer. Throws the flow's failure, or `CancelledFailure` once a running call has settled. */
export async function runChargedStep<const Step extends ChargedStep>(
  flow: Flow,
  step: Step,
): Promise<DoneCall<ReadingFor<Step>>> {
  const run = newStepRun(flow, step);
  let outcome = await sendStep(run);
  for (;;) {
    switch (outcome.outcome) {
      case 'DONE':
        // The worker reads the answer by this step's operation and view.
        return outcome as DoneCall<ReadingFor<Step>>;
      case 'PENDING':
        outcome = conclude(run, await waitForFinal(run, outcome));
        if (outcome.outcome !== 'REJECTED') break;
        failUnlessNotReady(run, outcome);
        outcome = await readLater(run, outcome);
        break;
      case 'REJECTED':
        outcome = await afterRejection(run, outcome);
        break;
      case 'NOT_SENT':
        outcome = await afterNotSent(run, outcome);
        break;
      case 'CHARGED_LOST':
      case 'UNKNOWN':
        outcome = await afterUndecided(run, outcome);
        break;
    }
  }
}

/**
 * Work that was accepted (202) and refused in the end fails the flow, even for a cause that can be cured: the work was paid, so
 * it is never sent again. A read that shows that its summary is not ready waits for a person instead, as it does without a 202.
 */
function failUnlessNotReady(run: StepRun, rejected: Outcome<'REJECTED'>): void {
  const type = failureOfRefusal(rejected);
  if (saysNotReady(run, rejected, type) && patched('pending-read-may-be-not-ready')) return;
  throw refused(run, rejected, type);
}

async function afterRejection(run: StepRun, rejected: Outcome<'REJECTED'>): Promise<CallOutcome> {
  const { flow, step } = run;
  if (isDoneAlready(run, rejected)) return conclude(run, { ...rejected, outcome: 'DONE', reading: GONE });
  run.refusals += 1;
  const next = decideRejection(rejected, { tries: run.refusals, paid: flow.paid() });
  switch (next.then) {
    case 'send again':
      await waitBeforeSend(run, refusedTry(run, rejected), next.afterMs);
      return sendStep(run);
    case 'park':
      await parkUntilResumed(flow, step, {
        attention: next.attention,
        facts: rejected,
        ...(next.attention === 'stalled' ? { tries: run.refusals } : {}),
      });
      run.refusals = 0;
      return sendStep(run);
    case 'fail':
      if (saysNotReady(run, rejected, next.type)) return readLater(run, rejected);
      throw refused(run, rejected, isGone(run, rejected) ? 'NotFound' : next.type);
  }
}

/** `run.refusals` counts this one. */
function refusedTry({ flow, refusals }: StepRun, rejected: Outcome<'REJECTED'>): string {
  const said = rejected.status === 429 ? 'asked to wait' : 'failed';
  const tries = triesOf(flow, refusals, failureOfRefusal(rejected));
  return `the service, which ${said} (HTTP ${rejected.status ?? '?'}; ${tries})`;
}

/** What happens without a person. */
function triesOf(flow: Flow, tries: number, endsAs: FailureType): string {
  return `try ${tries} of ${MAX_TRIES}, and after the last the flow ${flow.paid() ? 'asks a person' : `ends as ${endsAs}`}`;
}

async function readLater(run: StepRun, rejected: Outcome<'REJECTED'>): Promise<CallOutcome> {
  await parkUntilResumed(run.flow, run.step, {
    attention: 'stalled',
    facts: rejected,
    byPersonOnly: true,
    first: 'What it asked for may not be there yet.',
  });
  run.refusals = 0;
  return sendStep(run);
}

/** The reading of a DELETE that found nothing: no monitor, and an empty body (by its SHA-256). */
const GONE = {
  monitors: [],
  bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};

/** A DELETE that is repeated, because it was unknown how the one before ended, and finds nothing: the one before succeeded. */
function isDoneAlready({ step, mayBeDone }: StepRun, rejected: Outcome<'REJECTED'>): boolean {
  const foundNothing = rejected.status === 404 || rejected.status === 410;
  const repeated = mayBeDone && step.title.startsWith('DELETE') && foundNothing && !reportsCharge(rejected);
  return repeated && patched('repeated-delete-is-done');
}

/** For a DELETE, 410 means the same as 404. */
function isGone({ step }: StepRun, { status }: Outcome<'REJECTED'>): boolean {
  return status === 410 && step.title.startsWith('DELETE');
}

function saysNotReady({ flow, step }: StepRun, rejected: Outcome<'REJECTED'>, type: FailureType): boolean {
  const isRefusal = type === 'NotFound' || type === 'Rejected';
  return step.refusalMeansNotReady === true && flow.paid() && !reportsCharge(rejected) && isRefusal;
}

function refused({ flow, step }: StepRun, facts: Outcome<'REJECTED'>, type: FailureType): ApplicationFailure {
  const message = `${step.title} was refused with HTTP ${facts.status ?? '?'}${reasonSuffix(facts)}. ${cureOf(type, { about: flow.label(), operation: step.operation })}`;
  return flow.fail(type, message, { operation: step.operation, facts });
}

async function afterNotSent(run: StepRun, unsent: Outcome<'NOT_SENT'>): Promise<CallOutcome> {
  const { flow, step } = run;
  run.unsent += 1;
  // It was unknown how this call ended, so it may have done its work.
  if (unsent.decided === true) run.mayBeDone = true;
  // Another flow's equal call was decided as not charged. Any flow may have sent it again since: that call is joined, or its
  // answer taken.
  if (unsent.reused) run.joinIntent = unsent.intentId;
  if (run.unsent < MAX_TRIES) {
    const tries = triesOf(flow, run.unsent, 'Unreachable');
    const what = unsent.decided === true ? 'is sent again' : 'could not be sent';
    await waitBeforeSend(run, `${step.title} ${what}${reasonSuffix(unsent)}; ${tries}`, notSentWaitMs(run.unsent));
    return sendStep(run);
  }
  if (!flow.paid()) {
    throw flow.fail(
      'Unreachable',
      `${step.title} could not be sent in ${MAX_TRIES} tries${reasonSuffix(unsent)}; nothing was charged. Check TRAMITA_API_URL, the network and the database, then start again`,
      { operation: step.operation, facts: unsent },
    );
  }
  // The end of each call that was sent wakes this flow, which would send it again without end.
  const byPersonOnly = unsent.decided === true && patched('repeated-call-waits-for-a-person');
  await parkUntilResumed(flow, step, { attention: 'stalled', facts: unsent, byPersonOnly, tries: run.unsent });
  run.unsent = 0;
  return sendStep(run);
}

/** Free knowledge first (our ledger, evidence); then waits for a person, another flow's decision, or a late answer. */
async function afterUndecided(run: StepRun, undecided: Undecided): Promise<CallOutcome> {
  if (undecided.decided === true) throw decidedElsewhere(run, undecided);
  run.mayBeDone = true;
  let outcome = undecided;
  for (;;) {
    const wakesSeen = run.flow.wakes();
    const resolved = await resolve(run, outcome);
    if (resolved.outcome !== outcome.outcome) return resolved;
    outcome = { ...outcome, ...resolved };
    const attention = attentionOf(outcome);
    const verdict = await parkOnCharge(run.flow, run.step, { attention, facts: outcome, wakesSeen });
    switch (verdict.then) {
      case 'send again':
        conclude(run, {
          ...outcome,
          outcome: 'NOT_SENT',
          // Like the ledger, the book keeps what the service has reported.
          charged: reportsCharge(outcome) ? outcome.charged : '0',
          reason: 'a person decided that it was not charged',
        });
        return sendStep(run);
      case 'pending':
        return conclude(run, pendingAgain(outcome, verdict.requestId));
      case 'look again':
        break;
    }
  }
}

function attentionOf({ outcome, ledgerLost }: Undecided): 'unknown-charge' | 'ledger-lost' | 'charged-lost' {
  if (outcome === 'CHARGED_LOST') return 'charged-lost';
  return ledgerLost === true ? 'ledger-lost' : 'unknown-charge';
}

/** Asks what the ledger knows by now. Fails the flow if the charge was given up, here before a reset or in another flow. */
async function resolve(run: StepRun, undecided: Undecided): Promise<CallOutcome> {
  const { flow, step } = run;
  const { intentId } = undecided;
  const { lostActivity } = run;
  const resolved = await evidenceCalls(`look up ${step.title} ${flow.label()} #${run.ordinal}`).resolveUnknown({
    ...keyOf(run),
    ...callOf(run),
    attempt: attemptOf(run, undecided),
    ...present({ intentId, lostActivity }),
  });
  run.lostActivity = undefined;
  conclude(run, resolved);
  if (resolved.unexpected !== undefined) flow.inform(resolved.unexpected);
  // The first has raised the attention: these add no command.
  for (const read of resolved.moreUnexpected ?? []) flow.inform(read);
  if ((resolved.outcome === 'UNKNOWN' || resolved.outcome === 'CHARGED_LOST') && resolved.decided === true) {
    throw decidedElsewhere(run, resolved);
  }
  return resolved;
}

/** A person decided that it was charged: its answer is polled at once, free. */
function pendingAgain(outcome: Undecided, requestId: string | undefined): CallOutcome {
  return {
    ...outcome,
    outcome: 'PENDING',
    adopted: true,
    ...present({ requestId }),
    hintMs: 0,
    webhookExpected: false,
    patienceMs: 0,
    eventSeen: false,
    sinceMs: Date.now(),
  };
}

/** The failure after a person gave this charge up, here before a reset or in the flow that made the call. */
function decidedElsewhere({ flow, step }: StepRun, facts: Undecided): ApplicationFailure {
  const call = { operation: step.operation, facts };
  const what = facts.madeBy === undefined ? step.title : `${step.title}, a call of "${facts.madeBy}",`;
  return facts.outcome === 'UNKNOWN'
    ? flow.fail(
        'UnknownCharge',
        `${what} was abandoned by a person; it may have been charged, so it keeps counting against the caps`,
        call,
      )
    : flow.fail(
        'ChargedLost',
        `${what} was charged and its answer is lost, as a person decided. ${afterLostAnswer(step.operation, flow.settings)}`,
        call,
      );
}
