/**
 * Protects against timing attacks: all accounts are padded to the same number of secrets and tokens, and an unknown name is
 * compared with a decoy that nobody can match. Otherwise the time of a refusal would show which accounts exist, and which of
 * them has two secrets at the moment.
 */
import { randomBytes } from 'node:crypto';
import type { BridgeAccount } from './types.js';

/** `isKnown` is for the final verdict and the metrics, never for an early return. */
export type FindAccount = (name: string) => { readonly account: BridgeAccount; readonly isKnown: boolean };

export function levelAccounts(accounts: Readonly<Record<string, BridgeAccount>>): FindAccount {
  const all = Object.values(accounts).filter(({ secrets, tokens }) => secrets.length + tokens.length > 0);
  const mostSecrets = Math.max(1, ...all.map(({ secrets }) => secrets.length));
  const mostTokens = Math.max(1, ...all.map(({ tokens }) => tokens.length));
  const level = (account: BridgeAccount): BridgeAccount => ({
    ...account,
    secrets: padded(account.secrets, mostSecrets),
    tokens: padded(account.tokens, mostTokens),
  });
  const known = new Map(Object.entries(accounts).map(([name, account]) => [name, level(account)]));
  // Refused like a real account: by its token, before the body, if every account requires one; else by the signature, after it.
  const allHaveTokens = all.length > 0 && all.every(({ tokens }) => tokens.length > 0);
  const shape = allHaveTokens ? { secrets: [], tokens: [decoy()] } : { secrets: [decoy()], tokens: [] };
  const nobody = level({ ...shape, secretForm: 'utf8' });
  return (name) => {
    const account = known.get(name);
    return account === undefined ? { account: nobody, isKnown: false } : { account, isKnown: true };
  };
}

/** An empty list stays empty: nothing of its kind is required. */
function padded(list: readonly string[], length: number): readonly string[] {
  return list.length === 0 ? list : [...list, ...Array.from({ length: length - list.length }, decoy)];
}

/** Valid in both forms of a secret, utf8 and hex. */
function decoy(): string {
  return randomBytes(32).toString('hex');
}
