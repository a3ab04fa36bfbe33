/** The accounts of this worker's configuration. */
import { present } from '../contract/index.js';
import type { AccountDescription } from '../protocol/index.js';
import type { AccountDeps, ActivityDeps } from './deps.js';
import { impossible } from './to-failure.js';

type Deps = Pick<ActivityDeps, 'accounts' | 'token'>;

/** @throws `InvalidInput`. Flows check the account before they spend, so only a worker with another configuration throws. */
export function accountOf({ accounts }: Pick<ActivityDeps, 'accounts'>, name: string): AccountDeps {
  const account = accounts.get(name);
  if (account === undefined) throw impossible(`account "${name}" is not configured on this worker`);
  return account;
}

/** Value of the search attribute `TramitaCase` if the account masks case numbers; undefined if it does not. */
export function caseAttributeOf({ accounts, token }: Deps, account: string, cnj: unknown): string | undefined {
  return accounts.get(account)?.maskCnj === true && cnj !== undefined ? token('case', cnj) : undefined;
}

export function describeAccount(
  deps: Deps,
  { account, cnj }: { readonly account: string; readonly cnj?: string },
): AccountDescription {
  const { accounts } = deps;
  const caseAttribute = caseAttributeOf(deps, account, cnj);
  return { known: accounts.has(account), accounts: [...accounts.keys()], ...present({ caseAttribute }) };
}
