/**
 * The workers whose queues have a rate: charged calls, one per account, with slots and rate from the account's limits, and one
 * per host for the legacy search, whose limit accounts share; polls, one per account. Pure.
 */
import { CHARGED_GRACE_MS, SHUTDOWN_GRACE_MS } from '../contract/values/index.js';
import type { WorkerOptions } from '@temporalio/worker';
import type { AccountConfig, Config } from '../config/index.js';
import { chargedTaskQueue, legacyQueueOf, pollsTaskQueue } from '../protocol/index.js';

/** Options of a worker for charged calls: its queue, its slots, its rate, its time to end. Spread them into the SDK's. */
export type ChargedWorkerOptions = Required<
  Pick<
    WorkerOptions,
    'taskQueue' | 'maxConcurrentActivityTaskExecutions' | 'maxTaskQueueActivitiesPerSecond' | 'shutdownGraceTime'
  >
>;

/** Parts that the server splits a queue into; each may hand out a call of its own at once. */
const QUEUE_PARTS = 4;

/**
 * The server's limiter gives a burst of a second's calls after a quiet time, then the rate: so that no minute has more than
 * was allowed, the burst is taken off. It is kept on the server, for all workers of the queue together.
 */
export function callsPerSecond(requestsPerMinute: number): number {
  return Math.max(requestsPerMinute - burstOf(requestsPerMinute), requestsPerMinute / 2) / 60;
}

export function burstOf(requestsPerMinute: number): number {
  return Math.ceil(requestsPerMinute / 60) + QUEUE_PARTS;
}

/**
 * Options of the worker that makes an account's charged calls, from the account's limits: for a worker of your own.
 *
 * @throws when the configuration has no such account.
 */
export function chargedWorkerOptions(config: Config, account: string): ChargedWorkerOptions {
  const limits = limitsOf(config, account);
  return {
    taskQueue: chargedTaskQueue(config.taskQueue, account),
    maxConcurrentActivityTaskExecutions: limits.concurrency,
    maxTaskQueueActivitiesPerSecond: callsPerSecond(limits.requestsPerMinute),
    shutdownGraceTime: CHARGED_GRACE_MS,
  };
}

/** The part of an account's polls that its calls may make themselves, for work that ends within seconds (docs/decisions/0068). */
export function looksPerMinute(pollsPerMinute: number): number {
  return Math.floor(pollsPerMinute / 3);
}

/** A poll takes a moment; where the service hangs, each holds its slot for half a minute. */
const POLLS_AT_ONCE = 40;

/**
 * Options of the worker that polls an account's pending work, at most two thirds of `pollsPerMinute`, all workers together (calls
 * may make the others themselves): for a worker of your own, in the same process as the one for its charged calls. Where a
 * process has none, its flows poll on their own queue, without that rate.
 *
 * @throws when the configuration has no such account.
 */
export function pollsWorkerOptions(config: Config, account: string): ChargedWorkerOptions {
  const { pollsPerMinute } = limitsOf(config, account);
  return {
    taskQueue: pollsTaskQueue(config.taskQueue, account),
    maxConcurrentActivityTaskExecutions: POLLS_AT_ONCE,
    maxTaskQueueActivitiesPerSecond: callsPerSecond(pollsPerMinute - looksPerMinute(pollsPerMinute)),
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
  };
}

function limitsOf(config: Config, account: string): AccountConfig {
  const limits: AccountConfig | undefined = config.accounts[account];
  if (limits === undefined) {
    const configured = Object.keys(config.accounts).join(', ');
    throw new Error(`tramita: there is no account "${account}" in the configuration; configured: ${configured}`);
  }
  return limits;
}

/** Interface "Limits": 30 requests a minute, per address and key. */
const LEGACY_PER_SECOND = 30 / 60;

/** Options of the workers of the legacy search, one entry per host of the accounts: its limit is shared by whichever account pays. */
export function legacyWorkerOptions(config: Config): readonly ChargedWorkerOptions[] {
  const queues = Object.values(config.accounts).map(({ apiUrl }) => legacyQueueOf(apiUrl ?? ''));
  return [...new Set(queues)].map((queue) => ({
    taskQueue: chargedTaskQueue(config.taskQueue, queue),
    maxConcurrentActivityTaskExecutions: 2,
    maxTaskQueueActivitiesPerSecond: LEGACY_PER_SECOND,
    shutdownGraceTime: CHARGED_GRACE_MS,
  }));
}
