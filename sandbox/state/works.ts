/**
 * Work that was answered 202, running or finished: refreshes, summaries, and any query that the dialect makes pending.
 * The result of work is decided completely when it is requested; the clock only decides when its end becomes visible.
 * In memory; the caller writes the journal line.
 */
import type { Amount, JsonObject, OperationId } from '../../src/contract/index.js';
import type { Answer } from '../answer.js';
import type { Ending, WebhookFate } from '../cases/personas.js';
import type { AccountName } from '../keys.js';

/** The arguments of a call. Path and form are checked. */
export interface Arguments {
  /** Checked path parameters; `cnj` is 20 digits. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly flags: { readonly documents: boolean; readonly callback: boolean };
}

/** For work whose end does not need its arguments: shared, because there may be very many. */
export const NO_ARGUMENTS: Pick<Arguments, 'params' | 'query' | 'body'> = { params: {}, query: {}, body: {} };

export interface Work extends Arguments {
  readonly requestId: string;
  readonly operation: OperationId;
  readonly account: AccountName;
  readonly keyHash: string;
  /** `""` when the call is about no single case. */
  readonly cnj: string;
  readonly createdAtMs: number;
  /** null: it never finishes. */
  readonly finishesAtMs: number | null;
  readonly ending: Ending;
  readonly finalStatus: 200 | 500;
  readonly webhook: WebhookFate;
  readonly debitAt: 'answer' | 'completion';
  readonly price: Amount;
}

export interface Works {
  add(work: Work): void;
  markFinished(work: Work): void;
  isFinished(work: Work): boolean;
  find(requestId: string): Work | undefined;
  /** The work of this case, account and operation, oldest first. */
  ofCase(cnj: string, account: AccountName, operation: OperationId): readonly Work[];
  /** Stores the final answer of a query; refreshes and summaries build theirs each time. */
  keepFinal(requestId: string, answer: Answer): void;
  finalOf(requestId: string): Answer | undefined;
  /** Sum of the debits that will be made when running work ends. */
  owed(account: AccountName): number;
}

export function createWorks(): Works {
  const byId = new Map<string, Work>();
  const byCase = new Map<string, Work[]>();
  const finals = new Map<string, Answer>();
  const finished = new Set<string>();
  const owed: Record<AccountName, number> = { sandbox: 0, empty: 0 };
  const owes = (work: Work): boolean => work.debitAt === 'completion' && work.finishesAtMs !== null;

  return {
    add(work) {
      byId.set(work.requestId, work);
      if (work.cnj !== '') {
        const key = `${work.account} ${work.operation} ${work.cnj}`;
        const same = byCase.get(key);
        if (same === undefined) byCase.set(key, [work]);
        else same.push(work);
      }
      if (owes(work)) owed[work.account] += work.price;
    },
    markFinished(work) {
      if (finished.has(work.requestId)) return;
      finished.add(work.requestId);
      if (owes(work)) owed[work.account] -= work.price;
    },
    isFinished: (work) => finished.has(work.requestId),
    find: (requestId) => byId.get(requestId),
    ofCase: (cnj, account, operation) => byCase.get(`${account} ${operation} ${cnj}`) ?? [],
    keepFinal: (requestId, answer) => void finals.set(requestId, answer),
    finalOf: (requestId) => finals.get(requestId),
    owed: (account) => owed[account],
  };
}
