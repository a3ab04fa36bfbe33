/**
 * Lawyers' collections over one database: rows are staged under a set of their own and become visible by moving one pointer.
 * One statement per page with one JSON parameter.
 */
import { sql, type RawBuilder } from 'kysely';
import type { LawyerCase } from '../../contract/index.js';
import type { TokenOf } from '../../contract/values/index.js';
import { instant, lockAndWrite, takeLocks, type Database } from '../../store/index.js';
import { RECORD_OF_ROW, rowsByKey } from '../rows-by-key.js';
import { contentHash, hashOfText, storableJson, storableText } from '../storable.js';
import { NEVER_LESS_SEALED } from '../sealed-by-case.js';
import { keyOfStart, spellingsOfStart } from '../start-key.js';
import type { CommitOrder, EndedImport, LawyerCollections, Staged, StagedPage } from './types.js';

export type { LawyerCollections } from './types.js';

/** A parked import ends after 30 days. */
const ABANDONED_AFTER_DAYS = 40;
/** Of one round; the next one goes on. */
const MOST_DROPPED = 20;

export function createLawyerCollections({
  db,
  token,
}: {
  readonly db: Database;
  readonly token: TokenOf;
}): LawyerCollections {
  return {
    stage: (setId, page) => stage(db, setId, page),
    commit: (order) =>
      db.transaction().execute(async (trx) => {
        const { account, oab, setId, version, pages, nowMs } = storableJson(order);
        const { rows } = await sql<{ readonly old: string | null; readonly provisional: string | null }>`
          select current as old, provisional from tramita.lawyer_collection
          where account = ${account} and oab = ${oab} for update`.execute(trx);
        const { cases, pages: staged } = await countOf(trx, setId);
        const [before] = rows;
        if (before?.old === setId) {
          await keepEnd(order, cases).execute(trx);
          return cases;
        }
        if (pages !== undefined && staged < pages) return undefined;
        if (staged === 0) throw notStaged(setId);
        await sql`
          insert into tramita.lawyer_collection (account, oab, current, version, cases, committed_at)
          values (${account}, ${oab}, ${setId}::uuid, ${version}, ${cases}, ${instant(nowMs)})
          on conflict (account, oab) do update
            set current = excluded.current, version = excluded.version, cases = excluded.cases,
              committed_at = excluded.committed_at, provisional = null, provisional_at = null`.execute(trx);
        const gone = [before?.old, before?.provisional].filter((id) => typeof id === 'string' && id !== setId);
        if (gone.length > 0)
          await sql`delete from tramita.lawyer_case where set_id = any(${gone}::uuid[])`.execute(trx);
        await sql`
          with ended as (${keepEnd(order, cases)})
          delete from tramita.lawyer_page where set_id = ${setId}::uuid`.execute(trx);
        return cases;
      }),
    shown: async ({ account, oab }) => {
      const { rows } = await sql<{ readonly setId: string; readonly version: string | null }>`
        select current as "setId", version from tramita.lawyer_collection
        where account = ${account} and oab = ${storableJson(oab)} and current is not null`.execute(db);
      return rows[0];
    },
    endOf: async ({ account, start }) => {
      const { rows } = await sql<{ readonly result: EndedImport }>`
        select result from tramita.import_end
        where account = ${account} and once = any(${[...spellingsOfStart(token, start)]}::text[])`.execute(db);
      return rows[0]?.result;
    },
    saveProvisional: ({ account, oab, setId, records, nowMs }) =>
      db.transaction().execute(async (trx) => {
        await sql`
          insert into tramita.lawyer_collection (account, oab, provisional, provisional_at)
          values (${account}, ${oab}, ${setId}::uuid, ${instant(nowMs)})
          on conflict (account, oab) do update
            set provisional = coalesce(lawyer_collection.provisional, excluded.provisional),
              provisional_at = excluded.provisional_at`.execute(trx);
        const { rows } = await sql<{ readonly id: string }>`
          select provisional as id from tramita.lawyer_collection where account = ${account} and oab = ${oab}`.execute(
          trx,
        );
        const saved = await buildUpsert(rows[0]?.id ?? setId, records.map(rowOf)).execute(trx);
        return Number(saved.numAffectedRows ?? 0);
      }),
    count: (setId) => countOf(db, setId),
    dropAbandoned: async () => {
      const sets = await findAbandoned(db);
      for (const setId of sets) await dropIfAbandoned(db, setId);
      return sets.length;
    },
  };
}

const IS_ABANDONED = sql`max(staged_at) < now() - ${ABANDONED_AFTER_DAYS} * interval '1 day'`;

async function findAbandoned(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly setId: string }>`
    select set_id as "setId" from tramita.lawyer_page group by set_id having ${IS_ABANDONED} limit ${MOST_DROPPED}`.execute(
    db,
  );
  return rows.map(({ setId }) => setId);
}

/**
 * One set per statement: many large ones might not be deleted within the time of one. Pages of a set that was committed are gone;
 * one that a frozen worker staged after that goes alone, without the rows.
 */
async function dropIfAbandoned(db: Database, setId: string): Promise<void> {
  await sql`
    with abandoned as (
      select set_id from tramita.lawyer_page where set_id = ${setId} group by set_id having ${IS_ABANDONED}
    ), items as (
      delete from tramita.lawyer_case using abandoned where lawyer_case.set_id = abandoned.set_id
        and not exists (select from tramita.lawyer_collection where abandoned.set_id in (current, provisional))
    ), pages as (
      delete from tramita.lawyer_page using abandoned where lawyer_page.set_id = abandoned.set_id
    )
    select from abandoned`.execute(db);
}

/** The first end of a start is kept. */
function keepEnd({ account, version, pages = 0, end, nowMs }: CommitOrder, cases: number): RawBuilder<unknown> {
  if (end === undefined) return sql`select`;
  const { start, ...counts } = end;
  const result: EndedImport = { version, cases, pages, ...counts };
  return sql`
    insert into tramita.import_end (account, once, ended_at, result)
    values (${account}, ${keyOfStart(start)}, ${instant(nowMs)}, ${storableText(result)}::jsonb)
    on conflict (account, once) do nothing`;
}

async function countOf(db: Database, setId: string): ReturnType<LawyerCollections['count']> {
  const { rows } = await sql<{ readonly cases: number; readonly pages: number }>`
    select (select count(*)::int from tramita.lawyer_case where set_id = ${setId}::uuid) as cases,
      (select count(*)::int from tramita.lawyer_page where set_id = ${setId}::uuid) as pages`.execute(db);
  return rows[0] ?? { cases: 0, pages: 0 };
}

/** A set that was committed, or dropped, has no pages: a worker that slept through both must not bring it back, empty. */
function notStaged(setId: string): Error {
  return new Error(`tramita: set ${setId} of a lawyer's cases has no pages: it was committed before, or given up`);
}

/**
 * The page row is the fence: a repeated attempt finds it; a loop finds it as another page, or its items under another target. One
 * statement behind a lock, so one round trip.
 */
async function stage(db: Database, setId: string, { targetHash, page, records }: StagedPage): Promise<Staged> {
  const rows = records.map(rowOf);
  const fingerprint = contentHash(rows.map(({ key, dataHash }) => `${key} ${dataHash}`).sort());
  const [found] = await lockAndWrite<{ readonly staged: boolean; readonly knownAs: number | null }>(db, {
    locks: [takeLocks([`lawyer set ${setId}`])],
    write: sql`
      with known as materialized (
        select target_hash, page from tramita.lawyer_page
        where set_id = ${setId}::uuid and (target_hash = ${targetHash} or fingerprint = ${fingerprint})
      ), fence as (
        insert into tramita.lawyer_page (set_id, target_hash, page, fingerprint)
        select ${setId}::uuid, ${targetHash}, ${page}, ${fingerprint}
        where not exists (select from known where target_hash = ${targetHash} or ${rows.length > 0}::boolean)
        returning page
      ), saved as (${buildUpsert(setId, rows, sql`exists (select from fence)`)})
      select exists (select from fence) as staged, (select page from known where target_hash = ${targetHash}) as "knownAs"`,
  });
  if (found?.staged === true)
    return { kind: 'staged', withoutNumber: records.filter(({ cnj }) => cnj === null).length };
  return { kind: found?.knownAs === page ? 'again' : 'repeated' };
}

function buildUpsert(
  setId: string,
  all: readonly CaseRow[],
  when: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const rows = rowsByKey(all, ({ key }) => key).map(({ text }) => text);
  return sql`
    insert into tramita.lawyer_case as kept
      (set_id, row_key, cnj, classification, court, last_publication_on, sensitivity, data, data_hash)
    select ${setId}::uuid, row_key, cnj, classification, court, last_publication_on, sensitivity, ${RECORD_OF_ROW}, data_hash
    from jsonb_to_recordset(${`[${rows.join(',')}]`}::jsonb) as page (row_key text, cnj text, classification text,
      court text, last_publication_on date, sensitivity text, data jsonb, data_hash text)
    where ${when}
    on conflict (set_id, row_key) do update
      set classification = excluded.classification, court = excluded.court,
        last_publication_on = excluded.last_publication_on,
        sensitivity = ${NEVER_LESS_SEALED},
        data = excluded.data, data_hash = excluded.data_hash
      where kept.data_hash <> excluded.data_hash`;
}

interface CaseRow {
  readonly key: string;
  readonly dataHash: string;
  /** As JSON: made once, because an import is mostly this. */
  readonly text: string;
}

function rowOf({ cnj, ...record }: LawyerCase): CaseRow {
  const data = storableText(record.data);
  const dataHash = hashOfText(data);
  const key = cnj ?? `sha256:${dataHash}`;
  const columns = storableText({
    row_key: key,
    cnj,
    classification: record.classification,
    court: record.court,
    last_publication_on: record.lastPublicationOn,
    sensitivity: record.sensitivity,
    data_hash: dataHash,
  });
  return { key, dataHash, text: `${columns.slice(0, -1)},"data":${data}}` };
}
