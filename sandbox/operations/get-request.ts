/** GET /v1/requests/{requestId}: 202 while running, then the original final. Free; only with the key of the original call. */
import { refuse } from '../answer.js';
import { buildPendingAnswer } from './pending-answer.js';
import { buildFinalAnswer } from './refresh-record.js';
import type { OperationHandler } from './types.js';

export const getRequest: OperationHandler = (call, view) => {
  const refresh = view.findRefresh(call.params['requestId'] ?? '');
  if (refresh === undefined || refresh.keyHash !== call.keyHash) {
    return { kind: 'refused', answer: refuse(404, 'REQUEST_NOT_FOUND', 'There is no such request of this key.') };
  }
  const paid = view.isFinished(refresh) ? view.paidFor(refresh) : undefined;
  const final = paid === undefined ? undefined : buildFinalAnswer(refresh, view.settings.dialect, paid);
  return final === undefined
    ? { kind: 'free', answer: (nothing) => buildPendingAnswer(refresh, view, nothing) }
    : { kind: 'reproduced', answer: final };
};
