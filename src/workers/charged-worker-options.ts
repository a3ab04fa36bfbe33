/** The worker of one account's charged calls: its own queue, with slots and rate from the account's limits. Pure. */
import type { WorkerOptions } from '@temporalio/worker';
import type { AccountConfig, Config } from '../config/index.js';
import { chargedTaskQueue } from '../protocol/index.js';
import { SHUTDOWN_GRACE_MS } from './create-worker.js';

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
