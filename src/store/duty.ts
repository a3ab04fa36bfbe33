/**
 * Work that one program does for all: turns (leases), and results that one program computes and all read. All times are the
 * database's, so the clocks of the machines do not matter. No lock is held during the work: a turn whose holder died expires.
 */
import { sql } from 'kysely';
import type { Database } from './connect.js';

/** Programs with other settings may take the same turn for this much longer. */
const OTHER_SETTINGS_MS = 60_000;

/**
 * Takes a turn for `forMs`. True for one caller of all programs; the others get false until the turn has expired. A turn that
 * would last longer than any may (`longestMs`) was taken while the database's clock ran ahead: it counts as expired.
 */
export async function takeTurn(db: Database, name: string, forMs: number, longestMs = forMs): Promise<boolean> {
  const { rows } = await sql`
    insert into tramita.duty as duty (name, taken_until) values (${name}, clock_timestamp() + ${span(forMs)})
    on conflict (name) do update set taken_until = excluded.taken_until
      where duty.taken_until <= clock_timestamp() or duty.taken_until > clock_timestamp() + ${span(longestMs + OTHER_SETTINGS_MS)}
    returning name`.execute(db);
  return rows.length > 0;
}

/** Ends a turn before it expires. Only its holder may. */
export async function endTurn(db: Database, name: string): Promise<void> {
  await sql`delete from tramita.duty where name = ${name}`.execute(db);
}

export interface Shared<T> {
  readonly found: T;
  readonly ageMs: number;
}

/** Longest time that one `find` may take; after it another caller may start one. */
const TURN_MS = 15_000;
/** A result older than this many times `keptMs` is not returned: the caller computes its own, although it is another one's turn. */
const STALE = 4;

/**
 * The result of `find` (plain JSON), shared by all programs: one caller computes it at most every `keptMs`, the others get the
 * stored result. While it is being computed again, they get the one before.
 */
export async function shareFinding<T>(
  db: Database,
  { name, keptMs }: { readonly name: string; readonly keptMs: number },
  find: () => Promise<T>,
): Promise<Shared<T>> {
  const stored = await readFinding<T>(db, name);
  if (stored !== undefined && stored.ageMs >= 0 && stored.ageMs < keptMs) return stored;
  const isMine = await takeTurn(db, name, TURN_MS, Math.max(TURN_MS, keptMs));
  if (!isMine && stored !== undefined && stored.ageMs < STALE * keptMs) return stored;
  const found = await find();
  await sql`
    update tramita.duty set found = ${JSON.stringify(found)}::jsonb, found_at = clock_timestamp(),
      taken_until = clock_timestamp() + ${span(keptMs)}
    where name = ${name}`.execute(db);
  return { found, ageMs: 0 };
}

async function readFinding<T>(db: Database, name: string): Promise<Shared<T> | undefined> {
  const { rows } = await sql<Shared<T>>`
    select found, (extract(epoch from clock_timestamp() - found_at) * 1000)::bigint as "ageMs"
    from tramita.duty where name = ${name} and found is not null`.execute(db);
  return rows[0];
}

function span(ms: number) {
  return sql`${ms}::double precision * interval '1 millisecond'`;
}
