/**
 * Refreshes that were asked for, running or finished. A refresh is decided completely when it is asked for; the clock
 * only says when its end becomes visible. In memory; the journal line is written by whoever adds one.
 */
import type { Amount } from '../../src/contract/index.js';
import type { Ending, WebhookFate } from '../cases/personas.js';
import type { AccountName } from '../keys.js';

export interface Refresh {
  readonly requestId: string;
  readonly account: AccountName;
  readonly keyHash: string;
  readonly cnj: string;
  readonly flags: { readonly documents: boolean; readonly callback: boolean };
  readonly createdAtMs: number;
  /** null: never. */
  readonly finishesAtMs: number | null;
  readonly ending: Ending;
  readonly finalStatus: 200 | 500;
  readonly webhook: WebhookFate;
  readonly debitAt: 'answer' | 'completion';
  readonly price: Amount;
}

export interface Refreshes {
  add(refresh: Refresh): void;
  markFinished(refresh: Refresh): void;
  isFinished(refresh: Refresh): boolean;
  find(requestId: string): Refresh | undefined;
  /** Of this case and account, oldest first. */
  ofCase(cnj: string, account: AccountName): readonly Refresh[];
  /** What work that is still to be debited at its end will cost. */
  owed(account: AccountName): number;
}

export function createRefreshes(): Refreshes {
  const byId = new Map<string, Refresh>();
  const byCase = new Map<string, Refresh[]>();
  const finished = new Set<string>();
  const owed: Record<AccountName, number> = { sandbox: 0, empty: 0 };
  const owes = (refresh: Refresh): boolean => refresh.debitAt === 'completion' && refresh.finishesAtMs !== null;

  return {
    add(refresh) {
      byId.set(refresh.requestId, refresh);
      const key = `${refresh.account} ${refresh.cnj}`;
      byCase.set(key, [...(byCase.get(key) ?? []), refresh]);
      if (owes(refresh)) owed[refresh.account] += refresh.price;
    },
    markFinished(refresh) {
      if (finished.has(refresh.requestId)) return;
      finished.add(refresh.requestId);
      if (owes(refresh)) owed[refresh.account] -= refresh.price;
    },
    isFinished: (refresh) => finished.has(refresh.requestId),
    find: (requestId) => byId.get(requestId),
    ofCase: (cnj, account) => byCase.get(`${account} ${cnj}`) ?? [],
    owed: (account) => owed[account],
  };
}
