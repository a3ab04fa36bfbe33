/** Retention of records goes by when a record came last, not by when it was another one last. */
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
import { randomCase } from './support.js';

const DAY_MS = 86_400_000;
const LONG_AGO_MS = Date.parse('2024-02-10T15:00:00Z');
const NOW_MS = LONG_AGO_MS + 500 * DAY_MS;
const BEFORE_MS = NOW_MS - 400 * DAY_MS;

const database = withDatabase();

const saveSummary = (account: string, cnj: string, nowMs: number) =>
  createFacts({ db: database.db }).save({
    ...{ account, operation: 'getSummary', drift: [], nowMs },
    pages: [
      {
        table: SUMMARIES,
        rows: [{ columns: { cnj, text: 'x', state: null, updated_at: null }, sensitivity: 'SENSITIVE', data: { cnj } }],
      },
    ],
  });

test('records that come again unchanged stay, and have not changed by it', async () => {
  const { db } = database;
  const account = `a-${randomUUID().slice(0, 8)}`;
  const [again, older, gone] = [randomCase(), randomCase(), randomCase()];
  const notice = (id: string, nowMs: number) =>
    createNotices({ db }).save({
      ...{ account, oabs: ['SP:123456'], today: '2025-06-01' as never, askedAtMs: nowMs, nowMs },
      notices: [
        {
          ...{ id, oab: 'SP:123456', cnj: null, date: '2024-01-10' as never, madeAvailableOn: null, publishedOn: null },
          ...{ deadlineStartsOn: null, publicationId: null, active: null, sensitivity: 'PERSONAL', data: { id } },
        },
      ],
    } as never);
  for (const cnj of [again, older, gone]) {
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
      ...{ account, cnj, listedAtMs },
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
