/** Caps, floor and expected prices: what is reserved, what counts, and what stops a call before it is sent. */
import { randomUUID } from 'node:crypto';
import type { LedgerSettings, OpenIntent, Settlement } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { amount, elsewhere, intentOf, makeLedger, refreshRequest, setClock, lastBalance } from './support.js';

const database = withDatabase();
const PRICES = { default: amount(5_000), requestRefresh: amount(1_000) };

/** A ledger for an account that no other test knows. */
function budget(limits: LedgerSettings['accounts'][string], nowMs?: number) {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const clock = setClock(nowMs);
  const { ledger } = makeLedger(database.db, { clock, settings: { accounts: { [account]: limits }, prices: PRICES } });
  const open = (changes: Partial<OpenIntent> = {}) => ledger.openIntent(refreshRequest({ account, ...changes }));
  const spend = async (settlement: Settlement, changes: Partial<OpenIntent> = {}): Promise<void> => {
    await ledger.settle(intentOf(await open(changes)).intentId, settlement);
  };
  return { ledger, clock, account, open, spend };
}

test('the expected price is the configured one, else the highest charge seen, else the default', async () => {
  const account = randomUUID().slice(0, 8);
  const { ledger } = makeLedger(database.db, { settings: { prices: { default: amount(5_000) } } });
  const open = async () => intentOf(await ledger.openIntent(refreshRequest({ account })));
  const first = await open();
  expect(first.reserved).toBe(5_000);
  await ledger.settle(first.intentId, { state: 'done', charged: amount(0) });
  expect((await open()).reserved).toBe(5_000);
  await ledger.settle((await open()).intentId, { state: 'done', charged: amount(900) });
  await ledger.settle((await open()).intentId, { state: 'done', charged: amount(300) });
  expect((await open()).reserved).toBe(900);
  const configured = makeLedger(database.db, { settings: { prices: PRICES } }).ledger;
  expect(intentOf(await configured.openIntent(refreshRequest({ account }))).reserved).toBe(1_000);
});

test('a cap may be reached but not passed, and a refused call writes no row', async () => {
  const { ledger, account, open } = budget({ maxSpendPerDay: amount(2_000) });
  expect((await open()).kind).toBe('send');
  expect((await open()).kind).toBe('send');
  expect(await open()).toEqual({ kind: 'over budget', cap: 'day', limit: 2_000, needed: 3_000, price: 1_000 });
  expect(await ledger.list({ account })).toHaveLength(2);
});

test('a reported charge counts in full, also above its reserve; an unreported one counts at its reserve', async () => {
  const { open, spend } = budget({ maxSpendPerDay: amount(5_000) });
  await spend({ state: 'done', charged: amount(2_500) });
  await spend({ state: 'charged_lost' });
  await spend({ state: 'unknown' });
  expect(await open()).toMatchObject({ cap: 'day', needed: 5_500 });
});

test('a rejected, unsent or reused call costs nothing', async () => {
  const { ledger, account, spend, open } = budget({ maxSpendPerDay: amount(1_000) });
  await spend({ state: 'rejected', httpStatus: 422 });
  await spend({ state: 'not_sent' });
  const request = refreshRequest({ account });
  const { intentId } = intentOf(await ledger.openIntent(request));
  await ledger.settle(intentId, { state: 'pending', requestId: randomUUID() });
  expect((await ledger.openIntent(elsewhere(request))).kind).toBe('stored');
  await ledger.settle(intentId, { state: 'done', charged: amount(1_000), httpStatus: 200 });
  expect((await ledger.openIntent(elsewhere(request, { maxAgeMs: 60_000 }))).kind).toBe('stored');
  expect((await open()).kind).toBe('over budget');
});

test('a pending call whose 202 names a charge of zero still counts at its reserve', async () => {
  const { open, spend } = budget({ maxSpendPerDay: amount(1_500) });
  await spend({ state: 'pending', charged: amount(0), requestId: randomUUID() });
  expect(await open()).toMatchObject({ cap: 'day', needed: 2_000 });
});

test('the day of a cap is the civil day of São Paulo', async () => {
  // 2026-03-11 02:59:59 UTC is 23:59:59 on 10 March there.
  const { clock, open } = budget({ maxSpendPerDay: amount(1_000) }, Date.parse('2026-03-11T02:59:59Z'));
  expect((await open()).kind).toBe('send');
  expect((await open()).kind).toBe('over budget');
  clock.nowMs += 1_000;
  expect((await open()).kind).toBe('send');
});

test('the smaller of two caps of a flow applies, and other flows have their own', async () => {
  const { open } = budget({ maxSpendPerFlow: amount(1_500) });
  const run = { workflowId: randomUUID(), firstRunId: randomUUID() };
  expect((await open({ ...run, maxSpend: amount(9_000) })).kind).toBe('send');
  expect(await open({ ...run, step: 'next', maxSpend: amount(9_000) })).toMatchObject({ cap: 'flow', limit: 1_500 });
  expect((await open({ maxSpend: amount(900) })).kind).toBe('over budget');
  expect((await open({ ...run, firstRunId: randomUUID() })).kind).toBe('send');
});

test('the floor counts the last balance and everything reserved since', async () => {
  const { open, spend, account } = budget({ minBalance: amount(3_000) });
  expect((await open()).kind).toBe('send');
  await spend({ state: 'done', charged: amount(1_000), balanceAfter: amount(6_000) });
  expect(await lastBalance(database.db, account)).toBe(6_000);
  expect((await open()).kind).toBe('send');
  // 3,000 floor + 2,000 reserved + 1,000 for this call: exactly the balance.
  expect((await open()).kind).toBe('send');
  expect(await open()).toMatchObject({ kind: 'over budget', cap: 'balance', limit: 3_000, needed: 7_000 });
});

test('the floor counts the charges since the last balance whose answers reported none', async () => {
  const { clock, open, spend } = budget({ minBalance: amount(3_000) });
  await spend({ state: 'done', charged: amount(1_000), balanceAfter: amount(6_000) });
  clock.nowMs += 1;
  await spend({ state: 'done', charged: amount(1_500) });
  await spend({ state: 'pending', charged: amount(500), requestId: randomUUID() });
  // 3,000 floor + 2,000 charged + 1,000 for this call: exactly the balance.
  expect(await open()).toMatchObject({ kind: 'send' });
  expect(await open()).toMatchObject({ kind: 'over budget', cap: 'balance', balance: 4_000, needed: 5_000 });
  await spend({ state: 'done', charged: amount(0), balanceAfter: amount(9_000) }, { operation: 'getAvailability' });
  clock.nowMs += 1;
  // The new balance contains what was charged before.
  expect(await open()).toMatchObject({ kind: 'send' });
});

test('a free call is stopped by no limit, because it may fetch a paid answer', async () => {
  const limits = { minBalance: amount(9_000), maxSpendPerDay: amount(1_000), maxSpendPerFlow: amount(1_000) };
  const { open, spend } = budget(limits);
  const run = {
    workflowId: randomUUID(),
    firstRunId: randomUUID(),
    budget: { key: randomUUID(), limit: amount(1_000) },
  };
  await spend({ state: 'done', charged: amount(1_100), balanceAfter: amount(8_900) }, run);
  expect((await open({ ...run, step: 'next' })).kind).toBe('over budget');
  const free = { operation: 'getRequest', params: { requestId: randomUUID() }, step: 'free' };
  expect(await open({ ...run, ...free })).toMatchObject({ kind: 'send', intent: { reserved: 0 } });
});
