/**
 * The one upsert of the facts: a page is one statement with one JSON parameter, and a row is touched only when its content
 * differs. A class of secrecy never falls, and what belongs to a sealed case is sealed.
 */
import { sql } from 'kysely';
import type { Sensitivity } from '../../contract/index.js';
import { instant, type Writable } from '../../store/index.js';
import { rowsByKey } from '../rows-by-key.js';
import { sensitivityByCase } from '../sealed-by-case.js';
import { contentHash, storableJson } from '../storable.js';

export type ColumnType = 'text' | 'date' | 'bigint' | 'integer' | 'boolean' | 'timestamptz';

/** A table of facts: its key beside the account, and its columns with their types, the key's included. */
export interface FactTable<Name extends string = string> {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<Name, ColumnType>>;
}

export type Cell = string | number | boolean | null;

export interface FactRow {
  readonly columns: Readonly<Record<string, Cell>>;
  readonly sensitivity: Sensitivity;
  readonly data: unknown;
}

/** Touches as many rows as are new or changed. Undefined for a page without rows. */
export function buildSave(
  { table, key, columns }: FactTable,
  page: { readonly account: string; readonly rows: readonly FactRow[]; readonly nowMs: number },
): Writable | undefined {
  const rows = rowsByKey(page.rows, (row) => keyOf(row, key)).map(toWire);
  if (rows.length === 0) return undefined;
  const names = Object.keys(columns);
  const types = sql.raw(
    Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  );
  const list = sql.raw(names.map((name) => `page.${name}`).join(', '));
  const updates = sql.raw(
    names
      .filter((name) => !key.includes(name))
      .map((name) => `${name} = excluded.${name}, `)
      .join(''),
  );
  const now = instant(page.nowMs);
  return sql`
    insert into ${sql.table(`tramita.${table}`)} as kept
      (account, ${sql.raw(names.join(', '))}, sensitivity, data, data_hash, first_seen_at, changed_at)
    select ${page.account}, ${list}, ${names.includes('cnj') ? sensitivityByCase(page.account) : sql`page.sensitivity`}, page.data, page.data_hash, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as page (${types}, sensitivity text, data jsonb, data_hash text)
    on conflict (account, ${sql.raw(key.join(', '))}) do update
      set ${updates} sensitivity = case when kept.sensitivity = 'SEALED' then 'SEALED' else excluded.sensitivity end,
        data = excluded.data, data_hash = excluded.data_hash, changed_at = excluded.changed_at
      where kept.data_hash <> excluded.data_hash
        or (excluded.sensitivity = 'SEALED' and kept.sensitivity <> 'SEALED')`;
}

function keyOf({ columns }: FactRow, key: readonly string[]): string {
  return JSON.stringify(key.map((name) => columns[name] ?? null));
}

function toWire({ columns, sensitivity, data }: FactRow): Record<string, unknown> {
  const content = storableJson({ ...columns, data });
  return { ...content, sensitivity, data_hash: contentHash(content) };
}
