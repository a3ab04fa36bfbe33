/**
 * Waits for pending work: free and finite. One timer is raced with `wake`; then one poll activity is retried by the server, so
 * that polls add no history events. A `wake` restarts the poll, within the limit of `event-looks`. After a round of 24 hours the
 * flow parks as `stalled`; after 30 days it ends as `PendingTooLong`. Adopted work is `unknown` again after its round
 * (docs/decisions/0026).
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  TimeoutFailure,
  condition,
  isCancellation,
  patched,
} from '@temporalio/workflow';
import { formatDuration, withJitter, withoutPrefix, present, GIVE_UP_AFTER_MS } from '../../contract/values/index.js';
import type { AwaitFinalInput, AwaitFinalResult, CallFacts, CallOutcome, PendingPlan } from '../../protocol/index.js';
import { POLL_TELLS_WITHIN_MS } from '../flow/asks-after.js';
import { POLLING_ROUND_MS, freeCalls, pollCalls } from '../flow/calls.js';
import { attemptOf, callOf, type ChargedStep, type StepRun } from './step-run.js';
import type { Flow } from '../flow/flow.js';
import { lookAtMostEveryMs } from '../flow/event-looks.js';
import { parkUntilResumed } from './parking.js';

type PendingCall = Extract<CallOutcome, { outcome: 'PENDING' }>;

/** Bounds of the wait before the first poll, which follows the service's hint. */
const SHORTEST_FIRST_WAIT_MS = 1_000;
const LONGEST_HINT_MS = 15 * 60_000;

/** The outcome that the final answer gave the step: `DONE`, `REJECTED`, `CHARGED_LOST` or `UNKNOWN`. */
export async function waitForFinal(run: StepRun, pending: PendingCall): Promise<CallOutcome> {
  const { flow, step, wakesBefore } = run;
  if (pending.intentId === undefined)
    throw flow.fail('UnknownCharge', 'pending work without a ledger row cannot be polled');
  await waitBeforePolling(flow, pending, wakesBefore);
  let queue = pending.pollQueue;
  const input: AwaitFinalInput = {
    ...callOf(run),
    intentId: pending.intentId,
    attempt: attemptOf(run, pending),
    ...present({ requestId: pending.requestId }),
    sinceMs: pending.sinceMs,
  };
  for (;;) {
    const wakesBeforeRound = flow.wakes();
    const { wakesSeen, ...result } = await pollOneRound(flow, step, { input, queue });
    if ('unexpected' in result) flow.inform(result.unexpected);
    switch (result.kind) {
      case 'settled':
        return result.call;
      case 'unexpected charge':
        break;
      case 'credentials':
        await parkUntilResumed(
          flow,
          { ...step, title: `the poll of ${step.title}` },
          { attention: 'credentials', facts: { ...withoutReason(pending), status: result.status }, free: true },
        );
        break;
      case 'forgotten':
        // The status stays that of the call itself: the answer to a poll says nothing about what the call got.
        return {
          ...factsOf(pending),
          outcome: 'UNKNOWN',
          reason: `the service does not know request ${pending.requestId ?? ''}`,
        };
      case 'no worker':
        queue = undefined;
        break;
      case 'barred':
      case 'round over': {
        const doubted = await doubtIfUnconfirmed(run, input, { pending, barred: result.kind === 'barred' });
        if (doubted !== undefined) return doubted;
        // A round polls again after a wake, so a wake during it is no news. Runs from before this patch treated it as news.
        const answered = wakesSeen > wakesBeforeRound && patched('stalled-after-all-wakes');
        await parkStalled(flow, step, {
          pending,
          wakesSeen: answered ? wakesSeen : wakesBeforeRound,
          lastPoll: result.kind === 'round over' ? result.lastPoll : undefined,
        });
        break;
      }
    }
  }
}

/** Makes work that no poll has confirmed `unknown` again. Undefined if it stays pending: then it is only slow. */
async function doubtIfUnconfirmed(
  run: StepRun,
  { intentId }: AwaitFinalInput,
  { pending, barred }: { readonly pending: PendingCall; readonly barred: boolean },
): Promise<CallOutcome | undefined> {
  if (!barred && pending.adopted !== true) return undefined;
  if (!patched('pending-may-be-doubted')) return undefined;
  const calls = freeCalls(`doubt ${run.step.title} ${run.flow.label()}`);
  const doubt = barred ? 'unreadable' : 'unconfirmed';
  const doubted = await calls.doubtPending({ ...callOf(run), intentId, doubt });
  return doubted.outcome === 'PENDING' ? undefined : doubted;
}

/** One timer, raced with `wake`: patience where a webhook is expected, the service's hint otherwise. */
async function waitBeforePolling(flow: Flow, pending: PendingCall, wakesBefore: number): Promise<void> {
  if (pending.eventSeen || flow.wakes() > wakesBefore) return;
  const hintMs = Math.min(Math.max(pending.hintMs ?? 0, SHORTEST_FIRST_WAIT_MS), LONGEST_HINT_MS);
  const waitMs = withJitter(pending.webhookExpected ? pending.patienceMs : hintMs, Math.random);
  flow.enter({
    state: 'waiting',
    waitingFor: waitsFor(pending),
    nextCheckAtMs: Date.now() + waitMs,
  });
  await condition(() => flow.wakes() > wakesBefore, waitMs, {
    summary: pending.webhookExpected ? 'wait for the webhook' : 'wait before the first poll',
  });
}

function waitsFor({ webhookExpected, webhooksSilent }: PendingCall): string {
  if (webhookExpected) return 'the webhook of the service';
  return webhooksSilent === true
    ? 'the service to finish (the last webhooks of the account did not arrive, so it is polled; see tramita events missed)'
    : 'the service to finish';
}

/** How a round of polls ended: by a result, by its time, or because no worker took polls from their own queue. */
type RoundEnd =
  AwaitFinalResult | { readonly kind: 'no worker' } | { readonly kind: 'round over'; readonly lastPoll?: string };
/** One poll: it ended the round, or a `wake` wants another. */
type PollEnd = RoundEnd | 'again';

interface Round {
  readonly input: AwaitFinalInput;
  readonly queue: string | undefined;
}

/** `wakesSeen`: wakes counted before the last poll; a later one is news. */
async function pollOneRound(
  flow: Flow,
  step: ChargedStep,
  round: Round,
): Promise<RoundEnd & { readonly wakesSeen: number }> {
  const endsAtMs = Date.now() + POLLING_ROUND_MS;
  const until = new Date(endsAtMs).toISOString();
  flow.enter({
    state: 'waiting',
    waitingFor: `the service to finish (polling it, free); asks a person if it has not finished by ${until}`,
  });
  const tellsAtMs = Date.now() + POLL_TELLS_WITHIN_MS;
  for (;;) {
    const wakesSeen = flow.wakes();
    const ended = await pollUntilWoken(flow, step, { ...round, endsAtMs, tellsAtMs, wakesSeen });
    if (ended !== 'again') return { ...ended, wakesSeen };
  }
}

/** Runs one poll activity. A `wake` cancels it, within the limit of `event-looks`, so that it is started `again`. */
async function pollUntilWoken(
  flow: Flow,
  step: ChargedStep,
  round: Round & { readonly endsAtMs: number; readonly tellsAtMs: number; readonly wakesSeen: number },
): Promise<PollEnd> {
  const { input, queue, endsAtMs, tellsAtMs, wakesSeen } = round;
  const startedAtMs = Date.now();
  const scope = new CancellationScope();
  let ended: PollEnd | undefined;
  const summary = `poll ${step.title} ${flow.label()}`;
  // Work that was started elsewhere may end in a file.
  const file = step.file === true || step.operation === 'getRequest';
  const scheduleToCloseMs = Math.max(endsAtMs - startedAtMs, 1_000);
  const polling = scope
    .run(() => pollCalls({ summary, scheduleToCloseMs, queue, file }).awaitFinal(input))
    .catch((error: unknown) => endOfPolling(error, scope))
    .then((end) => (ended = end));
  const hasNews = (): boolean => ended !== undefined || flow.wakes() > wakesSeen;
  if (flow.unsure() === 'credentials' && patched('attention-ends-with-its-cause')) {
    const waitMs = Math.max(tellsAtMs - Date.now(), 1);
    const isReported = await condition(hasNews, waitMs, { summary: 'see whether the key is still refused' });
    if (!isReported) flow.recover();
  }
  await condition(hasNews);
  if (ended === undefined) {
    const waitMs = startedAtMs + lookAtMostEveryMs() - Date.now();
    if (waitMs > 0) await condition(() => ended !== undefined, waitMs);
    scope.cancel();
  }
  return polling;
}

/**
 * A poll that we cancelled may end as cancelled or with its own "not yet": both mean `again`. Any other failure of the activity
 * (a timeout or a defect) ends the round: the flow has paid, so it parks instead of failing.
 */
function endOfPolling(error: unknown, scope: CancellationScope): PollEnd {
  if (scope.consideredCancelled) return 'again';
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  const isUntaken = cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
  if (isUntaken) return { kind: 'no worker' };
  // The server keeps the failure of the last poll as the cause of its timeout.
  const last = cause instanceof TimeoutFailure ? cause.cause : cause;
  return {
    kind: 'round over',
    ...(last instanceof ApplicationFailure ? { lastPoll: withoutPrefix(last.message) } : {}),
  };
}

async function parkStalled(
  flow: Flow,
  step: ChargedStep,
  {
    pending,
    wakesSeen,
    lastPoll,
  }: { readonly pending: PendingCall; readonly wakesSeen: number; readonly lastPoll: string | undefined },
): Promise<void> {
  const id = pending.requestId === undefined ? 'without a request id' : `with request id ${pending.requestId}`;
  await flow.parkUntilVerdict({
    attention: 'stalled',
    waitingFor: 'a webhook, or a person to poll again',
    accepts: ['resume', 'wake'],
    wakesSeen,
    note: {
      step: step.step,
      story: `${step.title} has been pending ${id} since ${new Date(pending.sinceMs).toISOString()}, and was polled for up to ${formatDuration(POLLING_ROUND_MS)} without a final answer${lastPoll === undefined ? '' : ` (last poll: ${lastPoll})`}. It is paid, and polling is free.`,
      choices: ['`resume`: poll for one more round, free'],
    },
    givesUp: {
      type: 'PendingTooLong',
      operation: step.operation,
      facts: pending,
      message: `${step.title} was pending ${id} for more than ${formatDuration(GIVE_UP_AFTER_MS)}. It is paid: ${pending.requestId === undefined ? 'ask the service what became of it' : 'start awaitRequest with its request id to poll again, free'}`,
    },
  });
}

/** The facts of the call without its reason (such as why its answer was lost), which does not explain a refused poll. */
function withoutReason({ reason: _reason, errorCode: _code, ...facts }: PendingCall): CallFacts {
  return facts;
}

function factsOf(pending: PendingCall): Omit<PendingCall, 'outcome' | 'adopted' | keyof PendingPlan> {
  const {
    outcome: _outcome,
    adopted: _adopted,
    hintMs: _hint,
    webhookExpected: _expected,
    webhooksSilent: _silent,
    patienceMs: _patience,
    eventSeen: _seen,
    sinceMs: _since,
    pollQueue: _queue,
    ...facts
  } = pending;
  return facts;
}
