/** Which answers say that their call was free: `meta.searchLogId` is null for free calls (interface "Envelope"). */
import { operationOf } from '../../src/contract/index.js';
import { judgeExchange, type Exchange } from '../../src/http/index.js';
import { finalSettlementOf, settlementOf } from '../../src/activities/charged/settlement-of.js';
import { makeIntent } from '../support/kept-intent.js';

const DELETE = operationOf('deactivateAdminMonitor');
const nowMs = Date.UTC(2026, 0, 1);

function answer(meta: object, headers: Record<string, string> = {}, status = 200): Exchange {
  const body = Buffer.from(JSON.stringify({ data: {}, meta: { requestId: 'm-1', ...meta } }));
  return { kind: 'answer', head: { status, headers, receivedAtMs: nowMs }, body };
}

function settled(exchange: Exchange) {
  return settlementOf(judgeExchange(DELETE, exchange), exchange, { openedAtMs: nowMs });
}

describe('an answer without a charge', () => {
  test('is free if its log id is null', () => {
    expect(settled(answer({ searchLogId: null }))).toMatchObject({ state: 'done', charged: 0 });
    expect(settled(answer({ searchLogId: null, creditsCharged: null }))).toMatchObject({ state: 'done', charged: 0 });
  });

  test.each<[string, Exchange]>([
    ['it names no log id', answer({})],
    ['it has a log id', answer({ searchLogId: 'log-1' })],
    ['a header has a log id', answer({ searchLogId: null }, { 'x-service-search-log-id': 'log-1' })],
    ['its charge cannot be read', answer({ searchLogId: null, creditsCharged: 'one' })],
    ['its charge in snake case cannot be read', answer({ searchLogId: null, credits_charged: 'one' })],
    ['its charge cannot be booked', answer({ searchLogId: null, creditsCharged: -1 })],
  ])('is not free if %s', (_why, exchange) => {
    expect(settled(exchange)).toMatchObject({ state: 'done', charged: null });
  });

  test('is not free if it only accepts the work', () => {
    expect(settled(answer({ searchLogId: null }, {}, 202))).toMatchObject({ charged: null });
  });

  test('is not free if it was polled, because the poll itself is free', () => {
    const exchange = answer({ searchLogId: null });
    const judgement = judgeExchange(DELETE, exchange);
    expect(finalSettlementOf(judgement, exchange, makeIntent({}))).toMatchObject({ state: 'done', charged: null });
  });

  test('keeps the charge of a header', () => {
    const exchange = answer({ searchLogId: null }, { 'x-service-credits-charged': '0.05' });
    expect(settled(exchange)).toMatchObject({ charged: 500 });
  });
});
