/** A person's decision about a charge → ledger, then the flows that are parked on the same row (except the one that decides). */
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
  if (row === undefined) throw impossible(`ledger row "${input.intentId}" does not exist`);
  try {
    const decided = await ledger.decide({ ...input, askedBy: workflowId });
    await wake(decided.intent, decided.wake);
  } catch (error) {
    if (isDecisionRefused(error)) throw impossible((error as Error).message.replace(/^tramita: /, ''));
    throw error;
  }
}
