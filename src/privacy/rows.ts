/** Rows of a place, read page by page in the order of its primary key, with the columns that may be personal. */
import { sql, type RawBuilder } from 'kysely';
import { rowsInPages, type Database } from '../store/index.js';
import type { TablePlace } from './places.js';

export type Cell = string | Buffer | readonly string[] | null;

export interface PlaceRow {
  /** As text, in the order of the place's key. */
  readonly key: readonly string[];
  readonly cells: Readonly<Record<string, Cell>>;
}

const ROWS = 500;
/** Bodies may be megabytes. */
const BODIES = 20;

export async function* rowsOf(db: Database, place: TablePlace): AsyncGenerator<PlaceRow> {
  const names = Object.keys(place.columns);
  const limit = Object.values(place.columns).includes('bytes') ? BODIES : ROWS;
  const keys = place.key.map((column) => sql.ref(column));
  const columns = [
    ...keys.map((key, at) => sql`${key}::text as ${sql.ref(`key_${at}`)}`),
    ...names.map((name) => sql`${columnAsRead(place, name)} as ${sql.ref(`cell_${name}`)}`),
  ];
  const keyOf = (row: Readonly<Record<string, Cell>>): string[] => place.key.map((_, at) => String(row[`key_${at}`]));
  const rows = rowsInPages<Readonly<Record<string, Cell>>>(db, limit, (last) => {
    const behind = last === undefined ? sql`true` : sql`(${sql.join(keys)}) > (${sql.join(keyOf(last))})`;
    return sql`
      select ${sql.join(columns)} from ${sql.table(`tramita.${place.table}`)} where ${behind}
      order by ${sql.join(keys)}`;
  });
  for await (const row of rows) {
    yield { key: keyOf(row), cells: Object.fromEntries(names.map((name) => [name, row[`cell_${name}`] ?? null])) };
  }
}

/** JSON is read as text, so that long numbers and the order of members do not change. */
export function columnAsRead({ columns }: TablePlace, name: string): RawBuilder<unknown> {
  return columns[name] === 'json' ? sql`${sql.ref(name)}::text` : sql`${sql.ref(name)}`;
}

/** Condition on the row with this key. */
export function isRow(place: TablePlace, key: readonly string[]): RawBuilder<boolean> {
  const columns = place.key.map((column) => sql.ref(column));
  return sql<boolean>`(${sql.join(columns)}) = (${sql.join([...key])})`;
}

/** Texts of a cell. Bytes that are no UTF-8 are read as Latin-1, so that no byte is lost. */
export function textsOf(cell: Cell): readonly string[] {
  if (cell === null) return [];
  if (Buffer.isBuffer(cell)) return [decode(cell).text];
  return typeof cell === 'string' ? [cell] : cell;
}

export function changeCell(cell: Cell, change: (text: string) => string): Cell {
  if (cell === null) return null;
  if (Buffer.isBuffer(cell)) return changeBytes(cell, change);
  return typeof cell === 'string' ? change(cell) : cell.map(change);
}

export function changeBytes(bytes: Buffer, change: (text: string) => string): Buffer {
  const { text, encoding } = decode(bytes);
  const changed = change(text);
  return changed === text ? bytes : Buffer.from(changed, encoding);
}

function decode(bytes: Buffer): { readonly text: string; readonly encoding: 'utf8' | 'latin1' } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf8' };
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1' };
  }
}
