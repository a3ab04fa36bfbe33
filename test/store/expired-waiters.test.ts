/** After weeks without a worker, more waiters have expired than one statement can delete in its time: batches delete them. */
import { sql } from 'kysely';
import { createInbox } from '../../src/inbox/index.js';
import { withDatabase } from '../support/database.js';
import { NOON_MS } from './support.js';

const database = withDatabase();

/** Expired waiters, and one that has not expired. */
async function fill(expired: number): Promise<void> {
  await sql`
    insert into tramita.waiter (workflow_id, key, intent_id, expires_at)
    select 'flow ' || n, 'key ' || n, gen_random_uuid(),
      to_timestamp(${NOON_MS / 1_000}::double precision) + case when n = 0 then interval '1 day' else n * interval '-1 second' end
    from generate_series(0, ${expired}) as n`.execute(database.db);
}

const drop = (): Promise<number> => createInbox({ db: database.db, clock: () => NOON_MS }).dropExpiredWaiters();

async function waiting(): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly flow: string }>`
    select workflow_id as flow from tramita.waiter order by flow`.execute(database.db);
  return rows.map(({ flow }) => flow);
}

beforeEach(() => sql`truncate tramita.waiter`.execute(database.db));

test('expired waiters are deleted a thousand at a time', async () => {
  await sql`create table if not exists public.deleted (waiters integer)`.execute(database.db);
  await sql`
    create or replace function public.note_deleted() returns trigger language plpgsql as
      'begin insert into public.deleted select count(*) from gone; return null; end'`.execute(database.db);
  await sql`
    create trigger note_deleted after delete on tramita.waiter
      referencing old table as gone for each statement execute function public.note_deleted()`.execute(database.db);
  await fill(2_500);
  expect(await drop()).toBe(2_500);
  expect(await waiting()).toEqual(['flow 0']);
  const { rows } = await sql<{ readonly waiters: number }>`select waiters from public.deleted`.execute(database.db);
  expect(rows.map(({ waiters }) => waiters)).toEqual([1_000, 1_000, 500]);
});

test('a waiter that another transaction holds does not hold up the others', async () => {
  await fill(20);
  await database.db.transaction().execute(async (trx) => {
    await sql`select from tramita.waiter where workflow_id = 'flow 7' for update`.execute(trx);
    expect(await drop()).toBe(19);
  });
  expect(await waiting()).toEqual(['flow 0', 'flow 7']);
  expect(await drop()).toBe(1);
});
