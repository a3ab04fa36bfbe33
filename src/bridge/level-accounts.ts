/**
 * Accounts made equal to a stranger's watch: every one has as many secrets and tokens to compare with as any other, and a
 * name that is no account is compared with a decoy that nobody can match. Else the time of a refusal would show which
 * accounts there are, and which of them has two secrets just now.
 */
import { randomBytes } from 'node:crypto';
import type { BridgeAccount } from './types.js';

/** `isKnown` is for the last word and the metrics, never for a shorter way. */
export type FindAccount = (name: string) => { readonly account: BridgeAccount; readonly isKnown: boolean };

export function levelAccounts(accounts: Readonly<Record<string, BridgeAccount>>): FindAccount {
  const all = Object.values(accounts).filter(({ secrets, tokens }) => secrets.length + tokens.length > 0);
  const mostSecrets = Math.max(1, ...all.map(({ secrets }) => secrets.length));
  const mostTokens = Math.max(1, ...all.map(({ tokens }) => tokens.length));
  const level = (account: BridgeAccount): BridgeAccount => ({
    ...account,
    secrets: filled(account.secrets, mostSecrets),
    tokens: filled(account.tokens, mostTokens),
  });
  const known = new Map(Object.entries(accounts).map(([name, account]) => [name, level(account)]));
  // A token, where every account asks for one, is refused with the head; else the signature is, with the body.
  const isTokened = all.length > 0 && all.every(({ tokens }) => tokens.length > 0);
  const shape = isTokened ? { secrets: [], tokens: [decoy()] } : { secrets: [decoy()], tokens: [] };
  const nobody = level({ ...shape, secretForm: 'utf8' });
  return (name) => {
    const account = known.get(name);
    return account === undefined ? { account: nobody, isKnown: false } : { account, isKnown: true };
  };
}

/** None stays none: nothing of the kind is asked for. */
function filled(list: readonly string[], length: number): readonly string[] {
  return list.length === 0 ? list : [...list, ...Array.from({ length: length - list.length }, decoy)];
}

/** Fits either form of a secret. */
function decoy(): string {
  return randomBytes(32).toString('hex');
}
