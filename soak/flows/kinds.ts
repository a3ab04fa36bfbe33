/**
 * How each workflow type is started with identifiers that no other flow has. The same number gives the same input on both
 * sides, so that both services, made from the same seed, have the same cases, lists and texts for it.
 */
import { lawyerCaseCount } from '../../sandbox/index.js';
import type { Cnj, JsonObject } from '../../src/contract/index.js';
import { refreshCaseId, type WorkflowType } from '../../src/protocol/index.js';
import { createPortfolios } from '../../src/records/index.js';
import { caseNumberOf, cpfOf } from '../identifiers.js';
import type { Service } from '../service.js';
import type { World } from '../world.js';
import type { Prepared } from './types.js';

/** What preparations can use on one side. */
export interface Place {
  readonly service: Service;
  readonly saveList: (name: string, cases: readonly string[]) => Promise<void>;
}

/** Stores lists in the database. */
export function placeAt({ db }: Pick<World, 'db'>, service: Service): Place {
  const portfolios = createPortfolios({ db });
  return {
    service,
    saveList: async (name, cases) => {
      await portfolios.saveList({ account: service.name, name, cases: cases as readonly Cnj[] });
    },
  };
}

type Prepare = (n: number, place: Place) => Prepared | Promise<Prepared>;

const FIRST_CASE = 2_000_000;
/** Flows about several cases use numbers far above those of other flows. */
const FURTHER_CASES = 1_000_000;
const NOTICE_DAYS = 8;
const DAY_MS = 86_400_000;
const PORTFOLIO_CASES = 3;
const STATES = ['MG', 'PR', 'RS', 'SC', 'GO', 'CE'] as const;
const MOST_CASES = 800;
/** The sandbox's default seed. */
const SEED = 'tramita';

export const KINDS: Readonly<Record<WorkflowType, Prepare>> = {
  refreshCase: (n) =>
    only(n % 2 === 0 ? { cnj: cnjOf(n) } : { cnj: cnjOf(n), documents: true, download: true, webhook: false }),
  refreshPortfolio: async (n, { service, saveList }) => {
    const cases = Array.from({ length: PORTFOLIO_CASES }, (_none, place) => cnjOf(n, place));
    await saveList(`list-${n}`, cases);
    return {
      input: { name: `list-${n}`, concurrency: 2, webhook: false },
      others: cases.map((cnj) => refreshCaseId(service.name, cnj)),
    };
  },
  callOperation: (n) => only(CALLS[n % CALLS.length]?.(n) ?? {}),
  collectPages: (n) => only({ operation: 'listMovements', params: { cnj: cnjOf(n), limit: 2 }, maxPages: 3 }),
  readCase: (n) => only({ cnj: cnjOf(n), include: ['cover', 'movements'], maxPages: 2 }),
  summarizeCase: (n) => only({ cnj: cnjOf(n) }),
  awaitRequest: async (n, { service }) => {
    const requestId = await orderRefresh(service, cnjOf(n));
    return { input: { requestId }, others: [], foreignRequest: requestId };
  },
  searchBoard: (n) => {
    const filters = { courts: ['TSE'], party: `parte ${n}` };
    return only({ from: '2026-09-01', to: '2026-09-10', filters, maxPages: 6 });
  },
  importLawyerCases: (n) => only({ oab: shortList(100_000 + n), pageSize: 50 }),
  syncNotices: (n) => only({ oabs: [`SP:${100_000 + n}`], since: daysAgo(NOTICE_DAYS), fullText: true }),
  ensureNoticeMonitor: (n) => only({ oabs: [`RJ:${100_000 + n}`, `BA:${100_000 + n}`], terms: ['Acme'] }),
  createRadar: (n) => only({ reference: `radar-${n}`, definition: { termo: `Acme ${n}` } }),
  createCaseMonitor: (n) =>
    only({ reference: `case-${n}`, definition: { numero_cnj: cnjOf(n), frequencia: 'DIARIA' } }),
  deactivateMonitor: async (n, { service }) => {
    const nup = `08000.${String(n).padStart(6, '0')}/2026-04`;
    const { id } = await service.control<{ id: string }>('/monitors', { nup });
    return only({ kind: 'administrative', id });
  },
  auditMonitors: () => only({}),
};

const CALLS: readonly ((n: number) => JsonObject)[] = [
  (n) => ({ operation: 'getCase', params: { cnj: cnjOf(n) } }),
  (n) => ({ operation: 'requestSummary', params: { cnj: cnjOf(n) } }),
  (n) => ({ operation: 'searchTerm', params: { q: `termo ${n}` } }),
  (n) => ({ operation: 'listCasesByDocument', params: { cpf_cnpj: cpfOf(n) } }),
];

/** A lawyer with at most sixteen pages: one in twenty has hundreds, and every page is slow here. */
function shortList(number: number): string {
  const oabs = STATES.map((state) => `${state}:${number}`);
  return oabs.find((oab) => lawyerCaseCount(SEED, oab) <= MOST_CASES) ?? `MG:${number}`;
}

function only(input: JsonObject): Prepared {
  return { input, others: [] };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Orders work outside any flow. */
async function orderRefresh(service: Service, cnj: string): Promise<string> {
  const answer = await service.post(`/v1/processos/cnj/${cnj}/solicitar-atualizacao`, {});
  const { data } = (await answer.json()) as { readonly data: { readonly requestId: string } };
  return data.requestId;
}

function cnjOf(n: number, place = 0): string {
  return caseNumberOf(FIRST_CASE + n + place * FURTHER_CASES);
}
