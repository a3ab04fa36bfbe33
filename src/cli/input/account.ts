/** The configured accounts that a command applies to. Any other name is a usage error, which lists them. */
import type { AccountConfig, Config } from '../../config/index.js';
import type { CliContext } from '../context.js';
import { usageError } from '../exit-codes.js';
import { printable } from '../output/output.js';

type Accounts = Pick<Config, 'accounts'>;

export function accountNamed({ accounts }: Accounts, name: string, option = '--account'): AccountConfig {
  const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
  if (account === undefined) {
    const known = Object.keys(accounts).join(', ');
    throw usageError(`${option}: there is no account "${printable(name)}"; configured: ${known}`);
  }
  return account;
}

/**
 * Says on stderr that a filter names an account that is not configured: it may be an earlier account, whose rows are still
 * there, or a typing error, under which nothing is found.
 */
export function noteUnknownAccount({ err }: CliContext, { accounts }: Accounts, name: string | undefined): void {
  if (name === undefined || Object.hasOwn(accounts, name)) return;
  const known = Object.keys(accounts).join(', ');
  err(
    `tramita: --account: seen "${printable(name)}", which is not configured (configured: ${known}); what is stored under it is shown\n`,
  );
}

/** Only the given account, or all. */
export function accountNames(config: Accounts, only: string | undefined): readonly string[] {
  if (only === undefined) return Object.keys(config.accounts);
  accountNamed(config, only);
  return [only];
}
