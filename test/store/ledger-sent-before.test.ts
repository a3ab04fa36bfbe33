/** A step with `sentNotBeforeMs` needs the state after an instant: it shares only equal calls that were sent later. */
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

test('a call that was sent before the instant is not joined, and not shared when it is answered later', async () => {
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

test('a flow that waited for an earlier unknown call does not take its answer and sends its own', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
  await ledger.settle(intentId, { state: 'unknown' });
  clock.nowMs += 1_000;
  const late = { sentNotBeforeMs: clock.nowMs, notBeforeMs: clock.nowMs, joinIntent: intentId };
  expect((await ledger.openIntent(elsewhere(request, late))).kind).toBe('unknown elsewhere');
  await ledger.settle(intentId, { state: 'done', httpStatus: 200 });
  expect((await ledger.openIntent(elsewhere(request, late))).kind).toBe('send');
});

test('an earlier call whose answer is lost does not stop a flow that needs a later one', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
  clock.nowMs += 1_000;
  const sentNotBeforeMs = clock.nowMs;
  clock.nowMs += 1_000;
  await ledger.settle(intentId, { state: 'charged_lost', charged: amount(1_000) });
  expect((await ledger.openIntent(elsewhere(request, {}))).kind).toBe('stored');
  expect((await ledger.openIntent(elsewhere(request, { sentNotBeforeMs }))).kind).toBe('send');
});

test('a call that a worker with a clock slightly behind sent after the instant is shared', async () => {
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
  expect(await ledger.openIntent(other)).toMatchObject({ kind: 'stored', intent: { joined: intentId } });
});

test('an earlier unknown call that is lost in the end does not stop a flow that waited for it', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
  await ledger.settle(intentId, { state: 'unknown' });
  clock.nowMs += 1_000;
  const late = { sentNotBeforeMs: clock.nowMs, notBeforeMs: clock.nowMs, joinIntent: intentId };
  await ledger.settle(intentId, { state: 'charged_lost', charged: amount(1_000) });
  expect((await ledger.openIntent(elsewhere(request, late))).kind).toBe('send');
});
