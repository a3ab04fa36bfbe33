/**
 * Term search: enveloped with `meta.search`, and the legacy form, which is the bare payload (interface "Term search
 * metadata", rule 11; `items` + `paginator` as observed). Matches against publications carry a confidence level.
 */
import { z } from 'zod';
import { atPath, isJsonObject, textOf, type JsonObject } from '../json.js';
import { cnj, day, readFlag, text } from './fields.js';
import { readRecordList, shape, type DomainRecord, type RecordList } from './read-records.js';

const COLUMNS = {
  id: text('id', 'uuid'),
  cnj: cnj('numeroCnj', 'processo.numeroCnj', 'numeroProcesso', 'numeroNovo'),
  kind: text('tipo', 'tipoResultado', 'type'),
  title: text('titulo', 'nome', 'title'),
  court: text('tribunal', 'siglaTribunal'),
  publishedOn: day('dataPublicacao', 'data'),
  confidence: text('confianca', 'confidence', 'nivelConfianca'),
};

const SHAPE = shape(COLUMNS, {
  known: ['link', 'links', 'resumo', 'conteudo', 'envolvidos', 'valor', 'processo'],
  floor: 'PERSONAL',
});

/** One hit of a term search. */
export type SearchHit = DomainRecord<typeof COLUMNS>;

/** What `meta.search` says; null where it is silent. */
export interface SearchMeta {
  /** The base that answered, as sent, like `PRECATORIO_BUDGET` (interface "Precatório catalogue metadata (meta.search)"). */
  readonly mode: string | null;
  /** True: not everything was searched; the collection is not complete. */
  readonly partial: boolean | null;
  /** Whether the total is exact, not estimated. */
  readonly totalExact: boolean | null;
  /** Whether the answer came from a cache of the service. */
  readonly cacheHit: boolean | null;
  /** How many warnings it has; their texts are in `data`. */
  readonly warnings: number;
  /** The member as it came. */
  readonly data: JsonObject;
}

export const legacySearchWire = z.looseObject({
  items: z.array(z.looseObject({})).nullish(),
  paginator: z.looseObject({ total: z.number().nullish() }).nullish(),
});

/** Hits of an enveloped or a bare answer. Undefined when there is no list. */
export function readSearch(body: unknown): RecordList<typeof COLUMNS> | undefined {
  return readRecordList(SHAPE, body, ['items', 'resultados', 'results', 'processos', 'publicacoes']);
}

/** Undefined when there is no `meta.search`. */
export function readSearchMeta(body: unknown): SearchMeta | undefined {
  const data = atPath(body, 'meta.search');
  if (!isJsonObject(data)) return undefined;
  const warnings = data['warnings'];
  return {
    mode: textOf(data['mode']) ?? null,
    partial: readFlag(data['partial']) ?? null,
    totalExact: readFlag(data['totalExact']) ?? null,
    cacheHit: readFlag(data['cacheHit']) ?? null,
    warnings: Array.isArray(warnings) ? warnings.length : 0,
    data,
  };
}
