/**
 * From "a well-formed answer" to "the answer that this operation promises". Pure. A refresh that answers 200 without a final
 * word is only begun: it is pending and goes by its status. A list without a list is paid and lost.
 */
import { createHash } from 'node:crypto';
import {
  goesByStatus,
  parseRequestId,
  present,
  readPending,
  readRefreshStatus,
  type Operation,
} from '../../contract/index.js';
import type { Exchange, Judgement } from '../../http/index.js';
import type { Settlement } from '../../ledger/index.js';
import type { CallSubject, Reading } from '../../protocol/index.js';
import type { ServiceDeps } from '../deps.js';
import { readingOf, type ReadableAnswer } from '../readings/index.js';
import { isOwed, storedFileOf } from './stored-file.js';

export interface RefinedJudgement {
  readonly judgement: Judgement;
  readonly reading?: Reading;
  readonly refresh?: Pick<Settlement, 'finalState' | 'rawStatus'>;
}

interface JudgedCall {
  readonly operation: Operation<string>;
  readonly exchange: Exchange;
  readonly asked: Pick<CallSubject, 'account' | 'params' | 'target' | 'view'>;
}

export function refineJudgement(
  deps: Pick<ServiceDeps, 'gaps' | 'accounts' | 'files'>,
  judgement: Judgement,
  call: JudgedCall,
): RefinedJudgement {
  const { view, params } = call.asked;
  if (
    judgement.outcome === 'PENDING' &&
    judgement.pending.requestId === undefined &&
    !goesByStatus(call.operation.id)
  ) {
    const { meta, pending } = judgement;
    // A look at work is answered about the work that it names.
    const requestId = call.operation.answer === 'reproduced' ? parseRequestId(params['requestId']) : undefined;
    if (requestId !== undefined) return { judgement: { ...judgement, pending: { ...pending, requestId } } };
    const reason = 'accepted, but without a request id that could be polled';
    return { judgement: { outcome: 'UNKNOWN', reason, meta } };
  }
  if (judgement.outcome !== 'DONE') return { judgement };
  const { body, meta } = judgement;
  const answer = { ...readableAnswer(deps, call), body };
  if (goesByStatus(call.operation.id)) {
    const { state, rawStatus } = readRefreshStatus(body, deps.gaps);
    if (state === 'running') {
      return { judgement: { outcome: 'PENDING', pending: readPending(body, undefined), hintMs: null, meta } };
    }
    const reading = view === 'body' ? readingOf(view, answer) : undefined;
    return { judgement, refresh: { finalState: state, rawStatus: rawStatus ?? null }, ...present({ reading }) };
  }
  const reading = readingOf(view, answer);
  if (reading !== undefined) return { judgement, reading };
  return { judgement: { outcome: 'CHARGED_LOST', reason: 'the answer is not what the operation promises' } };
}

/** The answer of an exchange in the words of the readers. */
function readableAnswer(
  { gaps, accounts, files }: Pick<ServiceDeps, 'gaps' | 'accounts' | 'files'>,
  { operation, exchange, asked }: JudgedCall,
): Omit<ReadableAnswer, 'body'> {
  const { account, params, target } = asked;
  const bytes = exchange.kind === 'answer' ? exchange.body : Buffer.alloc(0);
  const file = storedFileOf(exchange);
  return {
    ...{ operation, params, gaps, baseUrl: accounts.get(account)?.baseUrl ?? '' },
    bytes: file?.bytes ?? bytes.length,
    sha256: file?.sha256 ?? createHash('sha256').update(bytes).digest('hex'),
    ...present({ target, file, fileOwed: isOwed(files, file) }),
  };
}
