/** The accounts that a command applies to. A name that is not configured is a usage error, or only noted on stderr. */
import type { AccountConfig, Config } from '../../config/index.js';
import type { CliContext } from '../context.js';
import { usageError } from '../exit-codes.js';
import { printable } from '../output/output.js';

type Accounts = Pick<Config, 'accounts'>;

export function accountNamed({ accounts }: Accounts, name: string, option?: string): AccountConfig {
  const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
  if (account === undefined) throw usageError(unknownText({ accounts }, name, option));
  return account;
}

/**
 * Says on stderr that a filter names an account that is not configured: it may be an earlier account, whose rows are still
 * there, or a typing error, under which nothing is found.
 */
export function noteUnknownAccount({ err }: CliContext, { accounts }: Accounts, name: string | undefined): void {
  if (name === undefined || Object.hasOwn(accounts, name)) return;
  err(`tramita: ${unknownText({ accounts }, name)}; what is stored under that name is selected\n`);
}

function unknownText({ accounts }: Accounts, name: string, option = '--account'): string {
  return `${option}: there is no account "${printable(name)}"; configured: ${Object.keys(accounts).join(', ')}`;
}

/** Only the given account, or all. */
export function accountNames(config: Accounts, only: string | undefined): readonly string[] {
  if (only === undefined) return Object.keys(config.accounts);
  accountNamed(config, only);
  return [only];
}
