/** What a judged answer means for its ledger row. Pure. */
import { ZERO_AMOUNT, type AnswerMeta, type Operation } from '../../contract/index.js';
import { readExchangeMeta, type Exchange, type Judgement } from '../../http/index.js';
import type { Intent, Settlement } from '../../ledger/index.js';
import { storedFileOf } from './stored-file.js';

/** Settlement of the call itself. `ownClock` dates the row's opening by the service's clock. */
export function settlementOf(
  judgement: Judgement,
  exchange: Exchange,
  opening: { readonly openedAtMs: number },
): Settlement {
  const common = { ...answerFacts(exchange), ...clockFacts(exchange, opening) };
  switch (judgement.outcome) {
    case 'DONE':
      return { ...common, ...metaFacts(judgement.meta), ...doneBodyOf(exchange), ...fileOf(exchange), state: 'done' };
    case 'PENDING':
      return {
        ...common,
        ...metaFacts(judgement.meta),
        ...bodyOf(exchange),
        state: 'pending',
        requestId: judgement.pending.requestId ?? null,
      };
    case 'REJECTED':
      return {
        ...common,
        ...metaFacts(judgement.meta),
        ...bodyOf(exchange),
        state: 'rejected',
        errorCode: judgement.error.code ?? null,
        reason: judgement.error.reason ?? null,
        ...throttleOf(exchange, judgement.retryAfterMs),
      };
    case 'NOT_SENT':
      return { state: 'not_sent', reason: judgement.reason };
    case 'CHARGED_LOST':
      return {
        ...common,
        // Lost is the answer, not what it told of its charge.
        ...metaFacts(readExchangeMeta(exchange)),
        ...bodyOf(exchange),
        state: 'charged_lost',
        reason: judgement.reason,
      };
    case 'UNKNOWN':
      return {
        ...common,
        ...metaFacts(judgement.meta),
        ...bodyOf(exchange),
        state: 'unknown',
        reason: judgement.reason,
      };
  }
}

/**
 * Settlement by the reproduced final of a poll. The opening by the service's clock and the request id are those of the call
 * itself; that a 202 and its final tell one charge is the ledger's rule (decide-settlement.ts).
 */
export function finalSettlementOf(judgement: Judgement, exchange: Exchange, intent: Intent): Settlement {
  const { serviceOpenedAtMs: _kept, requestId: _id, ...rest } = settlementOf(judgement, exchange, intent);
  return rest;
}

/**
 * Settlement of a look at somebody else's pending work: the reproduced answer tells the charge and the balance of that call, and
 * they are booked there.
 */
export function foreignSettlement(operation: Operation<string>, settlement: Settlement): Settlement {
  if (operation.answer !== 'reproduced') return settlement;
  return { ...settlement, charged: ZERO_AMOUNT, balanceAfter: null, searchLogId: null };
}

/** A 429 with `Retry-After` is about the account, not about this call alone. */
function throttleOf(exchange: Exchange, retryAfterMs: number | null): Pick<Settlement, 'throttledUntilMs'> {
  if (!('head' in exchange) || exchange.head.status !== 429 || retryAfterMs === null) return {};
  return { throttledUntilMs: exchange.head.receivedAtMs + retryAfterMs };
}

function answerFacts(exchange: Exchange): Partial<Pick<Settlement, 'httpStatus'>> {
  return 'head' in exchange ? { httpStatus: exchange.head.status } : {};
}

/** Skew is measured by the answer's own `Date`: opening time + (their clock − ours). */
function clockFacts(
  exchange: Exchange,
  opening: { readonly openedAtMs: number },
): Partial<Pick<Settlement, 'serviceOpenedAtMs'>> {
  if (!('head' in exchange)) return {};
  const { dateMs, receivedAtMs } = exchange.head;
  return dateMs === undefined
    ? {}
    : { serviceOpenedAtMs: opening.openedAtMs + (dateMs - Math.floor(receivedAtMs / 1_000) * 1_000) };
}

function metaFacts(meta: AnswerMeta): Pick<Settlement, 'charged' | 'balanceAfter' | 'metaRequestId' | 'searchLogId'> {
  return {
    charged: meta.charged,
    balanceAfter: meta.balanceAfter,
    metaRequestId: meta.metaRequestId,
    searchLogId: meta.searchLogId,
  };
}

/** A cut answer that is DONE all the same (a DELETE) is kept as an empty one. */
function doneBodyOf(exchange: Exchange): Partial<Pick<Settlement, 'body'>> {
  return exchange.kind === 'cut' ? { body: { bytes: Buffer.alloc(0), contentType: null } } : bodyOf(exchange);
}

function bodyOf(exchange: Exchange): Partial<Pick<Settlement, 'body'>> {
  if (exchange.kind !== 'answer') return {};
  return { body: { bytes: exchange.body, contentType: exchange.head.headers['content-type'] ?? null } };
}

/** A file is on disk, under its hash: the row remembers where. */
function fileOf(exchange: Exchange): Partial<Pick<Settlement, 'evidence'>> {
  const file = storedFileOf(exchange);
  return file === undefined ? {} : { evidence: { file } };
}
