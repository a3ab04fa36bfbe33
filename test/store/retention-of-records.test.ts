/** Retention of records counts from the time when a record last came, not from its last change. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  countOldRecords,
  createFacts,
  createNotices,
  createRecords,
  dropRecords,
  SUMMARIES,
} from '../../src/records/index.js';
import { withDatabase } from '../support/database.js';
import { token } from '../support/plant-subject.js';
import { BEFORE_MS, DAY_MS, LONG_AGO_MS, NOW_MS } from './old-calls.js';
import { randomCase } from './support.js';

const database = withDatabase();

const saveSummary = (account: string, cnj: string, nowMs: number) =>
  createFacts({ db: database.db }).save({
    account,
    operation: 'getSummary',
    drift: [],
    nowMs,
    pages: [
      {
        table: SUMMARIES,
        rows: [{ columns: { cnj, text: 'x', state: null, updated_at: null }, sensitivity: 'SENSITIVE', data: { cnj } }],
      },
    ],
  });

test('records that come again unchanged stay, and keep the time of their last change', async () => {
  const { db } = database;
  const account = `a-${randomUUID().slice(0, 8)}`;
  const [again, older, expired] = [randomCase(), randomCase(), randomCase()];
  const notice = (id: string, nowMs: number) =>
    createNotices({ db, token }).save({
      account,
      oabs: ['SP:123456'],
      today: '2025-06-01' as never,
      askedAtMs: nowMs,
      nowMs,
      notices: [
        {
          id,
          oab: 'SP:123456',
          cnj: null,
          date: '2024-01-10' as never,
          madeAvailableOn: null,
          publishedOn: null,
          deadlineStartsOn: null,
          publicationId: null,
          oabs: [],
          active: null,
          sensitivity: 'PERSONAL',
          data: { id },
        },
      ],
    } as never);
  for (const cnj of [again, older, expired]) {
    await saveSummary(account, cnj, LONG_AGO_MS);
    await notice(cnj, LONG_AGO_MS);
  }
  for (const comesAtMs of [NOW_MS - 90 * DAY_MS, NOW_MS - 10 * DAY_MS]) {
    await saveSummary(account, again, comesAtMs);
    await notice(again, comesAtMs);
  }
  // A worker of the version before knows no `last_seen_at`.
  await sql`update tramita.case_summary set last_seen_at = null, changed_at = ${new Date(NOW_MS)}
    where account = ${account} and cnj = ${older}`.execute(db);
  expect(await countOldRecords(db, { beforeMs: BEFORE_MS, most: 1_000 })).toBeGreaterThanOrEqual(3);
  await dropRecords(db, { beforeMs: BEFORE_MS });
  const { rows } = await sql`
    select cnj, changed_at as "changedAtMs" from tramita.case_summary where account = ${account}
    union all select notice_id, changed_at from tramita.notice where account = ${account}`.execute(db);
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(
    expect.arrayContaining([
      { cnj: again, changedAtMs: LONG_AGO_MS },
      { cnj: again, changedAtMs: LONG_AGO_MS },
      { cnj: older, changedAtMs: NOW_MS },
    ]),
  );
});

test('documents that are listed again unchanged stay', async () => {
  const { db } = database;
  const records = createRecords({ db });
  const [account, cnj] = [`a-${randomUUID().slice(0, 8)}`, randomCase()];
  const list = (listedAtMs: number, ids: readonly string[]) =>
    records.saveDocuments({
      account,
      cnj,
      listedAtMs,
      documents: ids.map((id) => ({ id, title: id, type: 'x', data: { id } })),
    });
  expect(await list(LONG_AGO_MS, ['again', 'gone'])).toBe(2);
  expect(await list(LONG_AGO_MS + DAY_MS, ['again'])).toBe(0);
  expect(await list(NOW_MS, ['again'])).toBe(1);
  await dropRecords(db, { beforeMs: BEFORE_MS });
  const { rows } = await sql`select document_id as id from tramita.public_document where account = ${account}`.execute(
    db,
  );
  expect(rows).toEqual([{ id: 'again' }]);
});

test('old records are dropped; lists, billing monitors, open rounds and young records stay', async () => {
  const { db } = database;
  const [account, old, young] = [`a-${randomUUID().slice(0, 8)}`, randomCase(), randomCase()];
  await saveSummary(account, old, LONG_AGO_MS);
  await saveSummary(account, young, NOW_MS - DAY_MS);
  const at = new Date(LONG_AGO_MS);
  const [set, quiet, busy] = [randomUUID(), `${account}/quiet`, `${account}/busy`];
  await sql`insert into tramita.monitor (account, kind, monitor_id, active, data, asked_at, changed_at)
    values (${account}, 'case', 'on', true, '{}', ${at}, ${at}), (${account}, 'case', 'off', false, '{}', ${at}, ${at})`.execute(
    db,
  );
  await sql`insert into tramita.portfolio_case (account, list, position, cnj) values (${account}, 'l', 1, ${old})`.execute(
    db,
  );
  await sql`insert into tramita.portfolio_round (round, account, list, started_at)
    values (${quiet}, ${account}, 'l', ${at}), (${busy}, ${account}, 'l', ${at})`.execute(db);
  await sql`insert into tramita.portfolio_item (round, position, cnj, state, changed_at)
    values (${quiet}, 1, ${old}, 'done', ${at}), (${busy}, 1, ${old}, 'waiting', ${at})`.execute(db);
  await sql`insert into tramita.lawyer_collection (account, oab, current, committed_at) values (${account}, 'SP:1', ${set}::uuid, ${at})`.execute(
    db,
  );
  await sql`insert into tramita.lawyer_case (set_id, row_key, cnj, sensitivity, data, data_hash)
    values (${set}::uuid, ${old}, ${old}, 'PERSONAL', '{}', '')`.execute(db);
  for (const start of ['mine', { firstRunId: 'run-1' }]) {
    const now = { today: '2020-01-01' as never, readUntil: [null] };
    await createNotices({ db, token }).keepFirst({ account, start, now });
    const once = typeof start === 'string' ? start : `run\n${start.firstRunId}`;
    await sql`insert into tramita.import_end (account, once, ended_at, result) values (${account}, ${once}, ${at}, '{}')`.execute(
      db,
    );
  }
  expect(await dropRecords(db, { beforeMs: BEFORE_MS })).toBeGreaterThanOrEqual(7);
  const { rows } = await sql`
    select 'summary ' || cnj as left from tramita.case_summary where account = ${account}
    union all select 'plan ' || once from tramita.notice_plan where account = ${account}
    union all select 'import ' || once from tramita.import_end where account = ${account}
    union all select 'monitor ' || monitor_id from tramita.monitor where account = ${account}
    union all select 'list ' || list from tramita.portfolio_case where account = ${account}
    union all select 'round ' || round from tramita.portfolio_round where account = ${account}
    union all select 'item ' || round from tramita.portfolio_item where round in (${quiet}, ${busy})
    union all select 'lawyer ' || oab from tramita.lawyer_collection where account = ${account}
    union all select 'case ' || cnj from tramita.lawyer_case where set_id = ${set}::uuid`.execute(db);
  expect(rows.map((row) => (row as { left: string }).left).sort()).toEqual(
    [`summary ${young}`, 'plan mine', 'import mine', 'monitor on', 'list l', `round ${busy}`, `item ${busy}`].sort(),
  );
});

test('a later record of a sealed case is sealed, although the record of the case was dropped', async () => {
  const { db } = database;
  const [account, cnj] = [`a-${randomUUID().slice(0, 8)}`, randomCase()];
  await sql`insert into tramita.legal_case (account, cnj, origin, sensitivity, data, data_hash, first_seen_at, changed_at)
    values (${account}, ${cnj}, 'cover', 'SEALED', '{}', '', ${new Date(LONG_AGO_MS)}, ${new Date(LONG_AGO_MS)})`.execute(
    db,
  );
  await dropRecords(db, { beforeMs: BEFORE_MS });
  await saveSummary(account, cnj, NOW_MS);
  const { rows: summaries } =
    await sql`select sensitivity from tramita.case_summary where account = ${account}`.execute(db);
  expect(summaries).toEqual([{ sensitivity: 'SEALED' }]);
});
