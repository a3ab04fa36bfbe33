/** The archive of the ledger: what goes there, what stays, and that nothing which has gone there is paid for again. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { archiveIntents, checkLedger, exportIntents, unknownIntents, type OpenIntent } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import {
  amount,
  elsewhere,
  intentOf,
  jsonBody,
  listConflicts,
  makeLedger,
  refreshRequest,
  setClock,
} from './support.js';

const DAY_MS = 86_400_000;
const LONG_AGO_MS = Date.parse('2024-02-10T15:00:00Z');
const NOW_MS = LONG_AGO_MS + 500 * DAY_MS;
const BEFORE_MS = NOW_MS - 400 * DAY_MS;

const database = withDatabase();

/** An account of its own with one old call after the other, and a young one at the end. */
function book() {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const clock = setClock(LONG_AGO_MS);
  const { ledger } = makeLedger(database.db, { clock });
  const request = (changes: Partial<OpenIntent> = {}): OpenIntent => refreshRequest({ account, ...changes });
  const buy = async (asked: OpenIntent, charged = 1_000): Promise<string> => {
    clock.nowMs += 60_000;
    const { intentId } = intentOf(await ledger.openIntent(asked));
    clock.nowMs += 1_000;
    const body = jsonBody({ intentId });
    await ledger.settle(intentId, {
      state: 'done',
      httpStatus: 200,
      charged: amount(charged),
      balanceAfter: amount(50_000),
      body,
    });
    return intentId;
  };
  return {
    account,
    clock,
    ledger,
    request,
    buy,
    /** What has come since is young, and dearer: so everything that may go goes. */
    archive: async () => {
      clock.nowMs = NOW_MS;
      await buy(request(), 1_001);
      return archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: clock.nowMs });
    },
    isArchived: async (intentId: string) => {
      const { rows } = await sql`select from tramita.intent_archive where intent_id = ${intentId}::uuid
        and not exists (select from tramita.intent where intent_id = ${intentId}::uuid)`.execute(database.db);
      return rows.length === 1;
    },
  };
}

/** Sums that differ from the rows. */
const drift = async (): Promise<readonly unknown[]> => {
  const { rows } = await sql`
    select to_jsonb(day) as drift from tramita.spend_day_drift as day
    union all select to_jsonb(live) from tramita.spend_live_drift as live
    union all select to_jsonb(budget) from tramita.spend_budget_drift as budget`.execute(database.db);
  return rows;
};

test('an old settled row moves to its month, and is found, read, exported and checked as before; sums and life stay', async () => {
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

test('its step is not paid again, under the same ordinal or another, and its run has spent what it spent', async () => {
  const { ledger, request, buy, archive, isArchived } = book();
  const asked = request();
  const old = await buy(asked);
  await archive();
  expect(await isArchived(old)).toBe(true);
  expect(await ledger.openIntent({ ...asked, attemptToken: randomUUID() })).toMatchObject({
    kind: 'stored',
    intent: { intentId: old },
  });
  expect(await ledger.openIntent({ ...asked, ordinal: 2 })).toMatchObject({
    kind: 'stored',
    intent: { intentId: old },
  });
  const later = { ...asked, ordinal: 3, step: 'another', params: request().params, attemptToken: randomUUID() };
  expect(await ledger.openIntent({ ...later, maxSpend: amount(1_000) })).toMatchObject({ kind: 'over budget' });
  await expect(
    ledger.closeStep({ ...asked, once: null, askedAtMs: LONG_AGO_MS, isOverdue: true, deadlineMs: 0 }),
  ).resolves.toMatchObject({ kind: 'row', intent: { intentId: old } });
});

test('an answer that is young enough for a long maxAge, or was awaited, is shared from the archive', async () => {
  const { ledger, request, buy, archive, isArchived } = book();
  const asked = request();
  const old = await buy(asked);
  await archive();
  expect(await isArchived(old)).toBe(true);
  const joined = { kind: 'stored', reused: true, intent: { joined: old } };
  expect(await ledger.openIntent(elsewhere(asked, { maxAgeMs: 510 * DAY_MS }))).toMatchObject(joined);
  expect(await ledger.openIntent(elsewhere(asked, { joinIntent: old }))).toMatchObject(joined);
  expect(await ledger.openIntent(elsewhere(asked, { askedAtMs: LONG_AGO_MS }))).toMatchObject(joined);
  expect(await ledger.openIntent(elsewhere(asked, { maxAgeMs: 30 * DAY_MS, askedAtMs: NOW_MS }))).toMatchObject({
    kind: 'send',
  });
});

test('late news of an archived row is the same again or a conflict, and a lost row is not written beside it', async () => {
  const { ledger, request, buy, archive } = book();
  const asked = request();
  const old = await buy(asked);
  await archive();
  expect((await ledger.settle(old, { state: 'done', charged: amount(1_000) })).applied).toBe(true);
  expect((await ledger.settle(old, { state: 'rejected' })).applied).toBe(false);
  expect((await listConflicts(database.db)).map(({ intent_id }) => intent_id)).toContain(old);
  const call = {
    ...asked,
    once: null,
    budgetKey: null,
    intentId: old,
    subject: 'x',
    reserved: amount(1),
    openedAtMs: LONG_AGO_MS,
  };
  expect(await ledger.restore({ call, witness: 'journal' })).toMatchObject({
    wasMissing: false,
    intent: { state: 'done' },
  });
});

test('what a decision of now may need stays', async () => {
  const { ledger, request, buy, archive, clock, account } = book();
  const stays: Record<string, string> = {};
  stays['under a once key'] = await buy(request({ once: 'mine' }));
  const unknown = intentOf(await ledger.openIntent(request()));
  await ledger.settle(unknown.intentId, { state: 'unknown' });
  stays['undecided'] = unknown.intentId;
  const contradicted = await buy(request());
  await ledger.settle(contradicted, { state: 'rejected' });
  stays['contradicted'] = contradicted;
  const gone = await buy(request());
  await archive();
  const { rows } = await sql<{ readonly id: string }>`
    select intent_id as id from tramita.intent where account = ${account}`.execute(database.db);
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(stays)));
  expect(rows.map(({ id }) => id)).not.toContain(gone);
  // The newest of an account, with its balance and its price, however old.
  const quiet = book();
  const last = await quiet.buy(quiet.request());
  quiet.clock.nowMs = NOW_MS;
  await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: clock.nowMs });
  expect(await quiet.isArchived(last)).toBe(false);
});

test('rows that are too young are refused', async () => {
  await expect(archiveIntents(database.db, { beforeMs: NOW_MS - 89 * DAY_MS, nowMs: NOW_MS })).rejects.toThrow(
    '90 days',
  );
});

test('archivers beside flows that open the same steps: nothing is sent again', async () => {
  const { ledger, request, buy, clock } = book();
  const asked: OpenIntent[] = [];
  for (let n = 0; n < 40; n += 1) asked.push(request());
  for (const one of asked) await buy(one);
  clock.nowMs = NOW_MS;
  await buy(request(), 1_001);
  const archivers = [1, 2].map(async () => {
    for (let round = 0; round < 12; round += 1) {
      await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: NOW_MS, batch: 5 });
    }
  });
  const openers = [1, 2, 3].map(async () => {
    for (const one of asked) {
      const verdict = await ledger.openIntent({ ...one, attemptToken: randomUUID() });
      expect(verdict.kind).toBe('stored');
    }
  });
  await Promise.all([...archivers, ...openers]);
  // What a flow held at that moment is the next round's.
  await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: NOW_MS });
  const { rows } = await sql<{ readonly rows: number; readonly ids: number; readonly archived: number }>`
    select count(*)::int as rows, count(distinct intent_id)::int as ids,
      (select count(*)::int from tramita.intent_archive where account = ${asked[0]?.account ?? ''}) as archived
    from tramita.intent_all where account = ${asked[0]?.account ?? ''}`.execute(database.db);
  expect(rows[0]).toEqual({ rows: 41, ids: 41, archived: 40 });
  expect(await drift()).toEqual([]);
});

test('a row that is deleted from either table without a move is a forgotten call', async () => {
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

test('both tables have the same columns in the same order', async () => {
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
