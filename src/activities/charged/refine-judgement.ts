/**
 * From "a well-formed answer" to "the answer that this operation promises". Pure. A refresh that answers 200 without a final
 * word is only begun: it is pending and goes by its status. A list without a list is paid and lost.
 */
import { readPending, readRefreshStatus, present } from '../../contract/index.js';
import type { Judgement } from '../../http/index.js';
import type { Settlement } from '../../ledger/index.js';
import type { AnswerView, Reading } from '../../protocol/index.js';
import { readingOf, type ReadableAnswer } from '../readings/index.js';

export interface RefinedJudgement {
  readonly judgement: Judgement;
  readonly reading?: Reading;
  readonly refresh?: Pick<Settlement, 'finalState' | 'rawStatus'>;
}

export function refineJudgement(
  judgement: Judgement,
  answer: Omit<ReadableAnswer, 'body'> & { readonly view: AnswerView | undefined },
): RefinedJudgement {
  const { operation, gaps } = answer;
  if (
    judgement.outcome === 'PENDING' &&
    judgement.pending.requestId === undefined &&
    operation.id !== 'requestRefresh'
  ) {
    const { meta } = judgement;
    return {
      judgement: { outcome: 'UNKNOWN', reason: 'accepted, but without a request id that could be polled', meta },
    };
  }
  if (judgement.outcome !== 'DONE') return { judgement };
  if (operation.id === 'requestRefresh') {
    const { state, rawStatus } = readRefreshStatus(judgement.body, gaps);
    if (state !== 'running') {
      const reading = answer.view === 'body' ? readingOf('body', { ...answer, body: judgement.body }) : undefined;
      const refresh = { finalState: state, rawStatus: rawStatus ?? null };
      return { judgement, refresh, ...present({ reading }) };
    }
    return {
      judgement: {
        outcome: 'PENDING',
        pending: readPending(judgement.body, undefined),
        hintMs: null,
        meta: judgement.meta,
      },
    };
  }
  const reading = readingOf(answer.view, { ...answer, body: judgement.body });
  if (reading !== undefined) return { judgement, reading };
  return { judgement: { outcome: 'CHARGED_LOST', reason: 'the answer is not what the operation promises' } };
}
