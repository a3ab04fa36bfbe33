/**
 * Reads of notices: watermarks, the day in São Paulo, the first plan of a sync, publications without a text. Also stores a text
 * when it comes.
 */
import { sql, type RawBuilder } from 'kysely';
import type { CivilDate } from '../../contract/index.js';
import type { TokenOf } from '../../contract/values/index.js';
import { instant, type Database } from '../../store/index.js';
import { storableJson } from '../storable.js';
import { keyOfStart, spellingsOfStart, type StartKey } from '../start-key.js';
import type { Notices, PlannedBy, Watermark } from './types.js';

const PLANNED_BY = sql`to_char(planned_on, 'YYYY-MM-DD') as today, read_until as "readUntil"`;

export function createNoticeReads(db: Database, token: TokenOf): Omit<Notices, 'save'> {
  const planOf = ({ account, start }: { readonly account: string; readonly start: StartKey }): RawBuilder<PlannedBy> =>
    sql<PlannedBy>`
      select ${PLANNED_BY} from tramita.notice_plan
      where account = ${account} and once = any(${[...spellingsOfStart(token, start)]}::text[])`;
  return {
    async watermarks(account, oabs) {
      const { rows } = await sql<Watermark>`
        select oab, to_char(read_until, 'YYYY-MM-DD') as "readUntil" from tramita.notice_watermark
        where account = ${account} and oab = any(${[...oabs]}::text[])`.execute(db);
      return rows;
    },
    async keepFirst({ account, start, now }) {
      const { rows } = await sql<PlannedBy>`
        with known as (${planOf({ account, start })}), kept as (
          insert into tramita.notice_plan as kept (account, once, planned_on, read_until)
          select ${account}, ${keyOfStart(start)}, ${now.today}::date, ${JSON.stringify(now.readUntil)}::jsonb
          where not exists (select from known)
          on conflict (account, once) do update set once = kept.once
          returning ${PLANNED_BY})
        select * from known union all select * from kept`.execute(db);
      return rows[0] ?? now;
    },
    async peekFirst({ account, start }) {
      const { rows } = await planOf({ account, start }).execute(db);
      return rows[0];
    },
    async today(nowMs) {
      const { rows } = await sql<{ readonly today: CivilDate }>`
        select to_char(${instant(nowMs)} at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as today`.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error('tramita: the database gave no date');
      return row.today;
    },
    async withoutText(account, oabs, limit) {
      const asked = sql`${[...oabs]}::text[]`;
      const { rows } = await sql<{ readonly id: string }>`
        select publication_id as id from tramita.notice
        where account = ${account} and (oab = any(${asked}) or oabs && ${asked} or asked_for <@ ${asked})
          and full_text is null and publication_id is not null
        group by publication_id
        order by max(made_available_on) desc nulls last, publication_id limit ${limit}`.execute(db);
      return rows.map(({ id }) => id);
    },
    async saveText({ account, publicationId, data, ifMissing = false, nowMs }) {
      const text = JSON.stringify(storableJson(data) ?? null);
      const { numAffectedRows } = await sql`
        update tramita.notice set full_text = ${text}::jsonb, full_text_at = ${instant(nowMs)}
        where account = ${account} and publication_id = ${publicationId}
          and (full_text is null or not ${ifMissing}::boolean)`.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}
