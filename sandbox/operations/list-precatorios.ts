/**
 * GET precatórios. A budget year without a state, or with a federal court, reads the budget base; everything else reads
 * the case index (rules 5 and 6). The names of filters beyond the interface's table are a gap; the likeliest are
 * accepted.
 */
import { z } from 'zod';
import {
  BUDGET_ROWS,
  budgetRow,
  INDEX_ROWS,
  indexRow,
  type Precatorio,
  type PrecatorioMode,
} from '../cases/precatorios.js';
import { BUDGET_NAMES, budgetFilters, pageOf, paging, reading } from './reading.js';
import { spell } from './spelling.js';
import { answered, refused } from './verdicts.js';

const MAX_YEARS = 10;
const schema = z.looseObject({
  ...paging({ limit: 20, max: 100 }),
  ...budgetFilters,
  ordenar: z.string().optional(),
  cnj: z.string().optional(),
  court: z.string().optional(),
  state: z.string().optional(),
  kind: z.string().optional(),
  situation: z.string().optional(),
});
type Args = z.output<typeof schema>;
const NAMES = {
  cnj: ['numero_cnj', 'numeroCnj'],
  court: ['tribunal'],
  state: ['uf', 'estado'],
  kind: ['natureza'],
  ...BUDGET_NAMES,
  situation: ['situacao'],
};

export const listPrecatorios = reading(schema, NAMES, (args, view) => {
  const years = budgetYears(args);
  if (years === undefined)
    return refused(422, 'INVALID_PARAMETER', `The budget years must be in order and at most ${MAX_YEARS}.`);
  const { settings } = view;
  const mode = precatorioMode(args, years);
  const rows = rowsOf(settings.seed, mode, years).filter((row) =>
    matchesFilters(row, args, mode === 'PRECATORIO_BUDGET' ? [] : years),
  );
  const ordered =
    args.ordenar === 'analise_desc' && args.state === undefined && args.court === undefined
      ? completeFirst(rows)
      : rows;
  const page = pageOf(ordered, args, view);
  const data = { items: page.rows.map((row) => spell(row, settings.dialect)), ...page.members };
  const search = {
    mode,
    prioritization: args.ordenar === 'analise_desc' ? 'ANALYSIS_DESC' : 'CHRONOLOGICAL',
    coverage: { indexed: INDEX_ROWS, total: INDEX_ROWS, complete: true },
  };
  return answered(data, view, { search });
});

/** `[]` without any year; undefined when the range is invalid. */
export function budgetYears(
  args: Pick<Args, 'ano_orcamentario' | 'ano_orcamentario_inicio' | 'ano_orcamentario_fim'>,
): readonly number[] | undefined {
  if (args.ano_orcamentario !== undefined) return [args.ano_orcamentario];
  const first = args.ano_orcamentario_inicio ?? args.ano_orcamentario_fim;
  const last = args.ano_orcamentario_fim ?? args.ano_orcamentario_inicio;
  if (first === undefined || last === undefined) return [];
  if (last < first || last - first >= MAX_YEARS) return undefined;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function precatorioMode(args: Args, years: readonly number[]): PrecatorioMode {
  const federal = /^TRF/i.test(args.court ?? '');
  const cut = args.state !== undefined || args.court !== undefined;
  return years.length > 0 && (!cut || federal) ? 'PRECATORIO_BUDGET' : 'PRECATORIO_PROCESS_INDEX';
}

function rowsOf(seed: string, mode: PrecatorioMode, years: readonly number[]): readonly Precatorio[] {
  return mode === 'PRECATORIO_BUDGET'
    ? years.flatMap((each) => Array.from({ length: BUDGET_ROWS }, (_, place) => budgetRow(seed, each, place)))
    : Array.from({ length: INDEX_ROWS }, (_, place) => indexRow(seed, place));
}

/** `[]`: every year. */
export function matchesFilters(
  row: Precatorio,
  args: Partial<Pick<Args, 'cnj' | 'court' | 'state' | 'kind' | 'situation' | 'debtor' | 'minValue' | 'maxValue'>>,
  years: readonly number[],
): boolean {
  const same = (wanted: string | undefined, value: string | null): boolean =>
    wanted === undefined || plain(value ?? '') === plain(wanted);
  const value = Number(row.valorAtualizado ?? 'NaN');
  return (
    same(args.cnj?.replace(/\D/g, ''), row.numeroCnj?.replace(/\D/g, '') ?? null) &&
    same(args.court, row.tribunal) &&
    same(args.state, row.uf) &&
    same(args.kind, row.natureza) &&
    same(args.situation, row.situacao) &&
    (args.debtor === undefined || plain(row.entidadeDevedora.nome).includes(plain(args.debtor))) &&
    (args.minValue === undefined || value >= args.minValue) &&
    (args.maxValue === undefined || value <= args.maxValue) &&
    (years.length === 0 || (row.anoOrcamentario !== null && years.includes(row.anoOrcamentario)))
  );
}

/** Rule 5: records with number, creditor, debtor, year, situation and value first. */
function completeFirst(rows: readonly Precatorio[]): readonly Precatorio[] {
  const isWhole = (row: Precatorio): boolean =>
    row.beneficiario !== null && row.valorAtualizado !== null && row.numeroCnj !== null;
  return [...rows.filter(isWhole), ...rows.filter((row) => !isWhole(row))];
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}
