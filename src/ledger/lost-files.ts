/** Finds rows whose answer is a file that the file store does not have. The caller passes the function that asks the store. */
import { sql } from 'kysely';
import type { Database } from '../store/index.js';

/** Which of these files, named as in the rows, are missing. Rejects if the store cannot be asked. */
export type GoneFiles = (stored: readonly string[]) => Promise<ReadonlySet<string>>;

const BATCH = 5_000;

/** Ids of rows, at most `mostIds`, oldest first. */
export async function lostFiles(
  db: Database,
  { account, gone, mostIds }: { readonly account: string; readonly gone: GoneFiles; readonly mostIds: number },
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (let after = -1; lost.length < mostIds;) {
    const { rows } = await sql<{ readonly seq: number; readonly id: string; readonly stored: string }>`
      select seq, intent_id as id, evidence -> 'file' ->> 'stored' as stored from tramita.intent_all
      where account = ${account} and state = 'done' and joined is null and evidence ? 'file' and evidence -> 'file' ->> 'stored' is not null
        and seq > ${after}
      order by seq limit ${BATCH}`.execute(db);
    const missing = await gone(rows.map(({ stored }) => stored));
    lost.push(...rows.flatMap(({ id, stored }) => (missing.has(stored) ? [id] : [])));
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) break;
    after = last.seq;
  }
  return lost.slice(0, mostIds);
}
