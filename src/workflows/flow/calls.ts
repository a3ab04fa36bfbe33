/**
 * All activity proxies with their timeout policies. Charged calls: one attempt, a queue of their own, never eager, cancelled
 * only after they have settled. Free calls: retried by the server without limit, each attempt bounded in time. Long activities
 * heartbeat, so that the work of a dead worker begins again within a minute.
 */
import { proxyActivities, proxyLocalActivities, type ActivityOptions } from '@temporalio/workflow';
import {
  EVIDENCE_DEADLINE_MS,
  FILE_DEADLINE_MS,
  JSON_DEADLINE_MS,
  POLLING_ROUND_MS,
} from '../../contract/values/index.js';
import type { ChargedActivity, FreeActivities } from '../../protocol/index.js';

/** Flows import it from here, so that a test's bundle can have shorter rounds. */
export { POLLING_ROUND_MS };

/** A worker without a heartbeat for this long counts as dead. */
const FILE_HEARTBEAT_MS = 45_000;
const FREE_HEARTBEAT_MS = 30_000;
/** Longest retry interval of the server after attempts that died or failed without naming a delay of their own. */
const MAXIMUM_INTERVAL_MS = 20_000;
/** Bounds one wait for a worker. A call that none takes is scheduled again without limit, a poll on the flow's own queue. */
const SCHEDULE_TO_START_MS = 3_600_000;

interface ChargedCallOptions {
  readonly operation: string;
  /** Queue of the charged calls of the account, or of what replaces the account in its name. */
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

/** `initialMs`: first retry interval; it doubles up to `maximumMs`. */
function calls(
  { initialMs, ...options }: ActivityOptions & { readonly initialMs: number },
  maximumMs = MAXIMUM_INTERVAL_MS,
): FreeActivities {
  return proxyActivities<FreeActivities>({
    retry: { initialInterval: initialMs, backoffCoefficient: 2, maximumInterval: maximumMs },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    ...options,
  });
}

export function freeCalls(summary: string): FreeActivities {
  return calls({ startToCloseTimeout: 60_000, initialMs: 1_000, summary }, 60_000);
}

/** Looks for what is known of a charge. With a shorter limit, a slow service would keep the flow from ever asking a person. */
export function evidenceCalls(summary: string): Calls<'resolveUnknown'> {
  return calls({ startToCloseTimeout: EVIDENCE_DEADLINE_MS, initialMs: 1_000, summary }, 60_000);
}

interface PollOptions {
  readonly summary: string;
  readonly scheduleToCloseMs: number;
  /** Queue of polls with its own rate limit; absent: the flow's queue. */
  readonly queue?: string | undefined;
  /** The final answer may be a file, so the poll gets the deadline of a file call. */
  readonly file: boolean;
}

/** The poll: "not yet" is a retryable failure that carries its own delay, so polls add no history events. */
export function pollCalls({ summary, scheduleToCloseMs, queue, file }: PollOptions): Calls<'awaitFinal'> {
  return calls({
    ...(queue === undefined ? {} : { taskQueue: queue, scheduleToStartTimeout: SCHEDULE_TO_START_MS }),
    startToCloseTimeout: file ? FILE_DEADLINE_MS : JSON_DEADLINE_MS,
    heartbeatTimeout: FREE_HEARTBEAT_MS,
    scheduleToCloseTimeout: scheduleToCloseMs,
    initialMs: 5_000,
    summary,
  });
}

/** Waits until held calls are released; its retries add no history events either. */
export function releaseCalls(summary: string, scheduleToCloseMs: number): Calls<'awaitRelease'> {
  return calls({
    startToCloseTimeout: 30_000,
    scheduleToCloseTimeout: scheduleToCloseMs,
    initialMs: 5_000,
    summary,
  });
}

/** Downloads the files of one list page; a retry resumes after the last stored file, even after a long database outage. */
export function downloadCalls(summary: string): Calls<'downloadDocuments'> {
  return calls({
    startToCloseTimeout: 3 * 3_600_000,
    scheduleToCloseTimeout: POLLING_ROUND_MS,
    heartbeatTimeout: FREE_HEARTBEAT_MS,
    initialMs: 2_000,
    summary,
  });
}

/** Waits until a file is in the file store; its retries add no history events, however long the store is away. */
export function keepCalls(summary: string): Calls<'keepFile'> {
  return calls({
    startToCloseTimeout: 1_800_000,
    scheduleToCloseTimeout: POLLING_ROUND_MS,
    heartbeatTimeout: FREE_HEARTBEAT_MS,
    initialMs: 2_000,
    summary,
  });
}

/** Reads a chunk of free pages; it heartbeats its cursor and resumes there after a crash. */
export function chunkCalls(summary: string): Calls<'readLawyerPages'> {
  return calls({ startToCloseTimeout: 300_000, heartbeatTimeout: FREE_HEARTBEAT_MS, initialMs: 1_000, summary });
}

/** Runs one shift of a portfolio's dispatcher; it heartbeats, and a killed one is restarted within half a minute. */
export function dispatchCalls(summary: string): Calls<'dispatchPortfolio'> {
  return calls({ startToCloseTimeout: 600_000, heartbeatTimeout: FREE_HEARTBEAT_MS, initialMs: 1_000, summary });
}

/** Local activities: answered at once, mostly from the worker's memory, for one marker and no activity task. */
export function localCalls(): Calls<'describeAccount' | 'describeCall' | 'describeLawyer' | 'isSettledVersion'> {
  return proxyLocalActivities<ReturnType<typeof localCalls>>({ startToCloseTimeout: 10_000 });
}
