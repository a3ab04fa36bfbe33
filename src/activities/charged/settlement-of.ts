/** What a judged answer means for its ledger row. Pure. */
import { ZERO_AMOUNT, present, type Operation } from '../../contract/index.js';
import { readExchangeMeta, type Exchange, type Judgement } from '../../http/index.js';
import type { Intent, Settlement } from '../../ledger/index.js';
import { storedFileOf } from './stored-file.js';

/** Settlement of the call itself: what was reported of its charge, the answer as it came, and how it is to be taken. */
export function settlementOf(
  judgement: Judgement,
  exchange: Exchange,
  opening: { readonly openedAtMs: number },
): Settlement {
  if (judgement.outcome === 'NOT_SENT') return { state: 'not_sent', reason: judgement.reason };
  const facts = {
    ...headFacts(exchange, opening),
    // The answer is lost, not what it reported of its charge.
    ...('meta' in judgement ? judgement.meta : readExchangeMeta(exchange)),
    ...present({ body: bodyOf(exchange) }),
  };
  switch (judgement.outcome) {
    case 'DONE': {
      const file = storedFileOf(exchange);
      // A cut answer that is DONE all the same (a DELETE) is kept as an empty one.
      const body = exchange.kind === 'cut' ? { bytes: Buffer.alloc(0), contentType: null } : undefined;
      // A file is on disk, under its hash: the row remembers where.
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
 * Settlement by the reproduced final of a poll. The opening by the service's clock and the request id are those of the call
 * itself; that a 202 and its final report one charge is the ledger's rule (decide-settlement.ts).
 */
export function finalSettlementOf(judgement: Judgement, exchange: Exchange, intent: Intent): Settlement {
  const { serviceOpenedAtMs: _kept, requestId: _id, ...rest } = settlementOf(judgement, exchange, intent);
  return rest;
}

/**
 * Settlement of a look at the pending work of another caller: the reproduced answer has the charge and the balance of that
 * call, and they are booked there.
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

/** Skew is measured by the answer's own `Date`: opening time + (their clock − ours). */
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
