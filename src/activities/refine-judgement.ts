/**
 * From "a well-formed answer" to "the answer that this operation promises". Pure. A refresh that answers 200 without a final
 * word is only begun: it is pending and goes by its status. A list without a list is paid and lost.
 */
import {
  readPending,
  readRefreshStatus,
  type Gaps,
  type Json,
  type OperationId,
  type Parameters,
} from '../contract/index.js';
import type { Judgement } from '../http/index.js';
import type { Settlement } from '../ledger/index.js';
import { readingOf } from './readings.js';

export interface RefinedJudgement {
  readonly judgement: Judgement;
  readonly reading?: Json;
  readonly refresh?: Pick<Settlement, 'finalState' | 'rawStatus'>;
}

export function refineJudgement(
  operationId: OperationId,
  judgement: Judgement,
  context: { readonly gaps: Gaps; readonly params: Parameters },
): RefinedJudgement {
  if (
    judgement.outcome === 'PENDING' &&
    judgement.pending.requestId === undefined &&
    operationId !== 'requestRefresh'
  ) {
    const { meta } = judgement;
    return {
      judgement: { outcome: 'UNKNOWN', reason: 'accepted, but without a request id that could be polled', meta },
    };
  }
  if (judgement.outcome !== 'DONE') return { judgement };
  if (operationId === 'requestRefresh') {
    const { state, rawStatus } = readRefreshStatus(judgement.body, context.gaps);
    if (state !== 'running') return { judgement, refresh: { finalState: state, rawStatus: rawStatus ?? null } };
    return {
      judgement: {
        outcome: 'PENDING',
        pending: readPending(judgement.body, undefined),
        hintMs: null,
        meta: judgement.meta,
      },
    };
  }
  const reading = readingOf(operationId, judgement.body, context.params);
  if (reading !== undefined) return { judgement, reading };
  return { judgement: { outcome: 'CHARGED_LOST', reason: 'the answer is not what the operation promises' } };
}
