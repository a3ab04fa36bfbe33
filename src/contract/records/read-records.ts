/**
 * Wire record → domain record, by a table of columns. The domain record is normalised key columns, the class of secrecy, the
 * whole record as it came (`data`), and what could not be mapped (`drift`). Whatever comes in, one record comes out.
 */
import { atPath, isJsonObject, type Json, type JsonObject } from '../json.js';
import { drift, unknownMembers, type Drift } from './drift.js';
import { readCount, toSnake, type Field } from './fields.js';
import { decideSensitivity, type Sensitivity } from './sensitivity.js';

export type Columns = Readonly<Record<string, Field<unknown>>>;

export interface RecordShape<C extends Columns> {
  readonly columns: C;
  /** Members that are no news. */
  readonly known: ReadonlySet<string>;
  /** The least class of such a record. */
  readonly floor: Sensitivity;
}

export type ColumnValues<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Field<infer T> ? T | null : never;
};

/** A record of the service: the columns that are read from it, and all of it in `data`. */
export type DomainRecord<C extends Columns> = ColumnValues<C> & {
  readonly sensitivity: Sensitivity;
  /** The record as it came. */
  readonly data: Json;
  readonly drift: readonly Drift[];
};

/** Records of one list, with what could not be mapped. */
export interface RecordList<C extends Columns> {
  readonly records: readonly DomainRecord<C>[];
  /** Trouble with the list itself; each record has its own. */
  readonly drift: readonly Drift[];
}

/** `known`: members that need no column but are no news either. */
export function shape<C extends Columns>(
  columns: C,
  { known = [], floor }: { readonly known?: readonly string[]; readonly floor: Sensitivity },
): RecordShape<C> {
  const heads = Object.values(columns).flatMap(({ places }) => places.flatMap(({ path }) => path.slice(0, 1)));
  return {
    columns,
    known: new Set([...heads, ...known.flatMap((name) => [name, toSnake(name)])]),
    floor,
  };
}

export function readDomainRecord<C extends Columns>(
  { columns, known, floor }: RecordShape<C>,
  item: unknown,
): DomainRecord<C> {
  const found: Drift[] = [];
  const values = Object.fromEntries(
    Object.entries(columns).map(([name, field]) => [name, readColumn(name, field, item, found)]),
  ) as ColumnValues<C>;
  if (isJsonObject(item)) found.push(...unknownMembers(item, known));
  return { ...values, sensitivity: decideSensitivity(item, floor), data: (item ?? null) as Json, drift: found };
}

/**
 * The records of a list answer: `data` or the body itself being the list, or one of `names` in either; a name that is
 * null is an empty list, unless a count or another list with records says otherwise; so is one that is left out where the service
 * counts none. Where none of the names is there, the only list in sight is taken, with drift, of several the only one that may be of
 * records. Undefined when there is no list at all.
 */
export function readRecordList<C extends Columns>(
  recordShape: RecordShape<C>,
  body: unknown,
  names: readonly string[],
): RecordList<C> | undefined {
  const found = findList(body, names);
  if (found === undefined) return undefined;
  return { records: found.items.map((item) => readDomainRecord(recordShape, item)), drift: found.drift };
}

/** The record of an answer that is one. Undefined when the body is no object. */
export function readOneRecord<C extends Columns>(
  recordShape: RecordShape<C>,
  body: unknown,
): DomainRecord<C> | undefined {
  const record = recordIn(body);
  return record === undefined ? undefined : readDomainRecord(recordShape, record);
}

/** What the service says there is in all; null when it does not say. */
export function totalIn(top: JsonObject | undefined, name = 'total'): number | null {
  return readCount(atPath(top, name)) ?? readCount(atPath(top, 'pagination.total')) ?? null;
}

/** What the service counts in lists that may be null. */
const COUNTS = ['total', 'totalDisponivel', 'quantidadeProcessos'];

/** `mayBeNull`: false where the same names may be members of a record. */
export function findList(
  body: unknown,
  names: readonly string[],
  mayBeNull = true,
): { readonly items: readonly unknown[]; readonly drift: readonly Drift[] } | undefined {
  const data = isJsonObject(body) ? body['data'] : undefined;
  const places = [data, body];
  for (const place of places) {
    if (Array.isArray(place)) return { items: place as unknown[], drift: [] };
    const known = names.map((name) => listsIn(place).get(name)).filter((items) => items !== undefined);
    // One that is empty hides no other.
    const items = known.find(({ length }) => length > 0) ?? known[0];
    if (items !== undefined) return { items, drift: [] };
  }
  const holdsRecords = places.some((place) => [...listsIn(place).values()].some((items) => items.some(isJsonObject)));
  if (mayBeNull && !holdsRecords && places.some((place) => isNullList(place, names))) return { items: [], drift: [] };
  for (const place of places) {
    const lists = [...listsIn(place)];
    const [only, ...others] = lists.length === 1 ? lists : lists.filter(([, items]) => items.every(isJsonObject));
    if (only !== undefined && others.length === 0) return { items: only[1], drift: [drift(only[0], 'unknown')] };
  }
  return undefined;
}

/** The names are null, or left out where the service counts none. */
function isNullList(place: unknown, names: readonly string[]): boolean {
  if (!isJsonObject(place)) return false;
  const counts = COUNTS.map((name) => totalIn(place, name)).filter((count) => count !== null);
  const isSaid = names.some((name) => place[name] === null) || (counts.length > 0 && listsIn(place).size === 0);
  return isSaid && counts.every((count) => count === 0);
}

/** Lists that say something of the answer, and are not what was asked for. */
const BESIDE = /^(?:avisos?|warnings?|erros?|errors?|missing\w*|links)$/i;

function listsIn(place: unknown): ReadonlyMap<string, readonly unknown[]> {
  const members: [string, unknown][] = isJsonObject(place) ? Object.entries(place) : [];
  return new Map(
    members.flatMap(([name, value]) =>
      Array.isArray(value) && !BESIDE.test(name) ? [[name, value as unknown[]]] : [],
    ),
  );
}

/** The first place that can be read counts. Snake and camel are one place: where they read differently, that is a conflict. */
function readColumn(name: string, field: Field<unknown>, item: unknown, found: Drift[]): unknown {
  let first: { readonly spelled: string; readonly value: unknown } | undefined;
  let there = false;
  for (const { path, spelled } of field.places) {
    const raw = atPath(item, path);
    if (raw === undefined || raw === null || raw === '') continue;
    there = true;
    const value = field.read(raw);
    if (value === undefined) continue;
    first ??= { spelled, value };
    if (first.spelled === spelled && first.value !== value) found.push(drift(name, 'conflict'));
  }
  if (first !== undefined) return first.value;
  if (there) found.push(drift(name, 'unreadable'));
  else if (field.key) found.push(drift(name, 'missing'));
  return null;
}

/** `data` of an envelope where it is an object, else the body. */
export function recordIn(body: unknown): JsonObject | undefined {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (isJsonObject(data)) return data;
  return isJsonObject(body) && data === undefined ? body : undefined;
}
