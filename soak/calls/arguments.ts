/**
 * Arguments for the next call of an operation, different from those of every other call, so that each call can be told apart in
 * the charge book. What must exist at the service first (a refresh, a monitor, a notice) is made by a call of the harness
 * itself.
 */
import type { JsonObject, OperationId, Parameters } from '../../src/contract/index.js';
import { addDays, isWorkingDay } from '../../sandbox/civil/calendar.js';
import { caseNumberOf, cpfOf } from '../identifiers.js';
import type { Service } from '../service.js';

const FIRST_CASE = 2_000_000;

export interface CallArguments {
  readonly params: Parameters;
  readonly body?: JsonObject;
}

/** Filters whose parameters the interface does not show, under names that the sandbox understands or ignores. */
export const SOAK_FILTERS = {
  listCasesByDocument: { page: 'page', limit: 'limit' },
  listPrecatorios: { page: 'page', limit: 'limit', party: 'parte' },
  searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais', page: 'page', limit: 'limit' },
} as const;

type Maker = (
  /** `place`: index of the call within its operation; `unique`: index of the call within the whole run. */
  at: { readonly place: number; readonly unique: number },
  service: Service,
) => CallArguments | Promise<CallArguments>;

/** Operations that may cost money and accept any case, person or term. */
export const PLAIN = {
  searchTerm: (n) => ({ params: { q: `prova de carga ${n}` } }),
  searchLegacy: (n) => ({ params: { q: `prova antiga ${n}` } }),
  listCasesByDocument: (n) => ({ params: { cpf_cnpj: cpfOf(n) } }),
  getCase: (n) => ({ params: { cnj: cnj(n) } }),
  listMovements: (n) => ({ params: { cnj: cnj(n) } }),
  requestRefresh: (n) => ({ params: { cnj: cnj(n) } }),
  requestSummary: (n) => ({ params: { cnj: cnj(n) } }),
  listLawyerCases: (n) => ({ params: oab(n) }),
  listLawyerGazettes: (n) => ({ params: oab(n) }),
  createNoticeMonitor: (n) => ({ params: {}, body: { oabs: [oabText(n)] } }),
  listNotices: (n) => ({ params: { oabs: oabText(n) } }),
  createRadar: (n) => ({ params: {}, body: { termo: `radar ${n}` } }),
  createCaseMonitor: (n) => ({ params: {}, body: { numero_cnj: cnj(n), frequencia: 'DIARIA' } }),
} as const satisfies Readonly<Partial<Record<OperationId, (unique: number) => CallArguments>>>;

/** Operations that may cost money: the rows of the fault matrix. */
export const CHARGED: Readonly<Partial<Record<OperationId, Maker>>> = {
  ...Object.fromEntries(Object.entries(PLAIN).map(([id, make]): [string, Maker] => [id, ({ unique }) => make(unique)])),
  listPublicDocuments: async ({ unique }, service) => {
    const number = cnj(unique);
    await service.prepare('POST', `/v1/processos/cnj/${number}/solicitar-atualizacao?documentos_publicos=true`, {});
    return { params: { cnj: number, evenIfNotRefreshed: true } };
  },
  getSummary: async ({ unique }, service) => {
    const number = cnj(unique);
    await service.prepare('POST', `/v1/processos/cnj/${number}/resumo-ia/solicitar-atualizacao`, {});
    return { params: { cnj: number } };
  },
  updateNoticeMonitor: async ({ unique }, service) => {
    await service.prepare('POST', '/v1/intimacoes/oab', { oabs: [oabText(unique)] });
    return { params: oab(unique), body: { termos_auxiliares: [`termo ${unique}`] } };
  },
  getPublication: async ({ unique }, service) => ({ params: { diarioId: await publicationOf(unique, service) } }),
  deactivateAdminMonitor: async ({ unique }, service) => {
    const nup = `08000.${String(unique).padStart(6, '0')}/2026-04`;
    const { id } = await service.control<{ id: string }>('/monitors', { nup });
    return { params: { id } };
  },
  listPrecatorios: ({ unique }) => ({ params: { ano_orcamentario: 2027, party: `credor ${unique}` } }),
  getElectoralPublication: ({ place }) => ({
    params: { id: `${edition(Math.floor(place / 12))}-${1 + (place % 12)}` },
  }),
  getElectoralEditionPdf: ({ place }) => ({ params: { id: edition(place) } }),
  searchElectoralBoard: ({ place }) => ({ params: board(place) }),
};

/** Operations with paid pages, and the arguments that keep their pages small. */
export const PAGED: Readonly<Partial<Record<OperationId, Parameters>>> = {
  searchTerm: {},
  listMovements: { limit: 2 },
  listPublicDocuments: { limit: 1 },
  listLawyerGazettes: {},
  listCasesByDocument: { limit: 1 },
  listPrecatorios: { limit: 2 },
  searchElectoralBoard: { limit: 2 },
};

const STATES = [
  ...['AC', 'AL', 'AM', 'AP', 'BA', 'CE', 'DF', 'ES', 'GO', 'MA', 'MG', 'MS', 'MT', 'PA', 'PB', 'PE', 'PI', 'PR'],
  ...['RJ', 'RN', 'RO', 'RR', 'RS', 'SC', 'SE', 'SP', 'TO'],
] as const;

function cnj(place: number): string {
  return caseNumberOf(FIRST_CASE + place);
}

function oab(place: number): Parameters {
  return { oab_estado: stateOf(place), oab_numero: String(200_000 + place) };
}

function oabText(place: number): string {
  return `${stateOf(place)}:${200_000 + place}`;
}

function stateOf(place: number): string {
  return STATES[place % STATES.length] ?? 'SP';
}

/** One working day of one court, going back in time. */
function edition(place: number): string {
  const court = stateOf(place).toLowerCase();
  let date = addDays('2026-10-30', -Math.floor(place / STATES.length));
  while (!isWorkingDay(date)) date = addDays(date, -400);
  return `djee-${court}-${date}`;
}

function board(place: number): Parameters {
  const from = addDays('2026-08-20', place % 70);
  const first = Math.floor(place / 70);
  const courts = [first, first * 3 + 1, first * 7 + 2].map((each) => `TRE-${STATES[each % STATES.length] ?? 'SP'}`);
  return { from, to: addDays(from, 6), courts: ['TSE', ...new Set(courts)] };
}

async function publicationOf(place: number, service: Service): Promise<string> {
  for (let more = 0; ; more += 1) {
    const target = `/v1/intimacoes?oabs=${oabText(place + more * 50_000)}&desde=2026-10-25`;
    const { json } = await service.prepare('GET', target);
    const { intimacoes = [] } = (json as { data: { intimacoes?: readonly { readonly diarioId: string }[] } }).data;
    const [first] = intimacoes;
    if (first !== undefined) return first.diarioId;
  }
}
