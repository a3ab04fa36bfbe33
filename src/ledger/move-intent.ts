/**
 * Changes a row for a reason other than its own call: a person's decision, a doubt, evidence, its age. For a row that joined
 * another one, the original is changed, and every joined row follows.
 */
import { present } from '../contract/index.js';
import { requestKey } from '../inbox/index.js';
import type { Database, Ending } from '../store/index.js';
import { changeIntent } from './change-intent.js';
import type { Intent } from './intent.js';
import type { MovedBy } from './ledger.js';
import type { Moved } from './settlement.js';
import { followRoot } from './states.js';
import { buildChange, wakesOf, type Written } from './write-change.js';

interface Move extends MovedBy {
  readonly nowMs: number;
  /** The other calls that have this request are read too, under its lock. */
  readonly requestId?: string;
}

/** `decide` returns the row as it becomes, or undefined if it stays as it is. */
export function moveIntent(
  db: Database,
  { intentId, nowMs, askedBy, requestId }: Move,
  decide: (row: Intent, requestOf: readonly Intent[]) => Intent | undefined,
): Promise<Moved> {
  const extraNames = requestId === undefined ? [] : [requestKey(requestId)];
  return changeIntent(
    db,
    { intentId, extraNames, ...present({ requestId }) },
    ({ own, root, others }): Ending<Moved> => {
      const after = decide(root.intent, others);
      if (after === undefined) return { write: [], then: () => ({ intent: own.intent, wakes: [] }) };
      const intent = own === root ? after : followRoot(own.intent, after);
      return {
        write: [buildChange({ before: root, after, nowMs, ...present({ askedBy }) })],
        then: ([written]) => ({ intent, wakes: wakesOf({ after, nowMs }, written as Written) }),
      };
    },
  );
}
