/** Stores one page of notices, then shares the texts that are there already and moves the watermarks, in one transaction. */
import { sql, type RawBuilder } from 'kysely';
import type { CivilDate, Notice } from '../../contract/index.js';
import { OPEN_AT_MOST_MS } from '../../contract/values/index.js';
import { civilDay, instant, type Database } from '../../store/index.js';
import { notChangedAfter, notSeenLately, SEEN_AT } from '../last-seen.js';
import { RECORD_OF_ROW, rowsByKey } from '../rows-by-key.js';
import { IS_NEWS, NEVER_LESS_SEALED, SEALS, sensitivityByCase } from '../sealed-by-case.js';
import { contentHash, storableJson } from '../storable.js';
import type { NoticePage, SavedNotices } from './types.js';

export function saveNotices(db: Database, page: NoticePage): Promise<SavedNotices> {
  const { account, oabs, today, askedAtMs, from, cut, nowMs, firstTriedAtMs } = page;
  const until = cut === undefined ? today : (cut.wholeUntil ?? cut.reach);
  const stays = sql`(${cut?.wholeUntil === null}::boolean or coalesce(${from ?? null}::date > kept.read_until + 1, false))`;
  const rows = withAllOabs(page.notices.map((notice) => rowOf(notice, oabs)));
  return db.transaction().execute(async (trx) => {
    const inserted = rows.length === 0 ? 0 : await upsert(trx, { account, oabs, rows, askedAtMs, nowMs });
    const since = firstTriedAtMs === undefined ? 0 : await countSince(trx, { account, rows, firstTriedAtMs });
    const { rows: moved } = await sql<{ readonly readUntil: CivilDate }>`
      with shared as (${shareTexts(account, rows)})
      insert into tramita.notice_watermark as kept (account, oab, read_until, read_at)
      select ${account}, oab, least(${until}::date, ${today}::date, ${civilDay(askedAtMs)}), ${instant(nowMs)}
      from jsonb_array_elements_text(${JSON.stringify([...oabs].sort())}::jsonb) as asked (oab)
      on conflict (account, oab) do update
        set read_until = case when ${stays} then kept.read_until else greatest(kept.read_until, excluded.read_until) end,
          read_at = excluded.read_at
      returning to_char(read_until, 'YYYY-MM-DD') as "readUntil"`.execute(trx);
    const readUntil = moved.map((row) => row.readUntil).reduce((a, b) => (b < a ? b : a), today);
    return { seen: page.notices.length, added: Math.max(inserted, since), readUntil };
  });
}

/** How many of these notices were first seen since then. */
async function countSince(
  trx: Database,
  asked: { readonly account: string; readonly rows: readonly NoticeRow[]; readonly firstTriedAtMs: number },
): Promise<number> {
  const { rows } = await sql<{ readonly notices: number }>`
    select count(*)::int as notices from tramita.notice
    where account = ${asked.account} and first_seen_at >= ${instant(asked.firstTriedAtMs)}
      and notice_id in (select jsonb_array_elements_text(${idsOf(asked.rows)}::jsonb))`.execute(trx);
  return rows[0]?.notices ?? 0;
}

function idsOf(rows: readonly NoticeRow[]): string {
  return JSON.stringify(rows.map((row) => row.notice_id));
}

/** In order; null where there are less than two. */
const ALL_OABS = sql`(select case when count(*) > 1 then array_agg(oab order by oab collate "C") end from (
  select distinct oab from unnest(kept.oabs || kept.oab || excluded.oabs || excluded.oab) as oab
  where oab is not null) as known)`;

/** What a notice says itself: an answer that is older than the last change does not change it back. */
const CONTENT = ['made_available_on', 'published_on', 'deadline_starts_on', 'active', 'data', 'data_hash'];

/** `isOlder`: the answer was there before the notice was last changed. */
const changed = (isOlder: RawBuilder<unknown>) => sql`((${IS_NEWS} and (not ${isOlder} or ${SEALS}))
  or kept.oabs is distinct from ${ALL_OABS}
  or (excluded.publication_id is not null and kept.publication_id is null)
  or (excluded.oab is not null and kept.oab is null)
  or (excluded.asked_for is not null and kept.asked_for is null))`;

async function upsert(
  trx: Database,
  page: Pick<NoticePage, 'account' | 'oabs' | 'askedAtMs' | 'nowMs'> & { readonly rows: readonly NoticeRow[] },
): Promise<number> {
  const { account, oabs, rows, askedAtMs, nowMs } = page;
  // The answer may have come, and was stored, some minutes after the question.
  const isOlder = sql`(not ${notChangedAfter(askedAtMs + OPEN_AT_MOST_MS, SEEN_AT)})`;
  const isChanged = changed(isOlder);
  const content = CONTENT.map((name) => sql.raw(name)).map(
    (name) => sql`${name} = case when ${isOlder} then kept.${name} else excluded.${name} end`,
  );
  const { rows: written } = await sql<{ readonly added: boolean }>`
    insert into tramita.notice as kept (account, notice_id, oab, cnj, made_available_on, published_on,
      deadline_starts_on, publication_id, active, sensitivity, data, data_hash, first_seen_at, changed_at, oabs, asked_for)
    select ${account}, notice_id, oab, cnj, made_available_on, published_on, deadline_starts_on, publication_id, active,
      ${sensitivityByCase(account)}, ${RECORD_OF_ROW}, data_hash, ${instant(nowMs)}, ${instant(nowMs)}, oabs,
      case when not names_one then ${[...oabs].sort()}::text[] end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as page (notice_id text, oab text, oabs text[], cnj text,
      made_available_on date, published_on date, deadline_starts_on date, publication_id text, active boolean,
      sensitivity text, data jsonb, data_hash text, names_one boolean)
    on conflict (account, notice_id) do update
      set oab = coalesce(excluded.oab, kept.oab), oabs = ${ALL_OABS}, cnj = coalesce(excluded.cnj, kept.cnj),
        publication_id = coalesce(excluded.publication_id, kept.publication_id), ${sql.join(content)},
        sensitivity = ${NEVER_LESS_SEALED},
        asked_for = coalesce(kept.asked_for, excluded.asked_for), last_seen_at = ${instant(nowMs)},
        changed_at = case when ${isChanged} then excluded.changed_at else kept.changed_at end
      where ${isChanged} or ${notSeenLately(nowMs)}
    returning (xmax = 0) as added`.execute(trx);
  return written.filter(({ added }) => added).length;
}

/**
 * A text is bought once for all notices of its publication, even those that come later. It is copied as it is: what was erased
 * of it stays erased, and a sealed text seals the notice.
 */
function shareTexts(account: string, rows: readonly NoticeRow[]): RawBuilder<unknown> {
  const mine = sql`own.account = ${account} and own.full_text is null
    and own.notice_id in (select jsonb_array_elements_text(${idsOf(rows)}::jsonb))`;
  return sql`
    update tramita.notice as own set full_text = kept.full_text, full_text_at = kept.full_text_at,
      sensitivity = case when kept.sensitivity = 'SEALED' then kept.sensitivity else own.sensitivity end
    from (
      select distinct on (publication_id) publication_id, full_text, full_text_at, sensitivity from tramita.notice
      where account = ${account} and full_text is not null
        and publication_id in (select own.publication_id from tramita.notice as own where ${mine})
      order by publication_id, sensitivity = 'SEALED' desc, full_text_at desc) as kept
    where ${mine} and own.publication_id = kept.publication_id`;
}

type NoticeRow = ReturnType<typeof rowOf>['row'] & { readonly oabs: readonly string[] | null };

/** A list repeats a notice for each of its registrations, or a notice names several: one row has them all. */
function withAllOabs(notices: readonly ReturnType<typeof rowOf>[]): readonly NoticeRow[] {
  const oabsOf = new Map<string, Set<string>>();
  for (const { row, named } of notices) {
    const known = oabsOf.get(row.notice_id) ?? new Set();
    oabsOf.set(row.notice_id, new Set([...known, ...named, ...(row.oab === null ? [] : [row.oab])]));
  }
  const rows = notices.map(({ row }) => row);
  return rowsByKey(rows, (row) => row.notice_id).map((row) => {
    const oabs = [...(oabsOf.get(row.notice_id) ?? [])].sort();
    return { ...row, oabs: oabs.length > 1 ? oabs : null };
  });
}

/** `names_one`: the notice names one of the registrations that were asked for; `named`: those that it lists. */
function rowOf({ id, ...notice }: Notice, oabs: readonly string[]) {
  const named: readonly string[] = notice.oabs.filter((oab) => oabs.includes(oab));
  const oab = notice.oab ?? named[0] ?? null;
  const { notice_id: givenId, ...row } = storableJson({
    notice_id: id,
    oab,
    cnj: notice.cnj,
    made_available_on: notice.madeAvailableOn ?? notice.date,
    published_on: notice.publishedOn,
    deadline_starts_on: notice.deadlineStartsOn,
    publication_id: notice.publicationId,
    active: notice.active,
    sensitivity: notice.sensitivity,
    data: notice.data,
  });
  const dataHash = contentHash(row.data);
  const namesOne = named.length > 0 || (oab !== null && oabs.includes(oab));
  const noticeId = givenId ?? `sha256:${dataHash}`;
  return { row: { ...row, notice_id: noticeId, data_hash: dataHash, names_one: namesOne }, named };
}
