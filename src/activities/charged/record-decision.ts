/** Writes a person's decision about a charge to the ledger, then wakes the other flows that are parked on the same row. */
import { withoutPrefix } from '../../contract/values/index.js';
import { isDecisionRefused } from '../../ledger/index.js';
import type { RecordDecisionInput } from '../../protocol/index.js';
import type { LedgerDeps } from '../deps.js';
import { impossible } from '../to-failure.js';

export async function recordDecision(
  { ledger, wake }: Pick<LedgerDeps, 'ledger' | 'wake'>,
  input: RecordDecisionInput,
  { workflowId }: { readonly workflowId: string },
): Promise<void> {
  const row = await ledger.find(input.intentId);
  if (row === undefined) {
    const cure = 'start every worker with its folder, then run `tramita ledger reconcile`, and decide after that';
    throw impossible(`the ledger has lost row "${input.intentId}": ${cure}`);
  }
  try {
    const decided = await ledger.decide({ ...input, askedBy: workflowId });
    await wake(decided.wakes);
  } catch (error) {
    if (isDecisionRefused(error)) throw impossible(withoutPrefix((error as Error).message));
    throw error;
  }
}
