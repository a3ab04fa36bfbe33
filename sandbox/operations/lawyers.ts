/**
 * A lawyer's list of cases (every call of page 1 is charged, other pages are free; coverage grows) and the gazette
 * publications. The names of the registration's parameters are a gap; accepted are number and state apart, or `oab` in
 * one.
 */
import { z } from 'zod';
import { formatCnj, ZERO_AMOUNT } from '../../src/contract/index.js';
import { classOf, partiesOf, unitOf } from '../cases/cover.js';
import { courtOf } from '../cases/court.js';
import { coverageOf, lawyerCaseAt, willComplete } from '../cases/lawyer-cases.js';
import { movementAt, movementCount } from '../cases/movements.js';
import { noticesOn } from '../cases/notices.js';
import { oabKey, readOab, type Lawyer } from '../cases/people.js';
import { addDays, civilDateOf } from '../civil/calendar.js';
import { pageMembers, pageOf, paging, placesOn, positive, reading } from './reading.js';
import { spell } from './spelling.js';
import type { Effect, Verdict, View } from './types.js';
import { answered, answeredRecord, refused } from './verdicts.js';

export const OAB_NAMES = {
  number: ['oab_numero', 'numero', 'numero_oab', 'oabNumero'],
  state: ['oab_estado', 'estado', 'uf', 'uf_oab', 'oabEstado'],
  oab: [],
} as const;
export const oabMembers = {
  number: z.union([z.string(), z.number()]).optional(),
  state: z.string().optional(),
  oab: z.string().optional(),
};

/** Undefined when neither form gives a registration. */
export function lawyerOfArguments(args: {
  readonly number?: string | number | undefined;
  readonly state?: string | undefined;
  readonly oab?: string | undefined;
}): Lawyer | undefined {
  return readOab(args.oab ?? `${args.state ?? ''}:${args.number ?? ''}`);
}

export function refusedOab(): Verdict {
  return refused(422, 'INVALID_OAB', 'Number and state of the registration are needed.');
}

const casesSchema = z.looseObject({ ...oabMembers, ...paging({ limit: 20, max: 100 }) });

export const listLawyerCases = reading(casesSchema, OAB_NAMES, (args, view) => {
  const lawyer = lawyerOfArguments(args);
  if (lawyer === undefined) return refusedOab();
  const oab = oabKey(lawyer);
  const { settings, nowMs } = view;
  const startedAtMs = view.coverageStartMs(oab) ?? nowMs;
  const coverage = coverageOf(settings, oab, { nowMs, startedAtMs, coverageMs: settings.coverageMs });
  const facts = { page: args.page, limit: args.limit, total: coverage.count };
  const items = placesOn(facts).map((place) =>
    spell(caseItem(lawyerCaseAt(settings, oab, place), view), settings.dialect),
  );
  const { pagination, links, total } = pageMembers(facts, view);
  const data = {
    oab: { estado: lawyer.uf, numero: lawyer.numero },
    processos: items,
    items,
    quantidadeProcessos: total,
    totalDisponivel: total,
    cobertura: {
      parcial: coverage.partial,
      completa: !coverage.partial,
      atualizadoEm: new Date(coverage.updatedAtMs).toISOString(),
    },
    pagination,
    links,
  };
  if (args.page > 1) return answered(data, view, { price: ZERO_AMOUNT });
  const callback = view.call.flags.callback && coverage.partial && willComplete(oab);
  const begins = view.coverageStartMs(oab) === undefined;
  const effects: readonly Effect[] = begins ? [{ kind: 'coverage', oab, startedAtMs, callback }] : [];
  return answered(data, view, { effects });
});

function caseItem(
  { cnj, recent }: { readonly cnj: string; readonly recent: boolean },
  view: View,
): Record<string, unknown> {
  const { seed } = view.settings;
  const { active, passive } = partiesOf(seed, cnj);
  const last = movementAt(seed, cnj, movementCount(seed, cnj, view.nowMs) - 1).date;
  return {
    numeroCnj: formatCnj(cnj),
    poloAtivo: active.nome,
    poloPassivo: passive.nome,
    anoInicio: Number(cnj.slice(9, 13)),
    classe: classOf(seed, cnj),
    tribunal: courtOf(cnj),
    orgaoJulgador: unitOf(seed, cnj),
    dataUltimaPublicacao: last,
    classificacao: recent ? 'RECENTE' : 'HISTORICO',
    statusProcessual: null,
  };
}

const gazettesSchema = z.looseObject({ ...oabMembers, page: positive.default(1) });
/** Days that the gazette list looks back, and items on a page. */
const GAZETTE_DAYS = 60;
const GAZETTE_PAGE = 20;

export const listLawyerGazettes = reading(gazettesSchema, OAB_NAMES, (args, view) => {
  const lawyer = lawyerOfArguments(args);
  if (lawyer === undefined) return refusedOab();
  const { settings, nowMs } = view;
  const today = civilDateOf(nowMs);
  const all = Array.from({ length: GAZETTE_DAYS }, (_, ago) =>
    noticesOn(settings, lawyer, addDays(today, -ago)),
  ).flat();
  const { rows, members } = pageOf(all, { page: args.page, limit: GAZETTE_PAGE }, view);
  return answeredRecord(
    {
      oab: { estado: lawyer.uf, numero: lawyer.numero },
      publicacoes: rows.map((notice) => ({
        diarioId: notice.diarioId,
        dataPublicacao: notice.published,
        diario: { nome: 'DJEN', sigla: 'DJEN' },
        processo: { numeroCnj: formatCnj(notice.cnj) },
        conteudo: notice.excerpt,
        link: publicationLink(notice.diarioId, view),
      })),
      processos: [...new Set(rows.map((notice) => formatCnj(notice.cnj)))].map((numeroCnj) => ({ numeroCnj })),
      ...members,
    },
    view,
  );
});

export function publicationLink(diarioId: string, view: View): string {
  return `${view.apiUrl}/v1/intimacoes/publicacoes/${diarioId}`;
}
