/** Events that answer to given keys since an instant, newest first: what a resolver may look at. Bodies stay on this side of Temporal. */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { answersToAny } from './decide-wakes.js';

export interface EventAbout {
  readonly event: string;
  readonly body: Buffer;
  readonly receivedAtMs: number;
}

export async function eventsAbout(
  db: Database,
  { keys, sinceMs, limit }: { readonly keys: readonly string[]; readonly sinceMs: number; readonly limit: number },
): Promise<readonly EventAbout[]> {
  const { rows } = await sql<EventAbout>`
    with found as materialized (
      select seq, event, body, received_at from tramita.event
      where ${answersToAny(sql`${[...keys]}::text[]`)} and received_at >= ${instant(sinceMs)}
    )
    select event, body, received_at as "receivedAtMs" from found order by seq desc limit ${limit}`.execute(db);
  return rows;
}
