/** The access log: one line for each look at personal data. It is written first; if that fails, nothing is shown. */
import { sql } from 'kysely';
import { BATCH, inBatches, instant, type Database } from '../store/index.js';

export interface Access {
  /** A name or a ticket. */
  readonly by: string;
  /** The command or server through which they look, for example `events list --bodies`. */
  readonly via: string;
  readonly account?: string;
  readonly namespace?: string;
  /** A keyed token of the person or case asked for; never the number itself. */
  readonly subject?: string;
  /** How many items are shown, if that is known. */
  readonly items?: number;
  readonly reason?: string;
}

export async function recordAccess(db: Database, access: Access): Promise<void> {
  const { by, via, account = null, namespace = null, subject = null, items = null, reason = null } = access;
  await sql`
    insert into tramita.access_log (by_whom, via, account, namespace, subject, items, reason)
    values (${by}, ${via}, ${account}, ${namespace}, ${subject}, ${items}, ${reason})`.execute(db);
}

/** Rejects if no line could be written now. Writes nothing. */
export async function checkAccessLog(db: Database): Promise<void> {
  await sql`insert into tramita.access_log (by_whom, via) select '', '' where false`.execute(db);
}

/** Deletes older lines; returns how many. */
export function dropAccessLog(db: Database, { beforeMs }: { readonly beforeMs: number }): Promise<number> {
  return inBatches(
    db,
    sql`
      delete from tramita.access_log where seq = any (array(
        select seq from tramita.access_log where at < ${instant(beforeMs)} order by at limit ${BATCH} for update skip locked))`,
  );
}
