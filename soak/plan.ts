/**
 * The plan of a soak: charged operations × faults, by seed. Every call has arguments of its own, so that the charge book says
 * of each how often it was paid. Pure.
 */
import type { JsonObject, Parameters } from '../src/contract/index.js';
import { caseNumberOf, cpfOf } from './identifiers.js';
import { createRandom, type Random } from './random.js';
import type { PlannedCall, PlannedFault, SoakOptions } from './types.js';

type Arguments = { readonly params: Parameters; readonly body?: JsonObject };
type Row = { readonly operation: string; readonly polls: boolean; readonly of: (n: number) => Arguments };

/** Charged operations that any case, person or term will do for. */
const ROWS: readonly Row[] = [
  { operation: 'requestRefresh', polls: true, of: (n) => ({ params: { cnj: caseOf(n) } }) },
  { operation: 'requestSummary', polls: true, of: (n) => ({ params: { cnj: caseOf(n) } }) },
  { operation: 'getCase', polls: true, of: (n) => ({ params: { cnj: caseOf(n) } }) },
  { operation: 'listMovements', polls: true, of: (n) => ({ params: { cnj: caseOf(n) } }) },
  { operation: 'searchTerm', polls: true, of: (n) => ({ params: { q: `termo ${n}` } }) },
  { operation: 'searchLegacy', polls: false, of: (n) => ({ params: { q: `legado ${n}` } }) },
  { operation: 'listCasesByDocument', polls: true, of: (n) => ({ params: { cpf_cnpj: cpfOf(n) } }) },
  { operation: 'listLawyerGazettes', polls: true, of: (n) => ({ params: oabOf(n) }) },
  { operation: 'listLawyerCases', polls: true, of: (n) => ({ params: oabOf(n) }) },
  { operation: 'listNotices', polls: false, of: (n) => ({ params: { oabs: `SP:${100_000 + n}` } }) },
  { operation: 'createRadar', polls: false, of: (n) => ({ params: {}, body: { termo: `radar ${n}` } }) },
  {
    operation: 'createCaseMonitor',
    polls: false,
    of: (n) => ({ params: {}, body: { numero_cnj: caseOf(n), frequencia: 'DIARIA' } }),
  },
  {
    operation: 'createNoticeMonitor',
    polls: false,
    of: (n) => ({ params: {}, body: { oabs: [`RJ:${100_000 + n}`] } }),
  },
];

/** Faults of one request of the call; times are short, so that thousands fit: the client's own deadlines have tests. */
const FAULTS: readonly Omit<PlannedFault, 'operation'>[] = [
  { fault: 'F0', options: { ms: 300 } },
  { fault: 'F1', options: {} },
  { fault: 'F3', options: {} },
  { fault: 'F4', options: {} },
  { fault: 'F5', options: {} },
  { fault: 'F6', options: { cut: 'length' } },
  { fault: 'F6', options: { cut: 'chunked' } },
  { fault: 'F6', options: { cut: 'close' } },
  { fault: 'F7', options: { ms: 400 } },
  { fault: 'F8', options: { everyMs: 20, bytes: 64 } },
  { fault: 'F9', options: { status: 500 } },
  { fault: 'F9', options: { status: 502 } },
  { fault: 'F10', options: {} },
  { fault: 'F12', options: { variant: 'html' } },
  { fault: 'F12', options: { variant: 'gzip' } },
  { fault: 'F12', options: { variant: 'json' } },
  { fault: 'F12', options: { variant: 'empty' } },
  { fault: 'F13', options: { bytes: 25_000_000 } },
  { fault: 'F15', options: {} },
  { fault: 'F16', options: {} },
];
const POLL_FAULTS: readonly Omit<PlannedFault, 'operation'>[] = [
  { fault: 'F11', options: {} },
  { fault: 'F1', options: {} },
  { fault: 'F8', options: { everyMs: 20, bytes: 64 } },
];
const FIRST_CASE = 2_000_000;
/** One call in so many goes without a fault: the ok-rate is measured on them. */
const WITHOUT_FAULT = 8;

export function planCalls({ calls, seed }: Pick<SoakOptions, 'calls' | 'seed'>): readonly PlannedCall[] {
  const random = createRandom(seed);
  const first = 1 + (seed % 1_000) * 5_000;
  return Array.from({ length: calls }, (_, index) => planCall(first + index, random));
}

function planCall(n: number, random: Random): PlannedCall {
  const row = random.pick(ROWS);
  const { params, body } = row.of(n);
  const faultless = random.integer(WITHOUT_FAULT) === 0;
  const onPoll = row.polls && random.integer(10) === 0;
  const fault = random.pick(onPoll ? POLL_FAULTS : FAULTS);
  const isRefresh = row.operation === 'requestRefresh';
  return {
    ...{ n, operation: row.operation, params },
    flow: isRefresh ? 'refreshCase' : 'callOperation',
    input: isRefresh
      ? { cnj: String(params['cnj']) }
      : { operation: row.operation, params, ...(body === undefined ? {} : { body }) },
    ...(body === undefined ? {} : { body }),
    ...(faultless ? {} : { fault: { ...fault, operation: onPoll ? 'getRequest' : row.operation } }),
  };
}

function caseOf(n: number): string {
  return caseNumberOf(FIRST_CASE + n);
}

function oabOf(n: number): Parameters {
  return { oab_numero: String(100_000 + n), oab_estado: 'MG' };
}
