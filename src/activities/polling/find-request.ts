/** Is this pending work ours? The row of the call that it answers, from our own ledger. */
import { present } from '../../contract/index.js';
import type { FoundRequest } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';

export async function findRequest(
  { ledger }: Pick<ActivityDeps, 'ledger'>,
  { account, requestId }: { readonly account: string; readonly requestId: string },
): Promise<FoundRequest> {
  const found = await ledger.requested(account, requestId);
  if (found === undefined) return { known: false };
  const { intent, cnj } = found;
  const { intentId, operation, openedAtMs, workflowId } = intent;
  return { known: true, intentId, operation, openedAtMs, workflowId, ...present({ cnj }) };
}
