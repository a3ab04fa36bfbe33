/** What a judged answer means for its ledger row. Pure. */
import { ZERO_AMOUNT, present, type Operation } from '../../contract/index.js';
import { metaOf, saysFree, type Exchange, type Judgement } from '../../http/index.js';
import type { Intent, Settlement } from '../../ledger/index.js';
import { storedFileOf } from './stored-file.js';

/** Settlement of the call itself: its reported charge, the answer as it came, and the state that follows. */
export function settlementOf(judgement: Judgement, exchange: Exchange, opening: Opening): Settlement {
  const settlement = settlementBy(judgement, exchange, opening);
  const { state, charged, searchLogId } = settlement;
  const isUntold = state === 'done' && charged === null && searchLogId === null;
  const isFree = isUntold && judgement.outcome === 'DONE' && saysFree(judgement.body);
  return isFree ? { ...settlement, charged: ZERO_AMOUNT } : settlement;
}

interface Opening {
  readonly openedAtMs: number;
}

function settlementBy(judgement: Judgement, exchange: Exchange, opening: Opening): Settlement {
  if (judgement.outcome === 'NOT_SENT') return { state: 'not_sent', reason: judgement.reason };
  const facts = {
    ...headFacts(exchange, opening),
    // Even of a lost answer the reported charge is kept.
    ...metaOf(judgement, exchange),
    ...present({ body: bodyOf(exchange) }),
  };
  switch (judgement.outcome) {
    case 'DONE': {
      const file = storedFileOf(exchange);
      // A truncated answer that counts as done all the same (a DELETE) is stored as an empty one.
      const body = exchange.kind === 'cut' ? { bytes: Buffer.alloc(0), contentType: null } : undefined;
      // A file is on disk under its hash; the row records where.
      return { ...facts, ...present({ body: body ?? facts.body, evidence: file && { file } }), state: 'done' };
    }
    case 'PENDING':
      return { ...facts, state: 'pending', requestId: judgement.pending.requestId ?? null };
    case 'REJECTED': {
      const { error, retryAfterMs } = judgement;
      const said = { errorCode: error.code ?? null, reason: error.reason ?? null };
      return { ...facts, ...said, state: 'rejected', ...throttleOf(exchange, retryAfterMs) };
    }
    case 'CHARGED_LOST':
      return { ...facts, state: 'charged_lost', reason: judgement.reason };
    case 'UNKNOWN':
      return { ...facts, state: 'unknown', reason: judgement.reason };
  }
}

/**
 * Settlement by the final answer that a poll reproduces. The row keeps the opening time and the request id of the call itself.
 * The ledger sees to it that a 202 and its final answer report one charge (decide-settlement.ts). A log id that is null proves
 * nothing here: the poll itself is free.
 */
export function finalSettlementOf(judgement: Judgement, exchange: Exchange, intent: Intent): Settlement {
  const { serviceOpenedAtMs: _kept, requestId: _id, ...rest } = settlementBy(judgement, exchange, intent);
  return rest;
}

/**
 * Settlement of a poll of another caller's work: the charge and the balance in the reproduced answer belong to that call, so
 * they are not booked here.
 */
export function foreignSettlement(operation: Operation<string>, settlement: Settlement): Settlement {
  if (operation.answer !== 'reproduced') return settlement;
  return { ...settlement, charged: ZERO_AMOUNT, balanceAfter: null, searchLogId: null };
}

/** A 429 with `Retry-After` is about the account, not only about this call. */
function throttleOf(exchange: Exchange, retryAfterMs: number | null): Pick<Settlement, 'throttledUntilMs'> {
  if (!('head' in exchange) || exchange.head.status !== 429 || retryAfterMs === null) return {};
  return { throttledUntilMs: exchange.head.receivedAtMs + retryAfterMs };
}

/** When the call was opened by the service's clock: our opening time + (their clock − ours), by the answer's `Date`. */
function headFacts(
  exchange: Exchange,
  { openedAtMs }: { readonly openedAtMs: number },
): Partial<Pick<Settlement, 'httpStatus' | 'serviceOpenedAtMs'>> {
  if (!('head' in exchange)) return {};
  const { status: httpStatus, dateMs, receivedAtMs } = exchange.head;
  if (dateMs === undefined) return { httpStatus };
  return { httpStatus, serviceOpenedAtMs: openedAtMs + (dateMs - Math.floor(receivedAtMs / 1_000) * 1_000) };
}

function bodyOf(exchange: Exchange): Settlement['body'] {
  if (exchange.kind !== 'answer') return undefined;
  return { bytes: exchange.body, contentType: exchange.head.headers['content-type'] ?? null };
}
