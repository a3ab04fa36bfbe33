/**
 * Makes the names of flows and the dependencies of the starters from the configuration. It is not in the starters' room, because
 * that reads no configuration. It is the only place, so that nobody forgets `masksCnj` and puts case numbers of a masked account
 * into ids.
 */
import type { Client } from '@temporalio/client';
import { ENV, bothWays } from './env-names.js';
import { createTokens, type Tokens } from './id-tokens.js';
import type { Config } from './types.js';

/** Complete `StarterDeps`, as {@link createStarterDeps} makes them. */
export interface ConfiguredStarterDeps extends Tokens {
  /** Client of the namespace in which the workers run. */
  readonly client: Client;
  /** Task queue of the configuration. */
  readonly taskQueue: string;
  /** Whether this account masks its case numbers. */
  readonly masksCnj: (account: string) => boolean;
}

/** @throws when the configuration has no id key. */
export function createNaming({
  accounts,
  idKey,
}: Pick<Config, 'accounts' | 'idKey'>): Pick<ConfiguredStarterDeps, 'token' | 'masksCnj'> {
  if (idKey === undefined) {
    throw new Error(`tramita: ${bothWays(ENV.ID_KEY)} is not set; expected the key that the workers have`);
  }
  return { ...createTokens(idKey), masksCnj: (account) => accounts[account]?.maskCnj === true };
}

/**
 * Makes the first argument of every starter from your configuration and your client: task queue, tokens of the id key, and which
 * accounts mask case numbers. Give the backend the same id key and accounts as the worker, or the two make different ids.
 *
 * @throws when the configuration has no id key.
 */
export function createStarterDeps(
  config: Pick<Config, 'accounts' | 'idKey' | 'taskQueue'>,
  client: Client,
): ConfiguredStarterDeps {
  return { client, taskQueue: config.taskQueue, ...createNaming(config) };
}
