/** Writes a person's decision. One about a row that joined another decides that one, and every joined row follows. */
import { present } from '../contract/index.js';
import type { Catalogue } from '../contract/index.js';
import { requestKey } from '../inbox/index.js';
import type { Database } from '../store/index.js';
import { changeIntent } from './change-intent.js';
import { decideCharge, type Decision } from './decide-charge.js';
import { followRoot } from './states.js';
import type { Intent } from './types.js';
import { writeChange } from './write-change.js';

const REFUSED = 'DecisionRefused';

/** True for the error that says why a decision cannot be taken: trying again is of no use. */
export function isDecisionRefused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === REFUSED;
}

interface DecisionPlace {
  readonly intentId: string;
  readonly nowMs: number;
  readonly catalogue: Catalogue;
  readonly askedBy?: string;
}

export function recordDecision(
  db: Database,
  { intentId, nowMs, catalogue, askedBy, ...decision }: Decision & DecisionPlace,
): Promise<{ readonly intent: Intent; readonly wake: readonly string[] }> {
  const { requestId } = decision;
  const extraNames = requestId === undefined ? [] : [requestKey(requestId)];
  return changeIntent(db, { intentId, extraNames }, async (trx, { asked, root }) => {
    const { operation } = root.intent;
    const byStatus = catalogue.has(operation) && catalogue.operationOf(operation).evidence === 'refresh status';
    const decided = decideCharge(root.intent, decision, { nowMs, byStatus });
    switch (decided.kind) {
      case 'same':
        return { intent: asked.intent, wake: [] };
      case 'refused':
        throw Object.assign(new Error(`tramita: ${decided.problem}`), { name: REFUSED });
      case 'changed': {
        const after = decided.intent;
        const { wake } = await writeChange(trx, {
          before: root,
          after,
          balanceTold: false,
          nowMs,
          ...present({ askedBy }),
        });
        return { intent: asked === root ? after : followRoot(asked.intent, after), wake };
      }
    }
  });
}
