/**
 * Proxied activities with their timeout policies, once. Charged calls: one attempt, own queue, never eager, cancelled only
 * after they have settled. Free calls: retried by the server without limit of attempts, bounded in time. What waits for long
 * gives signs of life, so that a dead worker is noticed and its work begins again within a minute.
 */
import { proxyActivities, proxyLocalActivities, type ActivityOptions } from '@temporalio/workflow';
import { FILE_DEADLINE_MS, JSON_DEADLINE_MS, POLLING_ROUND_MS } from '../../contract/values/index.js';
import type { ChargedActivity, FreeActivities } from '../../protocol/index.js';

/** From here for the flows, so that a test's bundle can have shorter rounds. */
export { POLLING_ROUND_MS };

/** A worker that gives no sign of life for so long is dead. */
const FILE_HEARTBEAT_MS = 45_000;
const FREE_HEARTBEAT_MS = 30_000;
/** Longest pause of the server after an attempt that named no delay of its own, i.e. died or broke, however many there were. */
const AGAIN_WITHIN_MS = 20_000;
/** "No worker" is not a failure: the call is scheduled again without limit, a poll on the flow's own queue; this bounds one wait. */
const SCHEDULE_TO_START_MS = 3_600_000;

interface ChargedCallOptions {
  readonly operation: string;
  /** Queue of the charged calls of the account, or of what stands in its place. */
  readonly taskQueue: string;
  /** One line for the Temporal UI; method, resource, ordinal. */
  readonly summary: string;
  /** The answer is a file. */
  readonly file: boolean;
}

export function chargedCall(options: ChargedCallOptions): ChargedActivity {
  const activities = proxyActivities<Record<string, ChargedActivity>>({
    taskQueue: options.taskQueue,
    scheduleToStartTimeout: SCHEDULE_TO_START_MS,
    ...(options.file
      ? { startToCloseTimeout: FILE_DEADLINE_MS, heartbeatTimeout: FILE_HEARTBEAT_MS }
      : { startToCloseTimeout: JSON_DEADLINE_MS }),
    retry: { maximumAttempts: 1 },
    allowEagerDispatch: false,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary: options.summary,
  });
  return activities[options.operation] as ChargedActivity;
}

type Calls<Name extends keyof FreeActivities> = Pick<FreeActivities, Name>;

/** `firstAgainMs`: pause after the first attempt that failed; it doubles. */
function calls(
  { firstAgainMs, ...options }: ActivityOptions & { readonly firstAgainMs: number },
  againWithinMs = AGAIN_WITHIN_MS,
): FreeActivities {
  return proxyActivities<FreeActivities>({
    retry: { initialInterval: firstAgainMs, backoffCoefficient: 2, maximumInterval: againWithinMs },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    ...options,
  });
}

export function freeCalls(summary: string): FreeActivities {
  return calls({ startToCloseTimeout: 60_000, firstAgainMs: 1_000, summary }, 60_000);
}

interface PollOptions {
  readonly summary: string;
  readonly scheduleToCloseMs: number;
  /** Queue of polls with a rate of its own; absent: the flow's queue. */
  readonly queue?: string | undefined;
  /** The final may be a file, which takes as long to come as one that a call answers with. */
  readonly file: boolean;
}

/** The poll: "not yet" is a retryable failure that carries its own delay, so polls add no events. */
export function pollCalls({ summary, scheduleToCloseMs, queue, file }: PollOptions): Calls<'awaitFinal'> {
  return calls({
    ...(queue === undefined ? {} : { taskQueue: queue, scheduleToStartTimeout: SCHEDULE_TO_START_MS }),
    startToCloseTimeout: file ? FILE_DEADLINE_MS : JSON_DEADLINE_MS,
    heartbeatTimeout: FREE_HEARTBEAT_MS,
    scheduleToCloseTimeout: scheduleToCloseMs,
    firstAgainMs: 5_000,
    summary,
  });
}

/** Waiting for a service that is out: looks add no events either, however long it takes. */
export function releaseCalls(summary: string, scheduleToCloseMs: number): Calls<'awaitRelease'> {
  return calls({
    startToCloseTimeout: 30_000,
    scheduleToCloseTimeout: scheduleToCloseMs,
    firstAgainMs: 5_000,
    summary,
  });
}

/** Files of one list page: resumes after the last one stored, also when the database was away for long. */
export function downloadCalls(summary: string): Calls<'downloadDocuments'> {
  return calls({
    startToCloseTimeout: 3 * 3_600_000,
    scheduleToCloseTimeout: POLLING_ROUND_MS,
    heartbeatTimeout: FREE_HEARTBEAT_MS,
    firstAgainMs: 2_000,
    summary,
  });
}

/** A file on its way to the file store: looks add no events, however long the store is away. */
export function keepCalls(summary: string): Calls<'keepFile'> {
  return calls({
    startToCloseTimeout: 1_800_000,
    scheduleToCloseTimeout: POLLING_ROUND_MS,
    heartbeatTimeout: FREE_HEARTBEAT_MS,
    firstAgainMs: 2_000,
    summary,
  });
}

/** A chunk of free pages: heartbeats with its cursor and goes on there after a crash. */
export function chunkCalls(summary: string): Calls<'readLawyerPages'> {
  return calls({ startToCloseTimeout: 300_000, heartbeatTimeout: FREE_HEARTBEAT_MS, firstAgainMs: 1_000, summary });
}

/** Shifts of a portfolio's dispatcher: it heartbeats, and a killed one is started again within half a minute. */
export function dispatchCalls(summary: string): Calls<'dispatchPortfolio'> {
  return calls({ startToCloseTimeout: 600_000, heartbeatTimeout: FREE_HEARTBEAT_MS, firstAgainMs: 1_000, summary });
}

/** Answered within a moment, most from the worker's memory: it costs one marker and no task. */
export function localCalls(): Calls<'describeAccount' | 'describeCall' | 'describeLawyer' | 'isSettledVersion'> {
  return proxyLocalActivities<ReturnType<typeof localCalls>>({ startToCloseTimeout: 10_000 });
}
