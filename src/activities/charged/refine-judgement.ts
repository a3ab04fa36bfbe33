/**
 * From "a well-formed answer" to "the answer that this operation promises". Pure. A refresh that answers 200 without a final
 * word is only begun: it is pending and goes by its status. So is a summary, where the answer names its request. A list without a
 * list is paid and lost.
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
import { readHintMs, type Exchange, type Judgement } from '../../http/index.js';
import type { Settlement } from '../../ledger/index.js';
import type { CallSubject, Reading } from '../../protocol/index.js';
import type { ServiceDeps } from '../deps.js';
import { readSummaryState, readingOf, type ReadableAnswer } from '../readings/index.js';
import { isOwed, storedFileOf } from './stored-file.js';

export interface RefinedJudgement {
  readonly judgement: Judgement;
  readonly reading?: Reading;
  /** How a refresh ended, or an answer about a summary that has no text. */
  readonly end?: End;
}

type End = Pick<Settlement, 'finalState' | 'rawStatus'>;

interface JudgedCall {
  readonly operation: Operation<string>;
  readonly exchange: Exchange;
  readonly asked: Pick<CallSubject, 'account' | 'params' | 'target' | 'view'>;
  /** The reproduced answer of a poll: its work is over, whatever it says. */
  readonly isFinal?: true;
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
  const { body } = judgement;
  const answer = { ...readableAnswer(deps, call), body };
  if (goesByStatus(call.operation.id)) {
    const { state, rawStatus } = readRefreshStatus(body, deps.gaps);
    if (state === 'running') return { judgement: begun(judgement, call.exchange) };
    const reading = view === 'body' ? readingOf(view, answer) : undefined;
    return { judgement, end: { finalState: state, rawStatus: rawStatus ?? null }, ...present({ reading }) };
  }
  const reading = readingOf(view, answer);
  if (reading === undefined) {
    return { judgement: { outcome: 'CHARGED_LOST', reason: 'the answer is not what the operation promises' } };
  }
  const summary = readSummary(answer);
  if (summary?.finalState === 'running' && call.operation.id === 'requestSummary') {
    const pending = begun(judgement, call.exchange);
    const isBegun = pending.pending.requestId !== undefined && call.isFinal !== true;
    return isBegun ? { judgement: pending } : { judgement, reading };
  }
  return { judgement, reading, ...present({ end: summary }) };
}

/** What an answer about a summary says in its place. Only rows that say nothing of the kind are taken by `maxAge`. */
function readSummary(answer: ReadableAnswer): End | undefined {
  if (!['requestSummary', 'getSummary'].includes(answer.operation.id)) return undefined;
  const { ready, state, rawStatus } = readSummaryState(answer) ?? { ready: true };
  return ready ? undefined : { finalState: state, rawStatus };
}

/** Work that is only accepted, although not with a 202. */
function begun(
  { body, meta }: Extract<Judgement, { outcome: 'DONE' }>,
  exchange: Exchange,
): Extract<Judgement, { outcome: 'PENDING' }> {
  const pending = readPending(body, undefined);
  if (!('head' in exchange)) return { outcome: 'PENDING', pending, hintMs: null, meta };
  const { headers, dateMs, receivedAtMs: nowMs } = exchange.head;
  const hintMs = readHintMs({ retryAfter: headers['retry-after'], hints: pending.hints, dateMs, nowMs });
  return { outcome: 'PENDING', pending, hintMs, meta };
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
    operation,
    params,
    gaps,
    baseUrl: accounts.get(account)?.baseUrl ?? '',
    bytes: file?.bytes ?? bytes.length,
    sha256: file?.sha256 ?? createHash('sha256').update(bytes).digest('hex'),
    ...present({ target, file, fileOwed: isOwed(files, file) }),
  };
}
