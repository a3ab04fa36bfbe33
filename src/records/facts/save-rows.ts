/**
 * The upsert of all facts: a page is one statement with one JSON parameter, and a row is touched only if its content differs and
 * no later answer has changed it, or if the time when it was seen is due (`last-seen.ts`). A sealed row stays sealed, and what
 * belongs to a sealed case is sealed. An older answer that seals a row changes nothing else of it.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Sensitivity } from '../../contract/index.js';
import { camelCase } from '../../contract/json.js';
import { instant, type Writable } from '../../store/index.js';
import { isOlder, notChangedAfter, seenAgain, SEEN_AT, unlessOlder } from '../last-seen.js';
import { RECORD_OF_ROW, rowsByKey } from '../rows-by-key.js';
import { IS_NEWS, NEVER_LESS_SEALED, SEALS, sensitivityByCase } from '../sealed-by-case.js';
import { hashOfText, storableText } from '../storable.js';

export type ColumnType = 'text' | 'date' | 'bigint' | 'integer' | 'boolean' | 'timestamptz';

/** A table of facts: its key besides the account, and its columns with their types, the key's included. */
export interface FactTable<Name extends string = string> {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<Name, ColumnType>>;
  /** Each column with its name in camel case. */
  readonly members: readonly (readonly [column: string, member: string])[];
  /** The parts of its upsert that are the same for every page. */
  readonly parts: UpsertParts;
}

const IS_OLDER = isOlder('greatest(kept.last_seen_at, kept.changed_at)', 'excluded.changed_at');

interface UpsertParts {
  readonly into: RawBuilder<unknown>;
  readonly types: RawBuilder<unknown>;
  readonly values: RawBuilder<unknown>;
  readonly belongsToCase: boolean;
  /** The conflict target and the assignments of the table's own columns. */
  readonly onConflict: RawBuilder<unknown>;
}

export function factTable<Name extends string>(
  table: string,
  key: readonly NoInfer<Name>[],
  columns: Readonly<Record<Name, ColumnType>>,
): FactTable<Name> {
  const typed = Object.entries<ColumnType>(columns);
  const names = typed.map(([name]) => name);
  const changed = names.filter((name) => !(key as readonly string[]).includes(name));
  const parts = {
    into: sql`${sql.table(`tramita.${table}`)} as kept (account, ${sql.raw(names.join(', '))}, sensitivity, data, data_hash, first_seen_at, changed_at)`,
    types: sql.raw(typed.map(([name, type]) => `${name} ${type}`).join(', ')),
    values: sql.raw(names.map((name) => `page.${name}`).join(', ')),
    belongsToCase: names.includes('cnj'),
    onConflict: sql.raw(
      `(account, ${key.join(', ')}) do update set ${unlessOlder([...changed, 'data_hash'], IS_OLDER)},`,
    ),
  };
  return { table, key, columns, members: names.map((name) => [name, camelCase(name)]), parts };
}

export type Cell = string | number | boolean | null;

export interface FactRow {
  readonly columns: Readonly<Record<string, Cell>>;
  readonly sensitivity: Sensitivity;
  readonly data: unknown;
}

/** Its affected rows are those that are new, changed, or whose time is written again. Undefined for a page without rows. */
export function buildSave(
  { key, parts }: FactTable,
  page: { readonly account: string; readonly rows: readonly FactRow[]; readonly nowMs: number },
): Writable | undefined {
  const rows = rowsByKey(page.rows, (row) => keyOf(row, key)).map(toWire);
  if (rows.length === 0) return undefined;
  const sensitivity = parts.belongsToCase ? sensitivityByCase(page.account) : sql`page.sensitivity`;
  const now = instant(page.nowMs);
  return sql`
    insert into ${parts.into}
    select ${page.account}, ${parts.values}, ${sensitivity}, ${RECORD_OF_ROW}, page.data_hash, ${now}, ${now}
    from jsonb_to_recordset(${`[${rows.join(',')}]`}::jsonb)
      as page (${parts.types}, sensitivity text, data jsonb, data_hash text)
    on conflict ${parts.onConflict} sensitivity = ${NEVER_LESS_SEALED},
        data = ${CONTENT}, last_seen_at = greatest(kept.last_seen_at, ${now}),
        changed_at = case when ${IS_NEWS} then greatest(kept.changed_at, excluded.changed_at) else kept.changed_at end
      where (${IS_NEWS} and (${notChangedAfter(page.nowMs, SEEN_AT)} or ${SEALS})) or ${seenAgain(page.nowMs, rows.length)}`;
}

/** Content that is the same is kept: the server would write a large one again. */
const CONTENT = sql`case when kept.data_hash = excluded.data_hash or ${sql.raw(IS_OLDER)} then kept.data else excluded.data end`;

function keyOf({ columns }: FactRow, key: readonly string[]): string {
  return JSON.stringify(key.map((name) => columns[name] ?? null));
}

/** The row as JSON text, made once: a record may have megabytes. */
function toWire({ columns, sensitivity, data }: FactRow): string {
  const content = storableText({ ...columns, data });
  return `${content.slice(0, -1)},"sensitivity":"${sensitivity}","data_hash":"${hashOfText(content)}"}`;
}
