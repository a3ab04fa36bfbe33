/** Is this account configured, and what stands in the search attribute `TramitaCase`? From the worker's memory, no I/O. */
import type { AccountDescription } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';

export function describeAccount(
  deps: ActivityDeps,
  input: { readonly account: string; readonly cnj?: string },
): AccountDescription {
  const account = deps.accounts.get(input.account);
  return {
    known: account !== undefined,
    accounts: [...deps.accounts.keys()],
    ...(account?.maskCnj === true && input.cnj !== undefined ? { caseAttribute: deps.token('case', input.cnj) } : {}),
  };
}
