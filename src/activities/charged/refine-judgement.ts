/**
 * From "a well-formed answer" to "the answer that this operation promises". Pure. A 200 that reports no final state of a
 * refresh means that the refresh has begun: it is pending, and its status shows its end. A summary is pending too if the answer
 * names its request. An answer without what the operation promises is paid and lost.
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
import { readHintMs, serviceHeadersOf, type Exchange, type Judgement } from '../../http/index.js';
import type { Settlement } from '../../ledger/index.js';
import type { CallSubject, Reading } from '../../protocol/index.js';
import type { ServiceDeps } from '../deps.js';
import { readSummaryState, readingOf, type ReadableAnswer } from '../readings/index.js';
import { isOwed, storedFileOf } from './stored-file.js';

export interface RefinedJudgement {
  readonly judgement: Judgement;
  readonly reading?: Reading;
  /** How a refresh ended, or what an answer about a summary says instead of its text. */
  readonly end?: End;
}

type End = Pick<Settlement, 'finalState' | 'rawStatus'>;

type Judged<Outcome> = Extract<Judgement, { outcome: Outcome }>;

interface JudgedCall {
  readonly operation: Operation<string>;
  readonly exchange: Exchange;
  readonly asked: Pick<CallSubject, 'account' | 'params' | 'target' | 'view'>;
  /** The final answer that a poll reproduces: its work is over, whatever it says. */
  readonly isFinal?: true;
}

export function refineJudgement(
  deps: Pick<ServiceDeps, 'gaps' | 'accounts' | 'files'>,
  judgement: Judgement,
  call: JudgedCall,
): RefinedJudgement {
  if (judgement.outcome === 'PENDING') return { judgement: pollable(judgement, call) };
  if (judgement.outcome !== 'DONE') return { judgement };
  const { operation, exchange, asked } = call;
  const answer = { ...readableAnswer(deps, call), body: judgement.body };
  if (goesByStatus(operation.id)) {
    const { state, rawStatus } = readRefreshStatus(judgement.body, deps.gaps);
    if (state === 'running') return { judgement: begun(judgement, exchange) };
    const reading = asked.view === 'body' ? readingOf(asked.view, answer) : undefined;
    return { judgement, end: { finalState: state, rawStatus: rawStatus ?? null }, ...present({ reading }) };
  }
  const reading = readingOf(asked.view, answer);
  if (reading === undefined) {
    return { judgement: { outcome: 'CHARGED_LOST', reason: 'the answer is not what the operation promises' } };
  }
  const summary = readSummary(answer);
  if (summary?.finalState === 'running' && operation.id === 'requestSummary') {
    const pending = begun(judgement, exchange);
    const isBegun = pending.pending.requestId !== undefined && call.isFinal !== true;
    return isBegun ? { judgement: pending } : { judgement, reading };
  }
  return { judgement, reading, ...present({ end: summary }) };
}

/** Accepted work is polled by its request id, a refresh by its status; work without either is unknown. */
function pollable(judgement: Judged<'PENDING'>, { operation, asked }: JudgedCall): Judgement {
  const { meta, pending } = judgement;
  if (pending.requestId !== undefined || goesByStatus(operation.id)) return judgement;
  // The answer of `getRequest` is about the request in its parameters; the interface names no member for that of a summary.
  const unnamed = operation.id === 'requestSummary' ? pending.ownId : undefined;
  const requestId = operation.answer === 'reproduced' ? parseRequestId(asked.params['requestId']) : unnamed;
  if (requestId !== undefined) return { ...judgement, pending: { ...pending, requestId } };
  return { outcome: 'UNKNOWN', reason: 'accepted, but without a request id that could be polled', meta };
}

/** What an answer about a summary says instead of its text. `maxAge` does not reuse rows with such an end. */
function readSummary(answer: ReadableAnswer): End | undefined {
  if (!['requestSummary', 'getSummary'].includes(answer.operation.id)) return undefined;
  const { ready, state, rawStatus } = readSummaryState(answer) ?? { ready: true };
  return ready ? undefined : { finalState: state, rawStatus };
}

/** Work that was accepted, although not with a 202. */
function begun({ body, meta }: Judged<'DONE'>, exchange: Exchange): Judged<'PENDING'> {
  const pending = readPending(body, undefined);
  const hintMs = 'head' in exchange ? readHintMs(exchange.head, pending.hints) : null;
  return { outcome: 'PENDING', pending, hintMs, meta };
}

/** The answer of an exchange as the input of the readers. */
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
    ...present({ target, file, fileOwed: isOwed(files, file), headers: serviceHeadersOf(exchange) }),
  };
}
