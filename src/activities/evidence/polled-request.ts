/**
 * Evidence by the request id: the service may show the end of the work after all, however often it did not. Polls are free. A
 * refresh is left to its status, which has the proof.
 */
import { goesByStatus, present } from '../../contract/index.js';
import { refineJudgement } from '../charged/refine-judgement.js';
import { finalSettlementOf } from '../charged/settlement-of.js';
import { isFileCall } from '../charged/stored-file.js';
import { pollRequest } from '../polling/poll-request.js';
import { nothing, type EvidenceDeps, type Finding, type UndecidedCall } from './types.js';

/** All reads for evidence together have to fit into one attempt (`EVIDENCE_DEADLINE_MS`). */
const JSON_MS = 6_000;
const FILE_MS = 20_000;

export async function findPolledRequest(
  deps: EvidenceDeps,
  { account, intent, subject }: UndecidedCall,
): Promise<(Finding & { readonly isAlive?: true }) | undefined> {
  const { requestId } = intent;
  if (requestId === null || goesByStatus(subject.operation)) return undefined;
  const operation = deps.catalogue.operationOf(subject.operation);
  const totalMs = isFileCall(operation) ? FILE_MS : JSON_MS;
  const { exchange, end } = await pollRequest(deps, { account, operation: operation.id, requestId, totalMs });
  // Adopted before and unknown again: to adopt it once more would only loop. But while it runs, nothing proves that it was free.
  if (end.end === 'still pending' && intent.evidence?.['adopted'] !== undefined) {
    return { ...nothing('the request (still running)'), isAlive: true };
  }
  if (end.end === 'still pending') {
    return {
      found: 'sent',
      looked: 'the request (still running)',
      settlement: {
        state: 'pending',
        requestId,
        ...present({ charged: end.charged, searchLogId: end.searchLogId }),
        evidence: { adopted: 'request id', from: 'the request', by: 'tramita (evidence)' },
      },
    };
  }
  if (end.end !== 'final')
    return nothing(`the request (${'status' in end ? `HTTP ${end.status}` : 'no final answer'})`);
  const judged = { operation, exchange, asked: subject, isFinal: true } as const;
  const { judgement, end: refined } = refineJudgement(deps, end.judgement, judged);
  if (judgement.outcome !== 'DONE') return nothing('the request (it ended without a usable answer)');
  const settlement = { ...finalSettlementOf(judgement, exchange, intent), ...refined };
  return {
    found: 'sent',
    looked: 'the request (its answer is available)',
    settlement: { ...settlement, evidence: { ...settlement.evidence, proof: 'request id', by: 'tramita (evidence)' } },
  };
}
