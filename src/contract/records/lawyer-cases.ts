/**
 * A lawyer's list of cases (interface "Lawyer's cases list", rules 7–9). `data.items` and `data.processos` should be the
 * same: records are read from both and a difference is drift. `atualizadoEm` is the version of the collection, compared as text.
 */
import { z } from 'zod';
import type { Gaps } from '../gaps.js';
import { atPath, firstAt, isJsonObject, textOf } from '../json.js';
import { drift, type Drift } from './drift.js';
import { cnj, count, day, key, placeAt, readFlag, text, type Field } from './fields.js';
import { countIn, findList, readDomainRecord, recordIn, shape, totalIn, type DomainRecord } from './read-records.js';

const COLUMNS = {
  cnj: key(cnj('numeroCnj', 'numeroProcesso', 'processo.numeroCnj')),
  activeParty: text('poloAtivo', 'tituloPoloAtivo'),
  passiveParty: text('poloPassivo', 'tituloPoloPassivo'),
  startYear: count('anoInicio'),
  court: text('tribunal', 'siglaTribunal'),
  caseClass: text('classe'),
  judgingBody: text('orgaoJulgador'),
  status: text('statusProcessual'),
  lastPublicationOn: day('dataUltimaPublicacao', 'ultimaPublicacao', 'ultimaPublicacao.data'),
  // The interface does not name the member that says RECENTE or HISTORICO: configuration does.
  classification: text(),
};

const LISTS = ['items', 'processos'];

/** One case of a lawyer's list. */
export type LawyerCase = DomainRecord<typeof COLUMNS>;

/** How complete a lawyer's list is, and its version. */
export interface Coverage {
  /** `cobertura.parcial`: the service is still looking for older cases, and counts may grow; null when it does not say (interface "Lawyer's cases list"). */
  readonly partial: boolean | null;
  /** `cobertura.completa`: the list is whole; null when it does not say. */
  readonly complete: boolean | null;
  /** `cobertura.atualizadoEm` as sent: the version of the collection. */
  readonly version: string | null;
}

/** One page of a lawyer's list of cases. */
export interface LawyerCases {
  /** Cases of this page, of `data.items` and `data.processos` together. */
  readonly records: readonly LawyerCase[];
  /** Whether the list is whole yet, and its version. */
  readonly coverage: Coverage;
  /** Counts of the answer; provisional while the coverage is partial. */
  readonly counts: {
    /** `quantidadeProcessos`; null when the service does not say. */
    readonly cases: number | null;
    /** `totalDisponivel`, the length of the whole list; null when the service does not say. */
    readonly available: number | null;
  };
  /** How the answer differs from the expected form; each record has its own. */
  readonly drift: readonly Drift[];
}

export const lawyerCasesWire = z.looseObject({
  processos: z.array(z.looseObject({ numeroCnj: z.string().nullish() })).nullish(),
  items: z.array(z.looseObject({ numeroCnj: z.string().nullish() })).nullish(),
  quantidadeProcessos: z.number().nullish(),
  totalDisponivel: z.number().nullish(),
  pagination: z.looseObject({ total: z.number().nullish(), totalPages: z.number().nullish() }).nullish(),
  cobertura: z
    .looseObject({
      parcial: z.boolean().nullish(),
      completa: z.boolean().nullish(),
      atualizadoEm: z.string().nullish(),
    })
    .nullish(),
  links: z
    .looseObject({ next: z.union([z.string(), z.looseObject({ href: z.string().nullish() })]).nullish() })
    .nullish(),
});

/** Undefined when there is no list. Items without a readable number are kept, each as a record of its own. */
export function readLawyerCases(body: unknown, gaps: Pick<Gaps, 'classificationField'>): LawyerCases | undefined {
  const top = recordIn(body);
  const named = LISTS.flatMap((name) => {
    const list = top?.[name];
    return Array.isArray(list) ? [list as unknown[]] : [];
  });
  const fallback = named.length === 0 ? findList(body, LISTS) : undefined;
  if (named.length === 0 && fallback === undefined) return undefined;

  const classification: Field<string> = {
    ...COLUMNS.classification,
    places: gaps.classificationField.map(placeAt),
  };
  const caseShape = shape({ ...COLUMNS, classification }, { floor: 'PERSONAL' });
  const read = (item: unknown): LawyerCase => readDomainRecord(caseShape, item);
  const lists = fallback === undefined ? named : [fallback.items];
  const [first = [], second] = lists.map((items) => items.map(read));
  const merged = second === undefined ? { records: first, differ: false } : union(first, second);
  return {
    records: merged.records,
    coverage: {
      partial: readFlag(atPath(top, 'cobertura.parcial')) ?? null,
      complete: readFlag(atPath(top, 'cobertura.completa')) ?? null,
      version: firstAt(top, ['cobertura.atualizadoEm', 'cobertura.atualizado_em'], textOf) ?? null,
    },
    counts: {
      cases: countIn(top, 'quantidadeProcessos'),
      available: totalIn(top, 'totalDisponivel'),
    },
    drift: [
      ...(fallback?.drift ?? []),
      ...(merged.differ ? [drift('items', 'conflict')] : []),
      ...(isJsonObject(atPath(top, 'cobertura')) ? [] : [drift('cobertura', 'missing')]),
    ],
  };
}

/** Matches records by case number, those without one by their content, so that none is dropped or doubled. */
function union(
  left: readonly LawyerCase[],
  right: readonly LawyerCase[],
): { readonly records: readonly LawyerCase[]; readonly differ: boolean } {
  const keyOf = (record: LawyerCase): string => record.cnj ?? JSON.stringify(record.data);
  const known = new Set(left.map(keyOf));
  const others = new Set(right.map(keyOf));
  const added = right.filter((record) => !known.has(keyOf(record)));
  return { records: [...left, ...added], differ: added.length > 0 || [...known].some((name) => !others.has(name)) };
}
