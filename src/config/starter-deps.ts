/**
 * What the starters take, as the configuration has it. Here and not beside the starters, because they read no configuration;
 * the one place, so that nobody leaves out `masksCnj` and puts the case numbers of a masked account into workflow ids.
 */
import type { Client } from '@temporalio/client';
import { ENV, bothWays } from './env-names.js';
import { createTokens, type Tokens } from './id-tokens.js';
import type { Config } from './types.js';

/** `StarterDeps` of the starters with nothing left to default, as {@link createStarterDeps} makes them. */
export interface ConfiguredStarterDeps extends Tokens {
  /** Client of the namespace in which the workers run. */
  readonly client: Client;
  /** Task queue of the configuration. */
  readonly taskQueue: string;
  /** Does this account mask its case numbers? */
  readonly masksCnj: (account: string) => boolean;
}

/**
 * What every starter takes first, from your configuration and your client: task queue, tokens of the id key, and which accounts
 * mask case numbers. Give the backend the id key and the accounts that the worker has, or the two make different ids.
 *
 * @throws when the configuration has no id key.
 */
export function createStarterDeps(
  config: Pick<Config, 'accounts' | 'idKey' | 'taskQueue'>,
  client: Client,
): ConfiguredStarterDeps {
  const { accounts, idKey, taskQueue } = config;
  if (idKey === undefined) {
    throw new Error(`tramita: ${bothWays(ENV.ID_KEY)} is not set; expected the key that the worker has`);
  }
  const { token } = createTokens(idKey);
  return { client, taskQueue, token, masksCnj: (account) => accounts[account]?.maskCnj === true };
}
