/** Retention of readings of the balance: what evidence may need stays, the rest is deleted in batches. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { dropReadings, type Settlement } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { amount, intentOf, makeLedger, NOON_MS, refreshRequest, setClock } from './support.js';

const DAY_MS = 86_400_000;
const LATER = { nowMs: NOON_MS + 2 * DAY_MS };
const DONE: Settlement = { state: 'done', charged: amount(1) };

const database = withDatabase();

function book() {
  const account = `account-${randomUUID().slice(0, 8)}`;
  const clock = setClock(NOON_MS);
  const { ledger } = makeLedger(database.db, { clock });
  return {
    clock,
    ledger,
    call: async (settlement: Settlement) => {
      const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account })));
      await ledger.settle(intentId, settlement);
      return intentId;
    },
    /** Stores a reading, and returns its number. */
    note: async () => {
      const { seq, clearTo } = await ledger.quiet(account);
      await ledger.noteBalance(account, { amount: amount(seq), seq, clearTo });
      return seq;
    },
    seqs: async () => {
      const { rows } = await sql<{ readonly seq: number }>`
        select seq from tramita.balance_reading where account = ${account} order by seq`.execute(database.db);
      return rows.map(({ seq }) => seq);
    },
    opening: async (intentId: string) => (await ledger.openingBalance(account, intentId))?.seq,
  };
}

test('the last reading before an undecided call stays, with all later ones', async () => {
  const { ledger, call, note, seqs, opening } = book();
  await note();
  await call(DONE);
  const before = await note();
  const unknown = await call({ state: 'unknown' });
  await call(DONE);
  const after = await note();
  await dropReadings(database.db, LATER);
  expect(await seqs()).toEqual([before, after]);
  expect(await opening(unknown)).toBe(before);
  await ledger.settle(unknown, DONE);
  await dropReadings(database.db, LATER);
  expect(await seqs()).toEqual([after]);
});

test.each(['pending', 'open'] as const)(
  'a call that is %s may become unknown, and keeps its reading',
  async (state) => {
    const { call, note, seqs } = book();
    const before = await note();
    const intentId = await call({ state: 'pending' });
    await sql`update tramita.intent set state = ${state} where intent_id = ${intentId}::uuid`.execute(database.db);
    await call(DONE);
    const after = await note();
    await dropReadings(database.db, LATER);
    expect(await seqs()).toEqual([before, after]);
  },
);

test('nothing goes where every reading is younger than the oldest undecided call', async () => {
  const { call, note, seqs } = book();
  await call({ state: 'unknown' });
  const readings = [await note()];
  await call(DONE);
  readings.push(await note());
  await dropReadings(database.db, LATER);
  expect(await seqs()).toEqual(readings);
});

test('readings of the last day stay', async () => {
  const { clock, call, note, seqs } = book();
  await note();
  clock.nowMs += 1.5 * DAY_MS;
  const readings: number[] = [];
  for (let count = 0; count < 2; count += 1) {
    await call(DONE);
    readings.push(await note());
  }
  await dropReadings(database.db, LATER);
  expect(await seqs()).toEqual(readings);
});

test('more readings than one statement deletes go in one round, except the newest', async () => {
  const account = randomUUID();
  await sql`
    insert into tramita.balance_reading (account, seq, amount, taken_at)
    select ${account}, n, n, ${new Date(NOON_MS)} from generate_series(1, 2500) as n`.execute(database.db);
  expect(await dropReadings(database.db, LATER)).toBeGreaterThanOrEqual(2_499);
  const { rows } = await sql`select seq from tramita.balance_reading where account = ${account}`.execute(database.db);
  expect(rows).toEqual([{ seq: 2_500 }]);
});
