/** A step that needs what was there after some instant: which equal calls of other runs it may take. */
import type { OpenIntent } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { MINUTE_MS, REQUEST_ID, elsewhere, intentOf, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();

test('a call that was sent before the asked instant has another answer: not joined under way, nor taken when answered later', async () => {
  const { ledger, clock } = makeLedger(database.db);
  const request = refreshRequest({ askedAtMs: clock.nowMs });
  const { intentId } = intentOf(await ledger.openIntent(request));
  clock.nowMs += 1_000;
  const sentNotBeforeMs = clock.nowMs;
  const openedBy = async (changes: Partial<OpenIntent>): Promise<string> => {
    const verdict = await ledger.openIntent(elsewhere(request, changes));
    if (verdict.kind === 'send') await ledger.settle(intentOf(verdict).intentId, { state: 'not_sent' });
    return verdict.kind;
  };
  expect(await openedBy({ sentNotBeforeMs: sentNotBeforeMs - 1_000 })).toBe('open elsewhere');
  expect(await openedBy({ sentNotBeforeMs })).toBe('send');
  await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
  expect(await openedBy({ sentNotBeforeMs })).toBe('send');
  clock.nowMs += 1_000;
  await ledger.settle(intentId, { state: 'done', httpStatus: 200 });
  expect(await openedBy({ sentNotBeforeMs, notBeforeMs: sentNotBeforeMs, maxAgeMs: MINUTE_MS })).toBe('send');
  expect(await openedBy({ notBeforeMs: sentNotBeforeMs })).toBe('stored');
});
