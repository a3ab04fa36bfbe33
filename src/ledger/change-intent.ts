/**
 * The frame of every change to a row that exists: one transaction that begins with the locks of the row's subject and of
 * its waiter keys and reads the row under them, all in one round trip. What changes is decided by the caller; how it is
 * written, by `write-change`.
 */
import type { Selectable } from 'kysely';
import { lockNumbers, withOpening, type Database, type IntentTable } from '../store/index.js';
import { readKept, type KeptIntent } from './intent-row.js';
import { rootOf } from './states.js';

export interface IntentUnderLock {
  /** The row that was asked for. */
  readonly asked: KeptIntent;
  /** The row that holds the charge; the same one unless `asked` joined another. */
  readonly root: KeptIntent;
}

const MISSING = 'IntentMissing';

/** True for the error of a row that is not there: the ledger has forgotten it, or never had it. */
export function isIntentMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === MISSING;
}

function missing(problem: string): Error {
  return Object.assign(new Error(`tramita: ${problem}`), { name: MISSING });
}

async function findArchived(trx: Database, intentId: string): Promise<KeptIntent | undefined> {
  const row = await trx
    .selectFrom('tramita.intent_archive')
    .selectAll()
    .where('intent_id', '=', intentId)
    .executeTakeFirst();
  return row === undefined ? undefined : readKept(row);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Throws when there is no such row. `extraNames` are lock names besides those that the row itself keeps. */
export async function changeIntent<T>(
  db: Database,
  { intentId, extraNames }: { readonly intentId: string; readonly extraNames: readonly string[] },
  change: (trx: Database, rows: IntentUnderLock) => Promise<T>,
): Promise<T> {
  if (!UUID.test(intentId)) throw new Error(`tramita: "${intentId.slice(0, 60)}" is not an intent id; expected a UUID`);
  // Checked above: the texts below hold nothing from outside but hexadecimal digits, hyphens and our own numbers.
  const rows = `tramita.intent where intent_id = '${intentId}'
    or intent_id = (select joined from tramita.intent where intent_id = '${intentId}')`;
  const locks = `select pg_advisory_xact_lock(number) from (
    select distinct number from (
      select unnest(locks) as number from ${rows}
      union all select unnest('{${lockNumbers(extraNames).join(',')}}'::bigint[])) as numbers
    order by number) as ordered`;
  return withOpening(db, [locks, `select * from ${rows}`], async (trx, found) => {
    const kept = (found as Selectable<IntentTable>[]).map(readKept);
    // What is in the archive is settled: late news of it can only be the same again, or a conflict.
    const find = async (id: string): Promise<KeptIntent | undefined> =>
      kept.find(({ intent }) => intent.intentId === id) ?? (await findArchived(trx, id));
    const asked = await find(intentId.toLowerCase());
    if (asked === undefined) throw missing(`the ledger has no intent ${intentId}`);
    const root = rootOf(asked.intent) === asked.intent.intentId ? asked : await find(rootOf(asked.intent));
    if (root === undefined) throw missing(`the ledger has lost the row that intent ${intentId} joined`);
    return change(trx, { asked, root });
  });
}
