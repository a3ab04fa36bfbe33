/** Maps rows of the table `intent` to {@link Intent} and back: `openedAtMs` is the column `opened_at`. Pure. */
import {
  sql,
  type AliasedRawBuilder,
  type Insertable,
  type RawBuilder,
  type Selectable,
  type Updateable,
} from 'kysely';
import { lockNumber, type IntentTable } from '../store/index.js';
import { BLANK_INTENT, FACTS, type Intent } from './intent.js';
import { subjectLock } from './lock-names.js';

/** An intent with the columns that do not leave the ledger. */
export interface KeptIntent {
  readonly intent: Intent;
  readonly attemptToken: string | null;
  readonly waiterKeys: readonly string[];
  readonly budgetKey: string | null;
}

/** A row as it was just written or read. A change that was decided on it is written only while the row has this version. */
export interface KnownRow {
  readonly kept: KeptIntent;
  /** The id of the transaction that wrote it. */
  readonly version: string;
}

/** The version column, for a `select` or a `returning`. */
export const VERSION = sql<string>`xmin::text`;

type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;
/** Makes the compiler require a column for every member of {@link Intent}. */
type ColumnOf<Member extends string> = Snake<Member extends `${infer Name}Ms` ? Name : Member>;

const COLUMNS = (Object.keys(BLANK_INTENT) as (keyof Intent)[]).map((member) => ({ member, column: columnOf(member) }));

function columnOf<Member extends string>(member: Member): ColumnOf<Member> {
  const name = member.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return name as ColumnOf<Member>;
}

export function readIntent(row: Selectable<IntentTable>): Intent {
  const members = COLUMNS.map(({ member, column }) => [member, row[column]] as const);
  const intent = Object.fromEntries<unknown>(members) as Pick<Intent, keyof Intent>;
  // Rows from before migration 0019 do not name a source: their answers reported the charge.
  const amountSource = intent.charged === null || intent.joined !== null ? null : (intent.amountSource ?? 'told');
  return { ...intent, amountSource };
}

export function readKept(row: Selectable<IntentTable>): KeptIntent {
  const { attempt_token: attemptToken, waiter_keys: waiterKeys, budget_key: budgetKey } = row;
  return { intent: readIntent(row), attemptToken, waiterKeys, budgetKey };
}

/** Columns of a new row. */
export function buildRow({ intent, attemptToken, waiterKeys, budgetKey }: KeptIntent): Insertable<IntentTable> {
  const columns = buildColumns(intent) as Insertable<IntentTable>;
  return { ...columns, attempt_token: attemptToken, budget_key: budgetKey, ...buildKeys(intent, waiterKeys) };
}

export const FACT_COLUMNS: readonly string[] = FACTS.map(columnOf);

/** Columns of some members: times as `Date`, evidence as JSON text. Properties that are no members of an intent are left out. */
export function buildColumns(members: Partial<Intent>): Updateable<IntentTable> {
  const given = COLUMNS.filter(({ member }) => member in members);
  return Object.fromEntries(given.map(({ member, column }) => [column, toColumn(member, members[member])]));
}

function toColumn(member: string, value: unknown): unknown {
  if (value === null) return null;
  if (member === 'evidence') return JSON.stringify(value);
  return member.endsWith('Ms') ? new Date(value as number) : value;
}

/** The same as `column = value`, for an `update`. */
export function assign(columns: Updateable<IntentTable>): RawBuilder<unknown> {
  return sql.join(Object.entries(columns).map(([column, value]) => sql`${sql.raw(column)} = ${value}`));
}

/** The subject's lock comes first: it is the one that remains when a final row drops its keys. */
export function buildKeys(
  intent: Intent,
  waiterKeys: readonly string[],
): Pick<Insertable<IntentTable>, 'waiter_keys' | 'locks'> {
  const locks = [lockNumber(subjectLock(intent)), ...waiterKeys.map(lockNumber)];
  return { waiter_keys: [...waiterKeys], locks: `{${locks.join(',')}}` };
}

/** SQL for a `from`: all rows of a run, archived ones too. */
export function rowsOfRun({
  workflowId,
  firstRunId,
}: Pick<Intent, 'workflowId' | 'firstRunId'>): AliasedRawBuilder<IntentTable, 'intent'> {
  return sql<IntentTable>`(
    select * from tramita.intent where workflow_id = ${workflowId} and first_run_id = ${firstRunId}
    union all select * from tramita.archived_run(${workflowId}, ${firstRunId}))`.as('intent');
}
