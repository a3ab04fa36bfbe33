/**
 * Work that one program does for all: turns, and figures that one finds and all read. Time is the database's, so that clocks of
 * several machines do not matter. No lock is held while somebody works: a turn that was broken off is over by itself.
 */
import { sql } from 'kysely';
import type { Database } from './connect.js';

/** Programs of other settings may take the same turn for this much longer. */
const OTHER_SETTINGS_MS = 60_000;

/**
 * True for one caller, of all programs, until `forMs` are over. A turn that ends later than any can (`longestMs`) was taken while
 * the database's clock ran ahead: it is over.
 */
export async function takeTurn(db: Database, name: string, forMs: number, longestMs = forMs): Promise<boolean> {
  const { rows } = await sql`
    insert into tramita.duty as duty (name, taken_until) values (${name}, clock_timestamp() + ${span(forMs)})
    on conflict (name) do update set taken_until = excluded.taken_until
      where duty.taken_until <= clock_timestamp() or duty.taken_until > clock_timestamp() + ${span(longestMs + OTHER_SETTINGS_MS)}
    returning name`.execute(db);
  return rows.length > 0;
}

export interface Shared<T> {
  readonly found: T;
  readonly ageMs: number;
}

/** Longest time that one caller may need; then it is another one's turn. */
const TURN_MS = 15_000;
/** What is older than this many times its time to live is not worth waiting for. */
const STALE = 4;

/**
 * What `find` returns (plain JSON), found by one caller of all programs at most every `keptMs`; the others are given that. While
 * it is being found again they are given what was there before.
 */
export async function shareFinding<T>(
  db: Database,
  { name, keptMs }: { readonly name: string; readonly keptMs: number },
  find: () => Promise<T>,
): Promise<Shared<T>> {
  const kept = await readFinding<T>(db, name);
  if (kept !== undefined && kept.ageMs >= 0 && kept.ageMs < keptMs) return kept;
  const isMine = await takeTurn(db, name, TURN_MS, Math.max(TURN_MS, keptMs));
  if (!isMine && kept !== undefined && kept.ageMs < STALE * keptMs) return kept;
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
