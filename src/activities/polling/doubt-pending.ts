/** A polling round brought no end of work that was only taken for accepted: its charge is unknown again. */
import type { CallOutcome, DoubtPendingInput } from '../../protocol/index.js';
import { storedOutcome, withoutWebhook } from '../charged/stored-outcome.js';
import type { ActivityDeps } from '../deps.js';

export async function doubtPending(
  deps: ActivityDeps,
  input: DoubtPendingInput,
  askedBy: string,
): Promise<CallOutcome> {
  const { intentId, doubt } = input;
  const doubted = await deps.ledger.doubt({ intentId, doubt, askedBy });
  await deps.wake(doubted.intent, doubted.wake);
  return storedOutcome(deps, doubted.intent, withoutWebhook(input));
}
