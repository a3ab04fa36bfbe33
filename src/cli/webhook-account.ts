/** What an account's webhooks are checked with, as the bridge has it. */
import type { BridgeAccount } from '../bridge/index.js';
import type { CliContext } from './context.js';
import { usageError } from './exit-codes.js';
import { readConfig } from './settings.js';

export function webhookAccount(context: Pick<CliContext, 'env'>, name: string): BridgeAccount {
  const { accounts } = readConfig(context);
  const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
  if (account === undefined) {
    throw usageError(`--account: there is no account "${name}"; configured: ${Object.keys(accounts).join(', ')}`);
  }
  return {
    secrets: account.webhookSecrets,
    secretForm: account.webhookSecretForm,
    tokens: account.webhookTokens,
  };
}
