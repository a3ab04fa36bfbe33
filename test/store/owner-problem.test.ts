/** A worker whose user may write every row and owns no table: it can make calls, but no months. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { connect, makeMonthsOf, ownerProblem } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();

test('ownerProblem finds no problem for the owner, and names the remedy for a user who owns no table', async () => {
  expect(await ownerProblem(database.db)).toBeUndefined();

  const user = `writer_${randomBytes(4).toString('hex')}`;
  const owner = (await sql<{ name: string }>`select current_user as name`.execute(database.db)).rows[0]?.name ?? '';
  await sql`create role ${sql.id(user)} login password 'of-the-writer'`.execute(database.db);
  await sql`grant usage on schema tramita to ${sql.id(user)}`.execute(database.db);
  await sql`grant select, insert, update, delete on all tables in schema tramita to ${sql.id(user)}`.execute(
    database.db,
  );
  const url = new URL(database.directUrl);
  Object.assign(url, { username: user, password: 'of-the-writer' });
  const db = connect({ url: url.href, applicationName: 'test writer', max: 1 });
  database.atEnd(async () => {
    await db.destroy();
    await sql`drop owned by ${sql.id(user)}`.execute(database.db);
    await sql`drop role ${sql.id(user)}`.execute(database.db);
  });

  await expect(makeMonthsOf(db, 'answer_bytes', [Date.UTC(2031, 0, 1)])).rejects.toThrow('permission denied');
  expect(await ownerProblem(db)).toBe(
    `the user ${user} of TRAMITA_DATABASE_URL does not own the tables of tramita, ${owner} does: monthly tables are neither created nor dropped, so data older than its retention stays; give the worker the URL of the owner`,
  );
});
