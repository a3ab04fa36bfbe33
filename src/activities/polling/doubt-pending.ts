/** Polling found no end of work that was only presumed to be accepted: its charge becomes unknown again. */
import type { CallOutcome, DoubtPendingInput } from '../../protocol/index.js';
import { storedOutcome, withoutWebhook, type OutcomeDeps } from '../charged/stored-outcome.js';
import type { LedgerDeps } from '../deps.js';

export async function doubtPending(
  deps: OutcomeDeps & Pick<LedgerDeps, 'wake'>,
  input: DoubtPendingInput,
  { workflowId: askedBy }: { readonly workflowId: string },
): Promise<CallOutcome> {
  const { intentId, doubt } = input;
  const doubted = await deps.ledger.doubt({ intentId, doubt, askedBy });
  await deps.wake(doubted.wakes);
  return storedOutcome(deps, doubted.intent, withoutWebhook(input));
}
