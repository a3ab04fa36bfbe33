/**
 * The frame of every change to an existing row: one transaction that takes the locks of the row's subject and waiter keys and
 * reads the row under them, in one round trip. The caller decides the change; `write-change` writes it with the commit.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { lockNumbers, lookAndWrite, type Database, type Ending, type IntentTable } from '../store/index.js';
import { intentMissing } from './errors.js';
import type { Intent } from './intent.js';
import { readKept, type KeptIntent } from './intent-row.js';
import { fromRowsWith, type LoggedCharge } from './logged-charge.js';
import type { LedgerTable } from './read-intents.js';
import { rootOf } from './states.js';

export interface IntentUnderLock {
  /** The requested row. */
  readonly own: KeptIntent;
  /** The row that holds the charge: `own`, unless that joined another one. */
  readonly root: KeptIntent;
  /** Other calls of the account that have the wanted request, or have booked the wanted charge. */
  readonly others: readonly Intent[];
}

type Row = Selectable<IntentTable>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Change {
  readonly intentId: string;
  /** Lock names besides those stored in the row. */
  readonly extraNames: readonly string[];
  /** `extraNames` has its lock. */
  readonly requestId?: string;
  readonly charge?: LoggedCharge;
}

/** Throws if there is no such row. */
export async function changeIntent<T>(
  db: Database,
  { intentId, extraNames, ...wanted }: Change,
  change: (rows: IntentUnderLock) => Ending<T>,
): Promise<T> {
  if (!UUID.test(intentId)) throw new Error(`tramita: "${intentId.slice(0, 60)}" is not an intent id; expected a UUID`);
  const locks = sql`select pg_advisory_xact_lock(number) from (
    select distinct number from (
      select unnest(locks) as number from ${withRoot('tramita.intent', intentId)}
      union all select unnest(${`{${lockNumbers(extraNames).join(',')}}`}::bigint[])) as numbers
    order by number) as ordered`;
  const changeIn = (table: LedgerTable): Promise<{ readonly value: T } | undefined> =>
    lookAndWrite(db, { locks, look: lookAt(table, intentId, wanted) }, (found) => {
      const rows = readRows(intentId.toLowerCase(), found);
      if (rows === undefined) return { write: [], then: () => undefined };
      const { write, then } = change(rows);
      return { write, then: (written) => ({ value: then(written) }) };
    });
  // Archived rows are settled: late news about one is a repetition or a conflict.
  const changed = (await changeIn('tramita.intent')) ?? (await changeIn('tramita.intent_all'));
  if (changed === undefined) throw intentMissing(intentId);
  return changed.value;
}

function lookAt(
  table: LedgerTable,
  intentId: string,
  { requestId, charge }: Pick<Change, 'requestId' | 'charge'>,
): RawBuilder<Row> {
  const rows = sql`select * from ${withRoot(table, intentId)}`;
  const ofRow = (column: string): RawBuilder<unknown> =>
    sql`(select ${sql.ref(column)} from ${sql.table(table)} where intent_id = ${intentId}::uuid)`;
  if (charge !== undefined) {
    const request = sql`coalesce(${charge.requestId}, ${ofRow('request_id')})`;
    return sql<Row>`${rows} union select * ${fromRowsWith(charge, { request, account: ofRow('account') })}`;
  }
  if (requestId === undefined) return sql<Row>`${rows}`;
  // A `getRequest` only looks at the work of another call.
  return sql<Row>`${rows} union select * from tramita.intent_all
    where request_id = ${requestId} and joined is null and operation <> 'getRequest' and account = ${ofRow('account')}`;
}

/** SQL for a `from`: the row, and the row that it joined. */
export function withRoot(table: LedgerTable, intentId: string): RawBuilder<unknown> {
  const rows = sql.table(table);
  return sql`${rows} where intent_id = ${intentId}::uuid
    or intent_id = (select joined from ${rows} where intent_id = ${intentId}::uuid)`;
}

function readRows(intentId: string, found: readonly Row[]): IntentUnderLock | undefined {
  const kept = found.map(readKept);
  const find = (id: string): KeptIntent | undefined => kept.find(({ intent }) => intent.intentId === id);
  const own = find(intentId);
  const root = own && find(rootOf(own.intent));
  if (own === undefined || root === undefined) return undefined;
  const others = kept.filter((row) => row !== own && row !== root).map(({ intent }) => intent);
  return { own, root, others };
}
