/** What our own ledger and records know of requests and refreshes; the service is not asked. */
import { PENDING_AT_MOST_MS } from '../../contract/values/index.js';
import { present } from '../../contract/index.js';
import type { FoundRequest, LookUpRefreshInput, LookUpRefreshResult } from '../../protocol/index.js';
import { isFileCall } from '../charged/stored-file.js';
import type { ActivityDeps } from '../deps.js';

/** Whether this request is work of ours, and the ledger row of its call. */
export async function findRequest(
  { ledger, catalogue }: Pick<ActivityDeps, 'ledger' | 'catalogue'>,
  { account, requestId }: { readonly account: string; readonly requestId: string },
): Promise<FoundRequest> {
  const found = await ledger.requested(account, requestId);
  if (found === undefined) return { known: false };
  const { intent, cnj } = found;
  const { intentId, operation, openedAtMs, workflowId } = intent;
  const file = catalogue.operations.some((each) => each.id === operation && isFileCall(each)) ? true : undefined;
  return { known: true, intentId, operation, openedAtMs, workflowId, ...present({ cnj, file }) };
}

/**
 * Whether a refresh of this case is in progress, or one with public documents has finished. A list that is already paid for may
 * be read whatever has begun since: a reset, or a start with the same `once`, takes it from the ledger.
 */
export async function lookUpRefresh(
  deps: {
    readonly ledger: Pick<ActivityDeps['ledger'], 'about' | 'mayBePaid'>;
    readonly records: Pick<ActivityDeps['records'], 'findRefresh'>;
    readonly clock: Pick<ActivityDeps['clock'], 'nowMs'>;
  },
  { account, cnj, list }: LookUpRefreshInput,
): Promise<LookUpRefreshResult> {
  if (list !== undefined && (await deps.ledger.mayBePaid(list))) return { refresh: 'finished' };
  const calls = await deps.ledger.about({ account, operation: 'requestRefresh', params: { cnj } });
  // An unknown refresh may be running too: documents are read once it is decided.
  const since = deps.clock.nowMs() - PENDING_AT_MOST_MS;
  const open = calls.find(
    ({ joined, state, openedAtMs }) =>
      joined === null && ['open', 'pending', 'unknown'].includes(state) && openedAtMs > since,
  );
  if (open !== undefined) return { refresh: 'pending', workflowId: open.workflowId };
  const known = calls.some(
    ({ state, finalState, flags }) => state === 'done' && finalState === 'done' && flags.includes('documents'),
  );
  if (known) return { refresh: 'finished' };
  const last = await deps.records.findRefresh(account, cnj);
  return { refresh: last?.state === 'done' && last.withDocuments ? 'finished' : 'none' };
}
