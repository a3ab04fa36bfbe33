/**
 * What it means that a charged activity ended without an outcome, as a table: the first row that matches counts. Pure. An
 * unrecognised failure is unknown: the call may have been sent and paid, so the ledger is asked.
 */
import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';

type LostActivity =
  /** No worker took it: nothing ran, schedule it again, count nothing. */
  | { readonly kind: 'not started' }
  /** It never reached our code: nothing was sent. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** It may have been sent and paid. The ledger and the spool know more than this failure. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Why the activity failed, in the words of the SDK and the server; members that do not apply are left out. */
interface Cause {
  readonly timeout?: TimeoutFailure['timeoutType'];
  /** Type of an application failure: the name of the error that was thrown. */
  readonly type?: string;
  readonly message: string;
  readonly cancelled?: true;
}

interface Row {
  readonly when: (cause: Cause) => boolean;
  readonly means: LostActivity;
}

const notSent = (reason: string): LostActivity => ({ kind: 'not_sent', reason });
const unknown = (reason: string): LostActivity => ({ kind: 'unknown', reason });

const TABLE: readonly Row[] = [
  // The server never handed it to a worker.
  { when: ({ timeout }) => timeout === 'SCHEDULE_TO_START', means: { kind: 'not started' } },
  // Everything between "taken and lost" and "answered, and the answer was lost" looks like this.
  {
    when: ({ timeout }) => timeout === 'START_TO_CLOSE',
    means: unknown('the worker did not answer in time (START_TO_CLOSE)'),
  },
  {
    when: ({ timeout }) => timeout === 'HEARTBEAT',
    means: unknown('the worker stopped sending heartbeats (HEARTBEAT)'),
  },
  { when: ({ timeout }) => timeout !== undefined, means: unknown('the time for the call ran out') },
  // The SDK refuses these before the activity's body runs.
  {
    when: ({ type, message }) => type === 'NotFoundError' && /^Activity function .* is not registered/.test(message),
    means: notSent('the worker does not know this activity: deploy the current version'),
  },
  {
    when: ({ message }) => message.startsWith('Failed to parse activity args'),
    means: notSent('the worker could not read the call: check its data converter and keys'),
  },
  // The body ran, and was stopped or taken away in the middle.
  { when: ({ type }) => type === 'WorkerShutdown', means: unknown('the worker was shut down during the call') },
  { when: ({ type }) => type === 'ActivityPause', means: unknown('the activity was paused during the call') },
  { when: ({ type }) => type === 'ActivityReset', means: unknown('the activity was reset during the call') },
  { when: ({ cancelled }) => cancelled === true, means: unknown('the call was cancelled before it had settled') },
  // The body ended, and what it returned could not be handed over: the ledger has it.
  {
    when: ({ type }) => type === 'PayloadsTooLarge',
    means: unknown('the result was too large to return; the ledger has it'),
  },
  {
    when: ({ type }) => type === 'PayloadConverterError' || type === 'ValueError' || type === 'DataConverterError',
    means: unknown('the result could not be converted; the ledger has it'),
  },
];

export function decideActivityFailure(error: unknown): LostActivity {
  const cause = causeOf(error);
  if (cause === undefined) return unknown('the call ended without an outcome');
  const row = TABLE.find(({ when }) => when(cause));
  return row?.means ?? unknown(`the worker gave up the call (${cause.type ?? 'no type'})`);
}

function causeOf(error: unknown): Cause | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof TimeoutFailure) return { timeout: cause.timeoutType, message: cause.message };
  if (cause instanceof CancelledFailure) return { cancelled: true, message: cause.message };
  if (!(cause instanceof ApplicationFailure)) return undefined;
  return { ...(typeof cause.type === 'string' ? { type: cause.type } : {}), message: cause.message };
}
