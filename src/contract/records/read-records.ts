/**
 * Reads a wire record into a domain record, by a table of columns. The domain record has normalised columns, its
 * sensitivity, the whole record as it came (`data`), and what could not be mapped (`drift`). Any input gives one record.
 */
import { readData } from '../envelope.js';
import { atPath, firstAt, isJsonObject, type Json, type JsonObject } from '../json.js';
import { drift, unknownMembers, type Drift } from './drift.js';
import { inBothSpellings, readCount, type Field } from './fields.js';
import { decideSensitivity, type Sensitivity } from './sensitivity.js';

export type Columns = Readonly<Record<string, Field<unknown>>>;

export interface RecordShape<C extends Columns> {
  readonly columns: C;
  /** Expected members; any other is drift. */
  readonly known: ReadonlySet<string>;
  /** The lowest sensitivity of such a record. */
  readonly floor: Sensitivity;
}

export type ColumnValues<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Field<infer T> ? T | null : never;
};

/** A record of the service: the columns that are read from it, and all of it in `data`. */
export type DomainRecord<C extends Columns> = ColumnValues<C> & {
  /** How personal the record is; a sealed one is never shown as less. */
  readonly sensitivity: Sensitivity;
  /** The record as it came. */
  readonly data: Json;
  /** How it differs from the expected form. */
  readonly drift: readonly Drift[];
};

/** Records of one list, with what could not be mapped. */
export interface RecordList<C extends Columns> {
  /** In the order of the answer. */
  readonly records: readonly DomainRecord<C>[];
  /** Drift of the list itself; each record has its own. */
  readonly drift: readonly Drift[];
}

/** `known`: expected members without a column. */
export function shape<C extends Columns>(
  columns: C,
  { known = [], floor }: { readonly known?: readonly string[]; readonly floor: Sensitivity },
): RecordShape<C> {
  const heads = Object.values(columns).flatMap(({ places }) => places.flatMap(({ path }) => path.slice(0, 1)));
  return {
    columns,
    known: new Set([...heads, ...inBothSpellings(...known)]),
    floor,
  };
}

export function readDomainRecord<C extends Columns>(
  { columns, known, floor }: RecordShape<C>,
  item: unknown,
): DomainRecord<C> {
  const drifts: Drift[] = [];
  const values = Object.fromEntries(
    Object.entries(columns).map(([name, field]) => [name, readColumn(name, field, item, drifts)]),
  ) as ColumnValues<C>;
  const unknown = isJsonObject(item) ? unknownMembers(item, known) : [];
  const sensitivity = decideSensitivity(item, floor);
  return { ...values, sensitivity, data: (item ?? null) as Json, drift: [...drifts, ...unknown] };
}

/**
 * The records of a list answer. The list is `data` or the body itself, or a member of either that has one of `names`. A
 * member that is null is an empty list, unless a count or another list with records says otherwise; a missing one is empty
 * if the service counts zero. Without any of the names, the only list is taken, with drift; of several lists, the only one
 * that holds nothing but objects. Undefined when there is no list at all.
 */
export function readRecordList<C extends Columns>(
  recordShape: RecordShape<C>,
  body: unknown,
  names: readonly string[],
): RecordList<C> | undefined {
  const list = findList(body, names);
  if (list === undefined) return undefined;
  return { records: list.items.map((item) => readDomainRecord(recordShape, item)), drift: list.drift };
}

/** The record of an answer that holds one. Undefined when the body is no object. */
export function readOneRecord<C extends Columns>(
  recordShape: RecordShape<C>,
  body: unknown,
): DomainRecord<C> | undefined {
  const record = recordIn(body);
  return record === undefined ? undefined : readDomainRecord(recordShape, record);
}

/** The total that the service reports; null when it reports none. */
export function totalIn(top: JsonObject | undefined, name = 'total'): number | null {
  return countIn(top, name) ?? readCount(atPath(top, 'pagination.total')) ?? null;
}

/** The count under this name, in camel or in snake case; null when there is none. */
export function countIn(top: JsonObject | undefined, name: string): number | null {
  return firstAt(top, inBothSpellings(name), readCount) ?? null;
}

/** Counts that say whether a null or missing list is empty. */
const COUNTS = ['total', 'totalDisponivel', 'quantidadeProcessos'];

/** `mayBeNull`: false where the same names may be members of a record. */
export function findList(
  body: unknown,
  names: readonly string[],
  { mayBeNull = true }: { readonly mayBeNull?: boolean } = {},
): { readonly items: readonly unknown[]; readonly drift: readonly Drift[] } | undefined {
  const data = isJsonObject(body) ? body['data'] : undefined;
  const places = [data, body];
  for (const place of places) {
    if (Array.isArray(place)) return { items: place as unknown[], drift: [] };
    const known = names.map((name) => listsIn(place).get(name)).filter((items) => items !== undefined);
    // An empty list does not hide another one.
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

/** True when the list is null, or missing where the service counts zero. */
function isNullList(place: unknown, names: readonly string[]): boolean {
  if (!isJsonObject(place)) return false;
  const counts = COUNTS.map((name) => totalIn(place, name)).filter((count) => count !== null);
  const hasNoList = names.some((name) => place[name] === null) || (counts.length > 0 && listsIn(place).size === 0);
  return hasNoList && counts.every((count) => count === 0);
}

/** Lists about the answer itself, never its records. */
const BESIDE = /^(?:avisos?|warnings?|erros?|errors?|missing\w*|links)$/i;

function listsIn(place: unknown): ReadonlyMap<string, readonly unknown[]> {
  const members: [string, unknown][] = isJsonObject(place) ? Object.entries(place) : [];
  return new Map(
    members.flatMap(([name, value]) =>
      Array.isArray(value) && !BESIDE.test(name) ? [[name, value as unknown[]]] : [],
    ),
  );
}

/** The first readable place wins. Snake and camel case are one place: different values there are a conflict. */
function readColumn(name: string, field: Field<unknown>, item: unknown, drifts: Drift[]): unknown {
  let first: { readonly spelled: string; readonly value: unknown } | undefined;
  let isPresent = false;
  for (const { path, spelled } of field.places) {
    const raw = atPath(item, path);
    if (raw === undefined || raw === null || raw === '') continue;
    isPresent = true;
    const value = field.read(raw);
    if (value === undefined) continue;
    first ??= { spelled, value };
    if (first.spelled === spelled && first.value !== value) drifts.push(drift(name, 'conflict'));
  }
  if (first !== undefined) return first.value;
  if (isPresent) drifts.push(drift(name, 'unreadable'));
  else if (field.key) drifts.push(drift(name, 'missing'));
  return null;
}

/** `data` of an envelope where it is an object, else the body. */
export function recordIn(body: unknown): JsonObject | undefined {
  return readData(body) ?? (isJsonObject(body) && body['data'] === undefined ? body : undefined);
}
