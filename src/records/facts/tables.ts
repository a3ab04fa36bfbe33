/** The tables of the facts and how a domain record becomes a row of each. Pure. */
import {
  buildMovementKeys,
  isJsonObject,
  type CaseReading,
  type ElectoralItem,
  type Movement,
  type Notice,
  type Precatorio,
  type SearchHit,
  type Summary,
} from '../../contract/index.js';
import { contentHash } from '../storable.js';
import { factTable, type Cell, type FactRow, type FactTable } from './save-rows.js';

/** `movement_count` → `movementCount`. */
type Camel<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Name;
type Cells<Name extends string> = { readonly [Column in Name as Camel<Column>]: Cell };

/** The cells of a row, from members of the columns' names in camel case. */
function cells<Name extends string>({ members }: FactTable<Name>, from: Cells<Name>): FactRow['columns'] {
  const given = from as Readonly<Record<string, Cell>>;
  return Object.fromEntries(members.map(([column, member]) => [column, given[member] ?? null]));
}

export const CASES = factTable('legal_case', ['cnj', 'origin'], {
  cnj: 'text',
  origin: 'text',
  court: 'text',
  uf: 'text',
  case_class: 'text',
  subject: 'text',
  judging_body: 'text',
  status: 'text',
  started_on: 'date',
  last_movement_on: 'date',
  movement_count: 'bigint',
  value: 'bigint',
  archived: 'boolean',
});

/** `asked`: the case number that was asked for, used if the record has none that can be read. Undefined without both. */
export function caseRow(
  { record }: CaseReading,
  { origin, asked }: { readonly origin: 'cover' | 'list'; readonly asked?: string },
): FactRow | undefined {
  const cnj = record.cnj ?? asked;
  if (cnj === undefined) return undefined;
  return {
    columns: cells(CASES, { ...record, cnj, origin }),
    sensitivity: record.sensitivity,
    data: withoutCopy(record.data),
  };
}

export const SOURCES = factTable('case_source', ['cnj', 'source_key'], {
  cnj: 'text',
  source_key: 'text',
  name: 'text',
  acronym: 'text',
  kind: 'text',
  degree: 'text',
  system: 'text',
  status: 'text',
  sealed: 'boolean',
  archived: 'boolean',
  started_on: 'date',
  last_movement_on: 'date',
});

export function sourceRows({ record, sources }: CaseReading, asked?: string): readonly FactRow[] {
  const cnj = record.cnj ?? asked;
  if (cnj === undefined) return [];
  return sources.map((source) => ({
    columns: cells(SOURCES, {
      ...source,
      cnj,
      sourceKey: source.id ?? contentHash([source.name, source.acronym, source.kind, source.degree, source.system]),
    }),
    // A sealed source seals its case, and a sealed case its sources.
    sensitivity: record.sensitivity === 'SEALED' ? 'SEALED' : source.sensitivity,
    data: source.data,
  }));
}

export const MOVEMENTS = factTable('movement', ['cnj', 'movement_key'], {
  cnj: 'text',
  movement_key: 'text',
  on_date: 'date',
  kind: 'text',
  category: 'text',
  code: 'text',
  source: 'text',
  degree: 'text',
});

export function movementRows(cnj: string, movements: readonly Movement[]): readonly FactRow[] {
  const keys = buildMovementKeys(cnj, movements);
  return movements.map((movement, place) => ({
    columns: cells(MOVEMENTS, { ...movement, cnj, movementKey: contentHash(keys[place]), onDate: movement.date }),
    sensitivity: movement.sensitivity,
    data: movement.data,
  }));
}

export const SUMMARIES = factTable('case_summary', ['cnj'], {
  cnj: 'text',
  text: 'text',
  state: 'text',
  updated_at: 'timestamptz',
});

export function summaryRow(cnj: string, summary: Summary): FactRow {
  const { updatedAtMs, sensitivity, data } = summary;
  const updatedAt = updatedAtMs === null ? null : new Date(updatedAtMs).toISOString();
  return { columns: cells(SUMMARIES, { ...summary, cnj, updatedAt }), sensitivity, data };
}

export const PUBLICATIONS = factTable('publication', ['origin', 'publication_id'], {
  origin: 'text',
  publication_id: 'text',
  cnj: 'text',
  court: 'text',
  published_on: 'date',
  kind: 'text',
  title: 'text',
});

export function electoralRow(item: ElectoralItem, origin: 'electoral gazette' | 'electoral board'): FactRow {
  const { sensitivity, data } = item;
  return { columns: cells(PUBLICATIONS, { ...item, origin, publicationId: idOf(item) }), sensitivity, data };
}

export function gazetteRow(item: Omit<Notice, 'oabs' | 'publicationId'>): FactRow {
  const { gazette, publishedOn, date, sensitivity, data } = item;
  const own = { origin: 'gazette', publicationId: idOf(item), court: gazette, publishedOn: publishedOn ?? date };
  return { columns: cells(PUBLICATIONS, { ...item, ...own }), sensitivity, data };
}

export const PRECATORIOS = factTable('precatorio', ['mode', 'precatorio_id'], {
  mode: 'text',
  precatorio_id: 'text',
  number: 'text',
  cnj: 'text',
  court: 'text',
  uf: 'text',
  debtor: 'text',
  situation: 'text',
  budget_year: 'integer',
  requested_value: 'bigint',
  updated_value: 'bigint',
});

export function precatorioRow(item: Precatorio, mode: string | null): FactRow {
  const { sensitivity, data } = item;
  const budgetYear = item.budgetYear !== null && item.budgetYear < 10_000 ? item.budgetYear : null;
  const own = { mode: mode ?? '', precatorioId: idOf(item), budgetYear };
  return { columns: cells(PRECATORIOS, { ...item, ...own }), sensitivity, data };
}

export const HITS = factTable('search_hit', ['hit_key'], {
  hit_key: 'text',
  cnj: 'text',
  kind: 'text',
  title: 'text',
  court: 'text',
  published_on: 'date',
  confidence: 'text',
});

export function hitRow(hit: SearchHit): FactRow {
  const { id, kind, sensitivity, data } = hit;
  const hitKey = contentHash(id === null ? data : [kind, id]);
  return { columns: cells(HITS, { ...hit, hitKey }), sensitivity, data };
}

/** Its id, else a hash of its content. */
function idOf({ id, data }: { readonly id: string | null; readonly data: unknown }): string {
  return id ?? `sha256:${contentHash(data)}`;
}

/** Observed: `raw` is a full copy that doubles the size; the answer itself is stored whole. */
function withoutCopy(data: unknown): unknown {
  if (!isJsonObject(data)) return data;
  const { raw: _copy, ...rest } = data;
  return rest;
}
