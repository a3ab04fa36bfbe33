/** The flows of the drill: every phase of every kind that can be under way when a ledger forgets, each with arguments of its own. */
import type { JsonObject } from '../../src/contract/index.js';
import { refreshCaseId, type WorkflowType } from '../../src/protocol/index.js';
import { shortList } from '../flows/kinds.js';
import { caseNumberOf } from '../identifiers.js';

export interface DrillFlow {
  readonly workflowId: string;
  readonly type: WorkflowType;
  readonly input: JsonObject;
  /** Further workflows that it starts. */
  readonly others: readonly string[];
}

const FIRST_CASE = 4_000_000;
const PORTFOLIO_CASES = 4;

/** `count` flows, one kind after the other; `first` keeps drills apart. */
export function planFlows({ count, first }: { readonly count: number; readonly first: number }): readonly DrillFlow[] {
  return Array.from({ length: count }, (_none, index) => {
    const n = first + index;
    const kind = KINDS[index % KINDS.length];
    if (kind === undefined) throw new Error('there are kinds');
    const { type, input, others = [] } = kind(n);
    return { type, input, others, workflowId: `drill-${type}-${n}` };
  });
}

type Kind = (n: number) => Pick<DrillFlow, 'type' | 'input'> & { readonly others?: readonly string[] };

const KINDS: readonly Kind[] = [
  (n) => ({ type: 'refreshCase', input: { cnj: cnjOf(n) } }),
  (n) => ({ type: 'refreshCase', input: { cnj: cnjOf(n), documents: true, download: true, webhook: false } }),
  (n) => ({ type: 'readCase', input: { cnj: cnjOf(n), include: ['cover', 'movements'] } }),
  (n) => ({ type: 'callOperation', input: { operation: 'searchTerm', params: { q: `drill ${n}` } } }),
  (n) => ({ type: 'refreshCase', input: { cnj: cnjOf(n) } }),
  (n) => ({ type: 'summarizeCase', input: { cnj: cnjOf(n) } }),
  (n) => ({
    type: 'collectPages',
    input: { operation: 'listMovements', params: { cnj: cnjOf(n), limit: 2 }, maxPages: 2 },
  }),
  (n) => ({ type: 'importLawyerCases', input: { oab: shortList(200_000 + n), pageSize: 20 } }),
  (n) => ({ type: 'createCaseMonitor', input: { reference: `drill-${n}`, definition: { numero_cnj: cnjOf(n) } } }),
  (n) => {
    const cases = Array.from({ length: PORTFOLIO_CASES }, (_none, place) => cnjOf(n + (place + 1) * 100_000));
    return {
      type: 'refreshPortfolio',
      input: { name: `drill-${n}`, cases, concurrency: 2, webhook: false },
      others: cases.map((cnj) => refreshCaseId('default', cnj)),
    };
  },
];

function cnjOf(n: number): string {
  return caseNumberOf(FIRST_CASE + n);
}
