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
import { contentHash, type FactRow, type FactTable } from './save-rows.js';

export const CASES: FactTable = {
  table: 'legal_case',
  key: ['cnj', 'origin'],
  columns: {
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
  },
};

/** `asked`: the number that was asked for, where the record has none that can be read. Undefined without both. */
export function caseRow(
  { record }: CaseReading,
  { origin, asked }: { readonly origin: 'cover' | 'list'; readonly asked?: string },
): FactRow | undefined {
  const cnj = record.cnj ?? asked;
  if (cnj === undefined) return undefined;
  return {
    columns: {
      cnj,
      origin,
      court: record.court,
      uf: record.uf,
      case_class: record.caseClass,
      subject: record.subject,
      judging_body: record.judgingBody,
      status: record.status,
      started_on: record.startedOn,
      last_movement_on: record.lastMovementOn,
      movement_count: record.movementCount,
      value: record.value,
      archived: record.archived,
    },
    sensitivity: record.sensitivity,
    data: withoutCopy(record.data),
  };
}

export const SOURCES: FactTable = {
  table: 'case_source',
  key: ['cnj', 'source_key'],
  columns: {
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
  },
};

export function sourceRows({ record, sources }: CaseReading, asked?: string): readonly FactRow[] {
  const cnj = record.cnj ?? asked;
  if (cnj === undefined) return [];
  return sources.map((source) => ({
    columns: {
      cnj,
      source_key: source.id ?? contentHash([source.name, source.acronym, source.kind, source.degree, source.system]),
      name: source.name,
      acronym: source.acronym,
      kind: source.kind,
      degree: source.degree,
      system: source.system,
      status: source.status,
      sealed: source.sealed,
      archived: source.archived,
      started_on: source.startedOn,
      last_movement_on: source.lastMovementOn,
    },
    // A sealed source seals its case, and a sealed case its sources.
    sensitivity: record.sensitivity === 'SEALED' ? 'SEALED' : source.sensitivity,
    data: source.data,
  }));
}

export const MOVEMENTS: FactTable = {
  table: 'movement',
  key: ['cnj', 'movement_key'],
  columns: {
    cnj: 'text',
    movement_key: 'text',
    on_date: 'date',
    kind: 'text',
    category: 'text',
    code: 'text',
    source: 'text',
    degree: 'text',
  },
};

export function movementRows(cnj: string, movements: readonly Movement[]): readonly FactRow[] {
  const keys = buildMovementKeys(cnj, movements);
  return movements.map((movement, place) => ({
    columns: {
      cnj,
      movement_key: contentHash(keys[place]),
      on_date: movement.date,
      kind: movement.kind,
      category: movement.category,
      code: movement.code,
      source: movement.source,
      degree: movement.degree,
    },
    sensitivity: movement.sensitivity,
    data: movement.data,
  }));
}

export const SUMMARIES: FactTable = {
  table: 'case_summary',
  key: ['cnj'],
  columns: { cnj: 'text', text: 'text', state: 'text', updated_at: 'timestamptz' },
};

export function summaryRow(cnj: string, summary: Summary): FactRow {
  const { text, state, updatedAtMs, sensitivity, data } = summary;
  const updatedAt = updatedAtMs === null ? null : new Date(updatedAtMs).toISOString();
  return { columns: { cnj, text, state, updated_at: updatedAt }, sensitivity, data };
}

export const PUBLICATIONS: FactTable = {
  table: 'publication',
  key: ['origin', 'publication_id'],
  columns: {
    origin: 'text',
    publication_id: 'text',
    cnj: 'text',
    court: 'text',
    published_on: 'date',
    kind: 'text',
    title: 'text',
  },
};

export function electoralRow(item: ElectoralItem, origin: 'electoral gazette' | 'electoral board'): FactRow {
  const { id, cnj, court, publishedOn, kind, title, sensitivity, data } = item;
  const columns = { cnj, court, published_on: publishedOn, kind, title };
  return { columns: { origin, publication_id: id ?? `sha256:${contentHash(data)}`, ...columns }, sensitivity, data };
}

export function gazetteRow(item: Notice): FactRow {
  const { id, cnj, gazette, publishedOn, date, kind, title, sensitivity, data } = item;
  const columns = { cnj, court: gazette, published_on: publishedOn ?? date, kind, title };
  const publicationId = id ?? `sha256:${contentHash(data)}`;
  return { columns: { origin: 'gazette', publication_id: publicationId, ...columns }, sensitivity, data };
}

export const PRECATORIOS: FactTable = {
  table: 'precatorio',
  key: ['mode', 'precatorio_id'],
  columns: {
    mode: 'text',
    precatorio_id: 'text',
    number: 'text',
    cnj: 'text',
    court: 'text',
    uf: 'text',
    debtor: 'text',
    budget_year: 'integer',
    requested_value: 'bigint',
    updated_value: 'bigint',
    situation: 'text',
  },
};

export function precatorioRow(item: Precatorio, mode: string | null): FactRow {
  const { id, number, cnj, court, uf, debtor, budgetYear, requestedValue, updatedValue, situation } = item;
  return {
    columns: {
      mode: mode ?? '',
      precatorio_id: id ?? `sha256:${contentHash(item.data)}`,
      ...{ number, cnj, court, uf, debtor, situation },
      budget_year: budgetYear !== null && budgetYear < 10_000 ? budgetYear : null,
      requested_value: requestedValue,
      updated_value: updatedValue,
    },
    sensitivity: item.sensitivity,
    data: item.data,
  };
}

export const HITS: FactTable = {
  table: 'search_hit',
  key: ['hit_key'],
  columns: {
    hit_key: 'text',
    cnj: 'text',
    kind: 'text',
    title: 'text',
    court: 'text',
    published_on: 'date',
    confidence: 'text',
  },
};

export function hitRow(hit: SearchHit): FactRow {
  const { id, cnj, kind, title, court, publishedOn, confidence, sensitivity, data } = hit;
  const key = contentHash(id === null ? data : [kind, id]);
  return {
    columns: { hit_key: key, cnj, kind, title, court, published_on: publishedOn, confidence },
    sensitivity,
    data,
  };
}

/** Observed: `raw` is a full copy that doubles the size; the answer itself is stored whole. */
function withoutCopy(data: unknown): unknown {
  if (!isJsonObject(data)) return data;
  const { raw: _copy, ...rest } = data;
  return rest;
}
