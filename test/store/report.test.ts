/** `tramita report` agrees with the running sums of the ledger, also for archived rows, and scans no whole table. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { archiveIntents, readReport, type Intent, type OpenIntent } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { fillLedger } from '../support/fill-ledger.js';
import { amount, elsewhere, intentOf, jsonBody, makeLedger, MINUTE_MS, NOON_MS, refreshRequest } from './support.js';

const DAY_MS = 86_400_000;
const MIDNIGHT_MS = Date.parse(`${new Date(NOON_MS).toISOString().slice(0, 10)}T03:00:00Z`);
const database = withDatabase();

describe('readReport over years of rows', () => {
  const from = { fromMs: MIDNIGHT_MS - 600 * DAY_MS, beforeMs: MIDNIGHT_MS + DAY_MS, nowMs: NOON_MS };
  beforeAll(async () => {
    const filling = database.connect({ max: 1, statementTimeoutMs: 120_000 });
    await fillLedger(filling, { intents: 9_000, waiters: 0, events: 0, today: 200, round: 10, nowMs: NOON_MS });
    await archiveIntents(filling, { beforeMs: NOON_MS - 400 * DAY_MS, nowMs: NOON_MS });
    await sql`select pg_stat_force_next_flush()`.execute(filling);
  }, 240_000);

  it('agrees with the running sums by day and operation, and reads the archive', async () => {
    const archived = await sql<{ count: number }>`
      select count(*)::integer as count from tramita.intent_archive where opened_at >= ${new Date(from.fromMs)}`.execute(
      database.db,
    );
    expect(archived.rows[0]?.count).toBeGreaterThan(100);
    for (const account of ['default', 'busy']) {
      const { spend } = await readReport(database.db, { account, ...from });
      const seen = new Map<string, { spent: number; charged: number }>();
      for (const { day, operation, charged, held } of spend) {
        const { spent = 0, charged: before = 0 } = seen.get(`${day} ${operation}`) ?? {};
        seen.set(`${day} ${operation}`, { spent: spent + charged + held, charged: before + charged });
      }
      const { rows } = await sql<{ key: string; spent: number; charged: number }>`
        select day::text || ' ' || operation as key, sum(spent)::bigint as spent, sum(told + listed + evidence)::bigint as charged
        from tramita.spend_day where account = ${account}
          and day >= (${new Date(from.fromMs)}::timestamptz at time zone 'America/Sao_Paulo')::date
        group by 1 having sum(spent) <> 0 order by 1`.execute(database.db);
      expect(rows.length).toBeGreaterThan(0);
      const sorted = [...seen].sort(([left], [right]) => (left < right ? -1 : 1));
      expect(sorted).toEqual(rows.map(({ key, spent, charged }) => [key, { spent, charged }]));
    }
  });

  it('reads the rows of its days and no others', async () => {
    // Otherwise the server counts the reads of the test before up to ten seconds later.
    await Promise.all(Array.from({ length: 10 }, () => sql`select pg_stat_force_next_flush()`.execute(database.db)));
    const db = database.connect({ url: database.directUrl, max: 1 });
    const readSoFar = async (): Promise<number> => {
      await sql`select pg_stat_force_next_flush()`.execute(db);
      await sql`select pg_stat_clear_snapshot()`.execute(db);
      const { rows } = await sql<{ rows: number }>`
        select sum(seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_user_tables
        where schemaname = 'tramita' and relname ~ '^intent'`.execute(db);
      return rows[0]?.rows ?? 0;
    };
    const before = await readSoFar();
    const days = { fromMs: MIDNIGHT_MS - 40 * DAY_MS, beforeMs: MIDNIGHT_MS - 36 * DAY_MS, nowMs: NOON_MS };
    const { spend } = await readReport(db, { account: 'default', ...days });
    expect(new Set(spend.map(({ day }) => day)).size).toBe(4);
    // Four days have some 35 rows, read thrice; the ledger has 9,000.
    expect((await readSoFar()) - before).toBeLessThan(600);
  });
});

it('readReport shows what equal calls saved, which charges are unknown, and how accepted work ended', async () => {
  const account = 'sharing';
  const { ledger, clock } = makeLedger(database.db);
  const answer = { httpStatus: 200, body: jsonBody({ a: randomUUID() }) };
  const open = async (request: OpenIntent): Promise<Intent> => {
    clock.nowMs += MINUTE_MS;
    return intentOf(await ledger.openIntent(request));
  };

  const shared = refreshRequest({ account });
  const { intentId } = await open(shared);
  await ledger.settle(intentId, { state: 'pending', charged: amount(1_000), requestId: randomUUID() });
  await open(elsewhere(shared));
  clock.nowMs += MINUTE_MS;
  await ledger.settle(intentId, { state: 'done', ...answer });
  await open(elsewhere(shared, { maxAgeMs: DAY_MS }));

  const bought = refreshRequest({ account, once: 'mine' });
  await ledger.settle((await open(bought)).intentId, { state: 'done', charged: amount(700), ...answer });
  await open(elsewhere(bought, { once: 'mine' }));

  // Paid, but the answer names no charge.
  const untold = refreshRequest({ account });
  await ledger.settle((await open(untold)).intentId, { state: 'done', ...answer });
  await open(elsewhere(untold, { maxAgeMs: DAY_MS }));
  await ledger.settle((await open(refreshRequest({ account }))).intentId, { state: 'unknown', reason: 'http 502' });

  const day = { fromMs: MIDNIGHT_MS, beforeMs: MIDNIGHT_MS + DAY_MS, nowMs: clock.nowMs };
  const report = await readReport(database.db, { account, ...day });
  expect(report.spend).toEqual([
    {
      day: '2026-03-10',
      operation: 'requestRefresh',
      workflowType: 'refreshCase',
      charged: 1_700,
      chargedCalls: 2,
      held: expect.any(Number) as number,
      heldCalls: 2,
    },
  ]);
  expect(report.spend[0]?.held).toBeGreaterThan(0);
  expect([...report.saved].sort((left, right) => (left.by < right.by ? -1 : 1))).toEqual([
    { by: 'kept', calls: 2, saved: 1_000, unknownCalls: 1 },
    { by: 'once', calls: 1, saved: 700, unknownCalls: 0 },
    { by: 'under way', calls: 1, saved: 1_000, unknownCalls: 0 },
  ]);
  expect(report.waits).toEqual([{ state: 'done', decided: false, count: 1 }]);
  expect(report.undecided).toEqual([expect.objectContaining({ state: 'unknown', count: 1 })]);
  const before = { fromMs: MIDNIGHT_MS - DAY_MS, beforeMs: MIDNIGHT_MS };
  expect((await readReport(database.db, { account, ...before, nowMs: clock.nowMs })).spend).toEqual([]);
});
