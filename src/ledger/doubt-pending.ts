/**
 * A pending row whose end is unknown becomes `unknown` again, for evidence or a person to decide: one that was adopted and
 * not confirmed, or (`reason`: `unreadable`) one that has no request to ask for and whose status must not be read. Any other row
 * stays as it is: a 202 of its own needs no confirmation.
 */
import type { DoubtPendingInput } from '../protocol/index.js';
import type { Database } from '../store/index.js';
import { changeIntent } from './change-intent.js';
import { followRoot, isAdopted } from './states.js';
import type { Intent } from './types.js';
import { writeChange } from './write-change.js';

export interface DoubtRequest extends Pick<DoubtPendingInput, 'intentId' | 'doubt'> {
  /** The workflow that doubts: it knows, and is not woken. */
  readonly askedBy: string;
}

const REASONS: Readonly<Record<DoubtRequest['doubt'], string>> = {
  unconfirmed: 'it was taken for accepted, and nothing has confirmed that since',
  unreadable: 'its status has charged before and is not read, and no request is known that could be asked for',
};

export function doubtPending(
  db: Database,
  { intentId, doubt, askedBy, nowMs }: DoubtRequest & { readonly nowMs: number },
): Promise<{ readonly intent: Intent; readonly wake: readonly string[] }> {
  return changeIntent(db, { intentId, extraNames: [] }, async (trx, { asked, root }) => {
    const { intent } = root;
    const unreadable = doubt === 'unreadable' && intent.state === 'pending' && intent.requestId === null;
    if (!unreadable && !isAdopted(intent)) return { intent: asked.intent, wake: [] };
    const after: Intent = { ...intent, state: 'unknown', reason: REASONS[doubt] };
    const { wake } = await writeChange(trx, { before: root, after, balanceTold: false, nowMs, askedBy });
    return { intent: asked === root ? after : followRoot(asked.intent, after), wake };
  });
}
