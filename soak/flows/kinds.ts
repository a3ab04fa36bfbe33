/**
 * How each workflow type is asked for with identifiers that nobody has used before. The same number gives the same input on
 * both sides, so that both services, made of the same seed, hold the same cases, lists and texts for it.
 */
import { lawyerCaseCount } from '../../sandbox/index.js';
import { cnjOf } from './identifiers.js';
import { cpfOf } from '../identifiers.js';
import type { JsonObject } from '../../src/contract/index.js';
import { refreshCaseId, type WorkflowType } from '../../src/protocol/index.js';
import type { Prepared } from './types.js';

/** What one side offers to preparations. */
export interface Place {
  readonly account: string;
  readonly serviceUrl: string;
  readonly control: (path: string, body: unknown) => Promise<unknown>;
  readonly saveList: (name: string, cases: readonly string[]) => Promise<void>;
}

type Prepare = (n: number, place: Place) => Prepared | Promise<Prepared>;

const NOTICE_DAYS = 8;
const DAY_MS = 86_400_000;
const PORTFOLIO_CASES = 3;
const STATES = ['MG', 'PR', 'RS', 'SC', 'GO', 'CE'] as const;
const MOST_CASES = 800;
/** The default of the sandbox. */
const SEED = 'tramita';

export const KINDS: Readonly<Record<WorkflowType, Prepare>> = {
  refreshCase: (n) =>
    only(n % 2 === 0 ? { cnj: cnjOf(n) } : { cnj: cnjOf(n), documents: true, download: true, webhook: false }),
  refreshPortfolio: async (n, { account, saveList }) => {
    const cases = Array.from({ length: PORTFOLIO_CASES }, (_none, place) => cnjOf(n, place));
    await saveList(`list-${n}`, cases);
    return {
      input: { name: `list-${n}`, concurrency: 2, webhook: false },
      others: cases.map((cnj) => refreshCaseId(account, cnj)),
    };
  },
  callOperation: (n) => only(CALLS[n % CALLS.length]?.(n) ?? {}),
  collectPages: (n) => only({ operation: 'listMovements', params: { cnj: cnjOf(n), limit: 2 }, maxPages: 3 }),
  readCase: (n) => only({ cnj: cnjOf(n), include: ['cover', 'movements'], maxPages: 2 }),
  summarizeCase: (n) => only({ cnj: cnjOf(n) }),
  awaitRequest: async (n, { serviceUrl }) => {
    const requestId = await orderRefresh(serviceUrl, cnjOf(n));
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
  deactivateMonitor: async (n, { control }) => {
    const nup = `08000.${String(n).padStart(6, '0')}/2026-04`;
    const { id } = (await control('/monitors', { nup })) as { id: string };
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

/** Of a lawyer with at most sixteen pages: one in twenty has hundreds, and every page is slow here. */
export function shortList(number: number): string {
  const oabs = STATES.map((state) => `${state}:${number}`);
  return oabs.find((oab) => lawyerCaseCount(SEED, oab) <= MOST_CASES) ?? `MG:${number}`;
}

function only(input: JsonObject): Prepared {
  return { input, others: [] };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Work that somebody else has ordered. */
async function orderRefresh(serviceUrl: string, cnj: string): Promise<string> {
  const answer = await fetch(`${serviceUrl}/v1/processos/cnj/${cnj}/solicitar-atualizacao`, {
    method: 'POST',
    headers: { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' },
    body: '{}',
  });
  const { data } = (await answer.json()) as { readonly data: { readonly requestId: string } };
  return data.requestId;
}
