/** A step that needs what was there after some instant: which equal calls of other runs it may take. */
import type { OpenIntent } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  NOON_MS,
  REQUEST_ID,
  amount,
  elsewhere,
  intentOf,
  makeLedger,
  openCall,
  refreshRequest,
} from './support.js';

const database = withDatabase();

test('a call that was sent before the asked instant has another answer: not joined under way, nor taken when answered later', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
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

test('who waited for such a call while it was unknown does not take its answer, and buys', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
  await ledger.settle(intentId, { state: 'unknown' });
  clock.nowMs += 1_000;
  const late = { sentNotBeforeMs: clock.nowMs, notBeforeMs: clock.nowMs, joinIntent: intentId };
  expect((await ledger.openIntent(elsewhere(request, late))).kind).toBe('unknown elsewhere');
  await ledger.settle(intentId, { state: 'done', httpStatus: 200 });
  expect((await ledger.openIntent(elsewhere(request, late))).kind).toBe('send');
});

test('such a call whose answer is lost binds nobody: it could not have served', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
  clock.nowMs += 1_000;
  const sentNotBeforeMs = clock.nowMs;
  clock.nowMs += 1_000;
  await ledger.settle(intentId, { state: 'charged_lost', charged: amount(1_000) });
  expect((await ledger.openIntent(elsewhere(request, {}))).kind).toBe('stored');
  expect((await ledger.openIntent(elsewhere(request, { sentNotBeforeMs }))).kind).toBe('send');
});

test('a worker whose clock is a moment behind sends after that instant all the same: its call is shared, and its answer', async () => {
  const { ledger, clock } = makeLedger(database.db);
  const sentNotBeforeMs = clock.nowMs;
  const request = refreshRequest({ sentNotBeforeMs, notBeforeMs: sentNotBeforeMs, askedAtMs: clock.nowMs });
  clock.nowMs -= 300;
  const { intentId } = intentOf(await ledger.openIntent(request));
  const other = elsewhere(request, {});
  expect(await ledger.openIntent(other)).toMatchObject({ kind: 'open elsewhere', intent: { intentId } });
  clock.nowMs += 100;
  await ledger.settle(intentId, { state: 'done', httpStatus: 200 });
  clock.nowMs += 5_000;
  expect(await ledger.openIntent(other)).toMatchObject({ kind: 'stored', reused: true });
});

test('nor does one that was lost bind who waited for it while it was unknown', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
  await ledger.settle(intentId, { state: 'unknown' });
  clock.nowMs += 1_000;
  const late = { sentNotBeforeMs: clock.nowMs, notBeforeMs: clock.nowMs, joinIntent: intentId };
  await ledger.settle(intentId, { state: 'charged_lost', charged: amount(1_000) });
  expect((await ledger.openIntent(elsewhere(request, late))).kind).toBe('send');
});
