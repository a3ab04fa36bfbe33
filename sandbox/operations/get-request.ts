/** GET /v1/requests/{requestId}: 202 while running, then the original final. Free; only for the key of the original call. */
import { buildFinalAnswer, isQuery } from './work-final.js';
import type { OperationHandler } from './types.js';
import { answeredAs, buildPendingAnswer, refused } from './verdicts.js';

export const getRequest: OperationHandler = (view) => {
  const work = view.findWork(view.call.params['requestId'] ?? '');
  const { requestTtlMs, dialect } = view.settings;
  const forgotten = requestTtlMs !== undefined && view.nowMs > (work?.finishesAtMs ?? Infinity) + requestTtlMs;
  if (work === undefined || work.keyHash !== view.call.keyHash || forgotten) {
    return refused(404, 'REQUEST_NOT_FOUND', 'There is no such request of this key.');
  }
  const paid = view.isFinished(work) ? view.paidFor(work) : undefined;
  const final = !view.isFinished(work)
    ? undefined
    : isQuery(work)
      ? view.finalOf(work)
      : paid && buildFinalAnswer(work, dialect, paid);
  return final === undefined
    ? answeredAs((nothing) => buildPendingAnswer(work, view, nothing), view)
    : { kind: 'reproduced', answer: final };
};
