/** Reads of notices: watermarks, the day in São Paulo, publications whose text is missing; and the text when it comes. */
import { sql } from 'kysely';
import type { CivilDate } from '../../contract/index.js';
import { instant, type Database } from '../../store/index.js';
import { storableJson } from '../storable.js';
import type { Watermark } from './types.js';

export async function readWatermarks(
  db: Database,
  account: string,
  oabs: readonly string[],
): Promise<readonly Watermark[]> {
  const { rows } = await sql<Watermark>`
    select oab, to_char(read_until, 'YYYY-MM-DD') as "readUntil" from tramita.notice_watermark
    where account = ${account} and oab = any(${[...oabs]}::text[])`.execute(db);
  return rows;
}

export async function readToday(db: Database, nowMs: number): Promise<CivilDate> {
  const { rows } = await sql<{ readonly today: CivilDate }>`
    select to_char(${instant(nowMs)} at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as today`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('tramita: the database told no date');
  return row.today;
}

export async function withoutText(
  db: Database,
  { account, oabs, limit }: { readonly account: string; readonly oabs: readonly string[]; readonly limit: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    select publication_id as id from tramita.notice
    where account = ${account} and oab = any(${[...oabs]}::text[]) and full_text is null and publication_id is not null
    group by publication_id order by max(made_available_on) desc nulls last, publication_id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns how many notices are of this publication. */
export async function saveText(
  db: Database,
  text: { readonly account: string; readonly publicationId: string; readonly data: unknown; readonly nowMs: number },
): Promise<number> {
  const result = await sql`
    update tramita.notice
    set full_text = ${JSON.stringify(storableJson(text.data) ?? null)}::jsonb, full_text_at = ${instant(text.nowMs)}
    where account = ${text.account} and publication_id = ${text.publicationId}`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
