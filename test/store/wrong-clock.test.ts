/** A worker whose machine has a wrong clock, beside others, Temporal and a database whose clocks are right. */
import { sql } from 'kysely';
import { beginLife } from '../../src/ledger/index.js';
import { writeIntent } from '../../src/activities/charged/write-intent.js';
import { DEFAULT_GAPS } from '../../src/contract/index.js';
import { createDatabaseClock } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { amount, closeStep, elsewhere, intentOf, jsonBody, makeLedger, MINUTE_MS, refreshRequest } from './support.js';

const database = withDatabase();

/** A ledger of a worker whose clock is wrong, after the clock was set by the database. */
async function ledgerOf(minutesOff: number) {
  const clock = createDatabaseClock(database.db, () => Date.now() + minutesOff * MINUTE_MS);
  await clock.set();
  return makeLedger(database.db, { clock: { now: clock.nowMs, nowMs: 0 } }).ledger;
}

const ANSWER = { state: 'done' as const, charged: amount(5_000), httpStatus: 200, body: jsonBody({ all: 'well' }) };
const getCase = () => refreshRequest({ operation: 'getCase', step: 'case', webhookExpected: false });

test.each([-5, 5])('%i minutes off: a flow shares what was bought since it asked, and nothing older', async (off) => {
  const ledger = await ledgerOf(off);
  const request = getCase();
  const other = elsewhere(request, { askedAtMs: Date.now() - 1_000 });
  const later = elsewhere(request, { askedAtMs: Date.now() + MINUTE_MS });
  const { intentId } = intentOf(await ledger.openIntent(request));
  await ledger.settle(intentId, ANSWER);
  expect(await ledger.openIntent(other)).toMatchObject({ kind: 'stored', intent: { joined: intentId } });
  expect(await ledger.openIntent(later)).toMatchObject({ kind: 'send' });
});

test.each([-5, 5])('%i minutes off: an answer of another worker has its right age', async (off) => {
  const request = getCase();
  const right = await ledgerOf(0);
  const { intentId } = intentOf(await right.openIntent(request));
  await right.settle(intentId, ANSWER);
  const wrong = await ledgerOf(off);
  const young = elsewhere(request, { maxAgeMs: MINUTE_MS });
  expect(await wrong.openIntent(young)).toMatchObject({ kind: 'stored', intent: { joined: intentId } });
});

test('a clock that is nearly right is left alone, and a wrong one is corrected until it is right', async () => {
  let offMs = 3_000;
  const clock = createDatabaseClock(database.db, () => Date.now() + offMs);
  for (const [off, ahead] of [
    [3_000, 0],
    [-5 * MINUTE_MS, 5 * MINUTE_MS],
    [0, 0],
  ] as const) {
    offMs = off;
    await clock.set();
    expect(Math.abs(clock.aheadOfMachineMs() - ahead)).toBeLessThan(2_000);
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(3_500);
  }
});

test('a corrected clock does not jump after a slow answer or a change within the tolerance', async () => {
  let offMs = -8_000;
  let slowMs = 0;
  let readings = 0;
  // The second reading of each `set` comes after the answer.
  const clock = createDatabaseClock(database.db, () => Date.now() + offMs + (readings++ % 2 === 1 ? slowMs : 0));
  await clock.set();
  const ahead = clock.aheadOfMachineMs();
  expect(Math.abs(ahead - 8_000)).toBeLessThan(2_000);
  slowMs = 20_000;
  await clock.set();
  expect(clock.aheadOfMachineMs()).toBe(ahead);
  slowMs = 0;
  offMs = -4_500;
  await clock.set();
  expect(clock.aheadOfMachineMs()).toBe(ahead);
});

describe('a clock of a machine that is changed while the worker runs', () => {
  /** The clock was right when it was set. */
  async function changedBy(minutes: number) {
    let offMs = 0;
    let readings = 0;
    const machineMs = (): number => {
      readings += 1;
      return Date.now() + offMs;
    };
    const clock = createDatabaseClock(database.db, machineMs);
    await clock.set();
    offMs = minutes * MINUTE_MS;
    return { clock, readings: () => readings };
  }

  test.each([-180, -5, 5, 180])(
    'by %i minutes: the next call is dated right, and an equal one is not paid again',
    async (minutes) => {
      const { clock } = await changedBy(minutes);
      const { ledger } = makeLedger(database.db, { clock: { now: clock.nowMs, nowMs: 0 } });
      const request = getCase();
      const other = elsewhere(request, { askedAtMs: Date.now() - 1_000 });
      const { attemptToken, attempt, ...call } = request;
      const deps = {
        ledger,
        clock: { ...clock, monotonicMs: () => performance.now() },
        gaps: DEFAULT_GAPS,
        log: { warn: jest.fn() },
        spool: {},
      };
      const order = {
        operation: call.operation,
        input: call,
        attempt: { attempt, attemptToken },
        webhookExpected: false,
        age: () => 0,
        untilAgeMs: 0,
      };
      const verdict = await writeIntent(deps as unknown as Parameters<typeof writeIntent>[0], order as never);
      const { intentId, openedAtMs } = intentOf(verdict as Parameters<typeof intentOf>[0]);
      expect(Math.abs(openedAtMs - Date.now())).toBeLessThan(5_000);
      await ledger.settle(intentId, ANSWER);
      expect(await ledger.openIntent(other)).toMatchObject({ kind: 'stored', intent: { joined: intentId } });
    },
  );

  test('is corrected once for all who ask at the same time, and the database is asked only after a change', async () => {
    const { clock, readings } = await changedBy(60);
    await Promise.all([clock.setIfChanged(), clock.setIfChanged()]);
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(5_000);
    const before = readings();
    await clock.setIfChanged();
    expect(readings() - before).toBe(1);
  });
});

test('a step from before the life of the database began is unknown, and is not paid again', async () => {
  const ledger = await ledgerOf(-5);
  await sql`update tramita.ledger_life set identity = 'another'`.execute(database.db);
  await beginLife(database.db, { because: 'a test', witness: null });
  await sql`update tramita.ledger_life set held_since = null`.execute(database.db);
  const close = (agoMs: number) => closeStep(ledger, getCase(), { deadlineMs: 0, askedAtMs: Date.now() - agoMs });
  expect(await close(MINUTE_MS)).toMatchObject({ state: 'unknown' });
  expect(await close(-MINUTE_MS)).toMatchObject({ state: 'closed' });
});
