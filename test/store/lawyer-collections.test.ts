/** Sets of a lawyer's cases: readers see one complete set, and abandoned sets are dropped. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { LawyerCase } from '../../src/contract/index.js';
import { createLawyerCollections } from '../../src/records/index.js';
import { withDatabase } from '../support/database.js';
import { token } from '../support/plant-subject.js';
import { randomCase } from './support.js';

const database = withDatabase();

const record = (): LawyerCase => {
  const cnj = randomCase();
  return {
    cnj,
    classification: null,
    court: null,
    lastPublicationOn: null,
    sensitivity: 'PUBLIC',
    data: { cnj },
    drift: [],
  } as unknown as LawyerCase;
};
const rowCounts = async (setId: string): Promise<readonly number[]> => {
  const { rows } = await sql<{ cases: number; pages: number }>`
    select (select count(*) from tramita.lawyer_case where set_id = ${setId}::uuid)::int as cases,
      (select count(*) from tramita.lawyer_page where set_id = ${setId}::uuid)::int as pages`.execute(database.db);
  return [rows[0]?.cases ?? -1, rows[0]?.pages ?? -1];
};

test('a set that was given up is dropped after forty days; a visible, running or provisional set stays', async () => {
  const lawyers = createLawyerCollections({ db: database.db, token });
  const [old, running, visible, provisional] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const setId of [old, running, visible]) {
    for (const page of [1, 2]) {
      await lawyers.stage(setId, { targetHash: `page ${page}`, page, records: [record(), record()] });
    }
  }
  const of = (oab: string, setId: string) => ({ account: 'default', oab, setId, nowMs: Date.now() });
  await lawyers.commit({ ...of('SP:1', visible), version: 'v1' });
  await lawyers.saveProvisional({ ...of('SP:2', provisional), records: [record()] });
  expect(await lawyers.dropAbandoned()).toBe(0);
  await sql`update tramita.lawyer_page set staged_at = now() - interval '41 days'
    where set_id = ${old}::uuid or (set_id = ${running}::uuid and page = 1)`.execute(database.db);
  expect(await lawyers.dropAbandoned()).toBe(1);
  expect(await Promise.all([old, running, visible, provisional].map(rowCounts))).toEqual([
    [0, 0],
    [4, 2],
    [4, 0],
    [1, 0],
  ]);
});

test('each set that was given up is deleted in a statement of its own, so that many large ones are deleted in time', async () => {
  const lawyers = createLawyerCollections({ db: database.db, token });
  await sql`
    create table public.deleted (cases integer);
    create function public.note_deleted() returns trigger language plpgsql as $$
      begin insert into public.deleted select count(*) from gone; return null; end $$;
    create trigger noted after delete on tramita.lawyer_case referencing old table as gone
      for each statement execute function public.note_deleted()`.execute(database.db);
  for (const setId of [randomUUID(), randomUUID(), randomUUID()]) {
    await lawyers.stage(setId, { targetHash: 'page 1', page: 1, records: [record(), record()] });
    await sql`update tramita.lawyer_page set staged_at = now() - interval '41 days' where set_id = ${setId}::uuid`.execute(
      database.db,
    );
  }
  expect(await lawyers.dropAbandoned()).toBe(3);
  const { rows } = await sql`select cases from public.deleted where cases > 0`.execute(database.db);
  expect(rows).toEqual([{ cases: 2 }, { cases: 2 }, { cases: 2 }]);
  await sql`drop trigger noted on tramita.lawyer_case`.execute(database.db);
});

test('a page that comes after the commit of its set does not make the set an abandoned one', async () => {
  const lawyers = createLawyerCollections({ db: database.db, token });
  const setId = randomUUID();
  const late = { targetHash: 'page 2', page: 2, records: [record()] };
  await lawyers.stage(setId, { targetHash: 'page 1', page: 1, records: [record()] });
  await lawyers.stage(setId, late);
  await lawyers.commit({ account: 'default', oab: 'SP:3', setId, version: 'v1', nowMs: Date.now() });
  // A worker that was frozen in the middle of this page wakes up
  await lawyers.stage(setId, late);
  await sql`update tramita.lawyer_page set staged_at = now() - interval '41 days'`.execute(database.db);
  await lawyers.dropAbandoned();
  expect((await rowCounts(setId))[0]).toBe(2);
});

test('a target that was staged as another page is reported as repeated, and the same page again as a retry', async () => {
  const lawyers = createLawyerCollections({ db: database.db, token });
  const setId = randomUUID();
  const second = { targetHash: 'page 2', page: 2, records: [record()] };
  expect(await lawyers.stage(setId, second)).toMatchObject({ kind: 'staged' });
  expect(await lawyers.stage(setId, second)).toEqual({ kind: 'again' });
  expect(await lawyers.stage(setId, { ...second, page: 4 })).toEqual({ kind: 'repeated' });
});

test('a late commit of an earlier set does not change what readers see', async () => {
  const lawyers = createLawyerCollections({ db: database.db, token });
  const [first, second] = [randomUUID(), randomUUID()];
  const commit = (setId: string) =>
    lawyers.commit({ account: 'default', oab: 'SP:4', setId, version: setId, nowMs: Date.now() });
  await lawyers.stage(first, { targetHash: 'page 1', page: 1, records: [record()] });
  expect(await commit(first)).toBe(1);
  expect(await commit(first)).toBe(1);
  await lawyers.stage(second, { targetHash: 'page 1', page: 1, records: [record(), record()] });
  expect(await commit(second)).toBe(2);
  // A worker that was frozen in the commit of the first import wakes up
  await expect(commit(first)).rejects.toThrow('has no pages');
  expect(await Promise.all([first, second].map(rowCounts))).toEqual([
    [0, 0],
    [2, 0],
  ]);
});

test('a set with missing pages is not made visible', async () => {
  const lawyers = createLawyerCollections({ db: database.db, token });
  const setId = randomUUID();
  await lawyers.stage(setId, { targetHash: 'page 1', page: 1, records: [record()] });
  const order = { account: 'default', oab: 'SP:5', setId, version: 'v1', nowMs: Date.now() };
  expect(await lawyers.commit({ ...order, pages: 2 })).toBeUndefined();
  expect(await lawyers.commit({ ...order, pages: 1 })).toBe(1);
  expect(await lawyers.commit({ ...order, pages: 1 })).toBe(1);
});
