/**
 * Payment orders, derived by place. Two bases (interface, rules 5 and 6): the budget base, with rows that have no case
 * number and no beneficiary, and the case index, with rows that have no year and no value. From budget 2027 on an order
 * was presented by 1 February of the year before. Pure.
 */
import { UFS, formatCnj } from '../../src/contract/index.js';
import { addDays } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';
import { buildCnj } from './corpus.js';
import { courtOf } from './court.js';
import { companyOf, personOf } from './people.js';

export type PrecatorioMode = 'PRECATORIO_BUDGET' | 'PRECATORIO_PROCESS_INDEX';

export interface Precatorio {
  readonly id: string;
  readonly numeroPrecatorio: string;
  readonly numeroCnj: string | null;
  readonly tribunal: string;
  readonly jtr: string;
  readonly uf: string | null;
  readonly natureza: 'ALIMENTAR' | 'COMUM';
  readonly preferencia: readonly string[];
  readonly entidadeDevedora: { readonly nome: string; readonly cnpj: string; readonly esfera: string };
  readonly anoOrcamentario: number | null;
  readonly dataApresentacao: string | null;
  readonly valorRequisitado: string | null;
  readonly valorAtualizado: string | null;
  readonly situacao: string;
  readonly ordemCronologica: number;
  readonly beneficiario: { readonly nome: string; readonly cpf: string } | null;
}

/** Number of rows of one budget year, and of the index. */
export const BUDGET_ROWS = 60;
export const INDEX_ROWS = 300;
const SITUATIONS = [
  'AGUARDANDO_PAGAMENTO',
  'PAGO',
  'PARCIALMENTE_PAGO',
  'CANCELADO',
  'SUSPENSO',
  'CEDIDO',
  'ANALISADO',
];

export function budgetRow(seed: string, year: number, place: number): Precatorio {
  const label = ['budget', year, place] as const;
  const withCase = deriveInteger(seed, 3, 'with case', ...label) > 0;
  const row = commonRow(seed, { label, jtr: `40${1 + deriveInteger(seed, 6, 'region', ...label)}`, place });
  const firstDay = year >= 2028 ? `${year - 2}-02-02` : `${year - 2}-04-03`;
  const days = year >= 2028 ? 364 : year === 2027 ? 304 : 363;
  return {
    ...row,
    numeroCnj: withCase ? row.numeroCnj : null,
    anoOrcamentario: year,
    dataApresentacao: addDays(firstDay, deriveInteger(seed, days, 'presented', ...label)),
    valorRequisitado: valueOf(seed, label),
    valorAtualizado: valueOf(seed, label),
    beneficiario: null,
  };
}

export function indexRow(seed: string, place: number): Precatorio {
  const label = ['index', place] as const;
  const court = String(1 + deriveInteger(seed, 27, 'court', ...label)).padStart(2, '0');
  const electoral = deriveInteger(seed, 20, 'electoral', ...label) === 0;
  const row = commonRow(seed, { label, jtr: `${electoral ? 6 : 8}${court}`, place });
  const complete = deriveInteger(seed, 2, 'complete', ...label) === 0;
  if (!complete) return row;
  const person = personOf(seed, 'creditor', ...label);
  return {
    ...row,
    uf: UFS[Number(court) - 1] ?? null,
    anoOrcamentario: 2022 + deriveInteger(seed, 6, 'year', ...label),
    valorRequisitado: valueOf(seed, label),
    valorAtualizado: valueOf(seed, label),
    situacao: 'ANALISADO',
    beneficiario: { nome: person.nome, cpf: person.documento },
  };
}

function commonRow(
  seed: string,
  facts: { readonly label: readonly (string | number)[]; readonly jtr: string; readonly place: number },
): Precatorio {
  const { label, jtr, place } = facts;
  // This base has cases outside the corpus: any valid number will do.
  const cnj = numberIn(seed, jtr, label);
  const debtor = companyOf(seed, 'debtor', ...label);
  return {
    id: `prec-${label.join('-')}`,
    numeroPrecatorio: `${2020 + deriveInteger(seed, 7, 'number year', ...label)}${String(place + 1).padStart(6, '0')}`,
    numeroCnj: formatCnj(cnj),
    tribunal: courtOf(cnj),
    jtr,
    uf: jtr.startsWith('8') || jtr.startsWith('6') ? (UFS[Number(jtr.slice(1)) - 1] ?? null) : null,
    natureza: deriveInteger(seed, 2, 'kind', ...label) === 0 ? 'ALIMENTAR' : 'COMUM',
    preferencia: deriveInteger(seed, 5, 'preference', ...label) === 0 ? ['IDADE'] : [],
    entidadeDevedora: {
      nome: `Ente devedor ${debtor.nome}`,
      cnpj: debtor.documento,
      esfera: jtr.startsWith('4') ? 'UNIAO' : 'ESTADO',
    },
    anoOrcamentario: null,
    dataApresentacao: null,
    valorRequisitado: null,
    valorAtualizado: null,
    situacao: SITUATIONS[deriveInteger(seed, SITUATIONS.length, 'situation', ...label)] ?? 'ANALISADO',
    ordemCronologica: place + 1,
    beneficiario: null,
  };
}

function numberIn(seed: string, jtr: string, label: readonly (string | number)[]): string {
  return buildCnj(String(1 + deriveInteger(seed, 9_000_000, 'sequence', ...label)).padStart(7, '0'), `2015${jtr}0001`);
}

function valueOf(seed: string, label: readonly (string | number)[]): string {
  return `${10_000 + deriveInteger(seed, 2_000_000, 'value', ...label)}.00`;
}
