/** The archive of the ledger: what moves there, what stays, and that an archived call is never paid again. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { archiveIntents, checkLedger, exportIntents, unknownIntents, type OpenIntent } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { BEFORE_MS, DAY_MS, LONG_AGO_MS, NOW_MS, oldCalls } from './old-calls.js';
import { amount, elsewhere, intentOf, listConflicts } from './support.js';

const database = withDatabase();

/** A new account: `buy` makes old calls, and `archive` archives them after one young call. */
function book() {
  const calls = oldCalls(database.db);
  const { clock, request, buy } = calls;
  return {
    ...calls,
    /** Buys a young, dearer call first. So no old row has to stay for the newest balance or the highest price. */
    archive: async () => {
      clock.nowMs = NOW_MS;
      await buy(request(), { charged: 1_001 });
      return archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: clock.nowMs });
    },
    isArchived: async (intentId: string) => {
      const { rows } = await sql`select from tramita.intent_archive where intent_id = ${intentId}::uuid
        and not exists (select from tramita.intent where intent_id = ${intentId}::uuid)`.execute(database.db);
      return rows.length === 1;
    },
  };
}

/** Stored sums that differ from their rows. */
const drift = async (): Promise<readonly unknown[]> => {
  const { rows } = await sql`
    select to_jsonb(day) as drift from tramita.spend_day_drift as day
    union all select to_jsonb(live) from tramita.spend_live_drift as live
    union all select to_jsonb(budget) from tramita.spend_budget_drift as budget`.execute(database.db);
  return rows;
};

test('an archived row is found, read, exported and checked as before, and changes neither sums nor the life of the database', async () => {
  const { account, ledger, request, buy, archive, isArchived, clock } = book();
  const life = await ledger.life();
  const old = await buy(request());
  const before = await ledger.find(old);
  await archive();
  expect(await isArchived(old)).toBe(true);
  expect(await ledger.find(old)).toEqual(before);
  expect((await ledger.list({ account })).map(({ intentId }) => intentId)).toContain(old);
  expect((await ledger.answerBytes(old))?.bytes.toString()).toBe(JSON.stringify({ intentId: old }));
  const exported: string[] = [];
  for await (const { intentId } of exportIntents(database.db, { account }, 1)) exported.push(intentId);
  expect(exported).toHaveLength(2);
  expect(exported[0]).toBe(old);
  expect(await unknownIntents(database.db, [old])).toEqual([]);
  const request2 = { accounts: [account], nowMs: clock.nowMs, sinceMs: 0, openAtMostMs: 1 };
  const [check] = await checkLedger(database.db, request2);
  expect(check).toMatchObject({
    wrongSums: [],
    lostBodies: [],
    lostOriginals: [],
    chain: { readings: 2, charged: 2_001 },
  });
  expect(await drift()).toEqual([]);
  expect(await ledger.life()).toEqual(life);
});

test('the step of an archived row is not paid again under any ordinal, and the row still counts as spent by its run', async () => {
  const { ledger, request, buy, archive, isArchived } = book();
  const step = request();
  const old = await buy(step);
  await archive();
  expect(await isArchived(old)).toBe(true);
  expect(await ledger.openIntent({ ...step, attemptToken: randomUUID() })).toMatchObject({
    kind: 'stored',
    intent: { intentId: old },
  });
  expect(await ledger.openIntent({ ...step, ordinal: 2 })).toMatchObject({
    kind: 'stored',
    intent: { intentId: old },
  });
  const later = { ...step, ordinal: 3, step: 'another', params: request().params, attemptToken: randomUUID() };
  expect(await ledger.openIntent({ ...later, maxSpend: amount(1_000) })).toMatchObject({ kind: 'over budget' });
  await expect(
    ledger.closeStep({ ...step, once: null, askedAtMs: LONG_AGO_MS, isOverdue: true, deadlineMs: 0 }),
  ).resolves.toMatchObject({ kind: 'row', intent: { intentId: old } });
});

test('an archived answer is shared with a call whose maxAge covers it or which waited for it', async () => {
  const { ledger, request, buy, archive, isArchived } = book();
  const step = request();
  const old = await buy(step);
  await archive();
  expect(await isArchived(old)).toBe(true);
  const joined = { kind: 'stored', intent: { joined: old } };
  expect(await ledger.openIntent(elsewhere(step, { maxAgeMs: 510 * DAY_MS }))).toMatchObject(joined);
  expect(await ledger.openIntent(elsewhere(step, { joinIntent: old }))).toMatchObject(joined);
  expect(await ledger.openIntent(elsewhere(step, { askedAtMs: LONG_AGO_MS }))).toMatchObject(joined);
  expect(await ledger.openIntent(elsewhere(step, { maxAgeMs: 30 * DAY_MS, askedAtMs: NOW_MS }))).toMatchObject({
    kind: 'send',
  });
});

test('a late settlement of an archived row is a repeat or a conflict, and restoring it writes no second row', async () => {
  const { ledger, request, buy, archive } = book();
  const step = request();
  const old = await buy(step);
  await archive();
  expect((await ledger.settle(old, { state: 'done', charged: amount(1_000) })).applied).toBe(true);
  expect((await ledger.settle(old, { state: 'rejected' })).applied).toBe(false);
  expect((await listConflicts(database.db)).map(({ intent_id }) => intent_id)).toContain(old);
  const call = {
    ...step,
    once: null,
    budgetKey: null,
    intentId: old,
    subject: 'x',
    reserved: amount(1),
    openedAtMs: LONG_AGO_MS,
  };
  expect(await ledger.restore({ call, witness: 'journal' })).toMatchObject({ state: 'done' });
});

test('rows that a current decision may need are not archived', async () => {
  const { ledger, request, buy, archive, clock, account } = book();
  const stays: Record<string, string> = {};
  stays['under a once key'] = await buy(request({ once: 'mine' }));
  const unknown = intentOf(await ledger.openIntent(request()));
  await ledger.settle(unknown.intentId, { state: 'unknown' });
  stays['undecided'] = unknown.intentId;
  const contradicted = await buy(request());
  await ledger.settle(contradicted, { state: 'rejected' });
  stays['contradicted'] = contradicted;
  const archived = await buy(request());
  await archive();
  const { rows } = await sql<{ readonly id: string }>`
    select intent_id as id from tramita.intent where account = ${account}`.execute(database.db);
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(stays)));
  expect(rows.map(({ id }) => id)).not.toContain(archived);
  // The newest row of an account stays however old it is: it has the balance and the price.
  const quiet = book();
  const last = await quiet.buy(quiet.request());
  quiet.clock.nowMs = NOW_MS;
  await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: clock.nowMs });
  expect(await quiet.isArchived(last)).toBe(false);
});

test('archiveIntents refuses to archive rows of the last 90 days', async () => {
  await expect(archiveIntents(database.db, { beforeMs: NOW_MS - 89 * DAY_MS, nowMs: NOW_MS })).rejects.toThrow(
    '90 days',
  );
});

test('archiving while flows open the same steps sends nothing again', async () => {
  const { ledger, request, buy, clock } = book();
  const steps: OpenIntent[] = [];
  for (let n = 0; n < 40; n += 1) steps.push(request());
  for (const step of steps) await buy(step);
  clock.nowMs = NOW_MS;
  await buy(request(), { charged: 1_001 });
  const archivers = [1, 2].map(async () => {
    for (let round = 0; round < 12; round += 1) {
      await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: NOW_MS, batch: 5 });
    }
  });
  const openers = [1, 2, 3].map(async () => {
    for (const step of steps) {
      const verdict = await ledger.openIntent({ ...step, attemptToken: randomUUID() });
      expect(verdict.kind).toBe('stored');
    }
  });
  await Promise.all([...archivers, ...openers]);
  // A row that a flow held at that moment is left to the next round.
  await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: NOW_MS });
  const { rows } = await sql<{ readonly rows: number; readonly ids: number; readonly archived: number }>`
    select count(*)::int as rows, count(distinct intent_id)::int as ids,
      (select count(*)::int from tramita.intent_archive where account = ${steps[0]?.account ?? ''}) as archived
    from tramita.intent_all where account = ${steps[0]?.account ?? ''}`.execute(database.db);
  expect(rows[0]).toEqual({ rows: 41, ids: 41, archived: 40 });
  expect(await drift()).toEqual([]);
});

test('deleting a row from either table without a move changes the life of the database', async () => {
  const { ledger, request, buy, archive } = book();
  const old = await buy(request());
  await archive();
  const young = intentOf(await ledger.openIntent(request()));
  const epoch = async () => (await ledger.life()).epoch;
  const before = await epoch();
  await sql`delete from tramita.intent_archive where intent_id = ${old}::uuid`.execute(database.db);
  const between = await epoch();
  expect(between).not.toBe(before);
  await sql`delete from tramita.intent where intent_id = ${young.intentId}::uuid`.execute(database.db);
  expect(await epoch()).not.toBe(between);
});

test('the ledger and its archive have the same columns in the same order', async () => {
  const columnsOf = async (table: string) => {
    const { rows } = await sql<{ readonly column: string }>`
      select attname || ' ' || format_type(atttypid, atttypmod) as column from pg_attribute
      where attrelid = ${`tramita.${table}`}::regclass and attnum > 0 and not attisdropped order by attnum`.execute(
      database.db,
    );
    return rows.map(({ column }) => column);
  };
  expect(await columnsOf('intent_archive')).toEqual(await columnsOf('intent'));
});
