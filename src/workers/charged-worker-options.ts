/** The worker of one account's charged calls: its own queue, with slots and rate from the account's limits. Pure. */
import type { WorkerOptions } from '@temporalio/worker';
import type { AccountConfig, Config } from '../config/index.js';
import { chargedTaskQueue } from '../protocol/index.js';

/** Above the longest start-to-close of a charged call (60 s): a deploy aborts no call. Container stop time: above this. */
export const SHUTDOWN_GRACE_MS = 75_000;

export type ChargedWorkerOptions = Required<
  Pick<
    WorkerOptions,
    'taskQueue' | 'maxConcurrentActivityTaskExecutions' | 'maxTaskQueueActivitiesPerSecond' | 'shutdownGraceTime'
  >
>;

/** Throws when the configuration has no such account. */
export function chargedWorkerOptions(config: Config, account: string): ChargedWorkerOptions {
  const limits: AccountConfig | undefined = config.accounts[account];
  if (limits === undefined) throw new Error(`tramita: there is no account "${account}" in the configuration`);
  return {
    taskQueue: chargedTaskQueue(config.taskQueue, account),
    maxConcurrentActivityTaskExecutions: limits.concurrency,
    maxTaskQueueActivitiesPerSecond: limits.requestsPerMinute / 60,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
  };
}
