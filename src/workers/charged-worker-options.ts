/**
 * Options of the workers whose queues have a rate: one per account for charged calls, with slots and rate from its limits; one
 * per host for the legacy search, whose limit the accounts share; one per account for polls. Pure.
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

/** Partitions that the server splits a queue into; each may dispatch a call of its own at once. */
const QUEUE_PARTS = 4;

/**
 * The rate of a queue, which the server keeps for all its workers together. After a quiet time the server allows a burst of one
 * second's calls. The burst is subtracted, so that no minute has more calls than allowed.
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

/** The share of `pollsPerMinute` that charged calls may use themselves, for work that ends within seconds (docs/decisions/0068). */
export function looksPerMinute(pollsPerMinute: number): number {
  return Math.floor(pollsPerMinute / 3);
}

/** A poll takes a moment, but it holds its slot for half a minute if the service hangs. */
const POLLS_AT_ONCE = 40;

/**
 * Options of the worker that polls an account's pending work: for a worker of your own, in the same process as the one for its
 * charged calls. All workers together poll at most two thirds of `pollsPerMinute`; charged calls may use the rest themselves.
 * If a process has no such worker, its flows poll on their own queue, without that rate.
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

/** Options of the workers of the legacy search, one entry per host of the accounts, because all accounts share its limit. */
export function legacyWorkerOptions(config: Config): readonly ChargedWorkerOptions[] {
  const queues = Object.values(config.accounts).map(({ apiUrl }) => legacyQueueOf(apiUrl ?? ''));
  return [...new Set(queues)].map((queue) => ({
    taskQueue: chargedTaskQueue(config.taskQueue, queue),
    maxConcurrentActivityTaskExecutions: 2,
    maxTaskQueueActivitiesPerSecond: LEGACY_PER_SECOND,
    shutdownGraceTime: CHARGED_GRACE_MS,
  }));
}
