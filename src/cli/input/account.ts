/** The configured accounts that a command applies to. Any other name is a usage error, which lists them. */
import type { AccountConfig, Config } from '../../config/index.js';
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

/** Only the given account, or all. */
export function accountNames(config: Accounts, only: string | undefined): readonly string[] {
  if (only === undefined) return Object.keys(config.accounts);
  accountNamed(config, only);
  return [only];
}
