/**
 * What a plan says is what the run then costs: never less, and exactly that where it says so. Seeded random inputs on the
 * sandbox; `npm run test:plan` does 200 of them.
 */
import { formatAmount, parseAmount } from '../../src/contract/index.js';
import { planFlow, type FlowCostPlan } from '../../src/planning/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import { starterOf } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows, type Flows } from './with-flows.js';

const INPUTS = Number(process.env['TRAMITA_PLAN_INPUTS'] ?? 24);
const SEED = Number(process.env['TRAMITA_PLAN_SEED'] ?? 20_260_816);

type Input = Readonly<Record<string, unknown>>;
interface Asked {
  readonly type: WorkflowType;
  readonly input: Input;
}

/** The sandbox's own, as a price list would tell them. By result or unsaid: `listCasesByDocument`, `updateNoticeMonitor`. */
const PRICES = {
  requestRefresh: '0.10',
  listPublicDocuments: '0.20',
  getCase: '0.12',
  listMovements: '0.05',
  requestSummary: '0.60',
  getSummary: '0.10',
  searchTerm: '0.20',
  listLawyerCases: '0.50',
  listNotices: '0.10',
  getPublication: '0.05',
  listPrecatorios: '0.30',
  createNoticeMonitor: '0.90',
  createRadar: '2.00',
  createCaseMonitor: '0.50',
};

describe('what a plan says', () => {
  const flows = withFlows({
    sandbox: { refreshMs: 100, pollAfterMs: 50, queryMs: 50, coverageMs: 1 },
    settings: { prices: PRICES, gaps: { oabNumberParam: 'oab_numero', oabStateParam: 'oab_estado' } },
  });

  it(`is what ${INPUTS} random starts then cost`, async () => {
    const random = seeded(SEED);
    const cases: string[] = [];
    const told: string[] = [];
    for (let place = 0; place < INPUTS; place += 1) {
      const asked = randomStart(random, cases);
      const { plan, charged, end } = await planAndRun(flows, asked);
      told.push(`${plan.cost.kind} ${end}`);
      const said = `${place} ${asked.type} ${JSON.stringify(asked.input)} ${JSON.stringify(plan)} ${end}`;
      expect([said, problemOf(plan, charged, end)]).toEqual([said, undefined]);
    }
    expect(await auditFlows(flows)).toEqual([]);
    process.stderr.write(`${summary(told)}\n`);
  }, 600_000);
});

/** What is wrong between a plan and the charge that came of it. */
function problemOf(plan: FlowCostPlan, charged: number, end: string): string | undefined {
  const { cost, stop } = plan;
  const amount = parseAmount(cost.amount ?? '');
  if (cost.kind === 'exact' && end === 'done' && charged !== amount) return `charged ${formatAmount(charged)}`;
  if (cost.kind === 'exact' && stop !== null && charged !== parseAmount(stop.spentBefore ?? '')) {
    return `stopped at ${formatAmount(charged)}`;
  }
  if ((cost.kind === 'exact' || cost.kind === 'at most') && charged > (amount ?? 0)) {
    return `charged ${formatAmount(charged)}, more than was said`;
  }
  return undefined;
}

async function planAndRun(
  flows: Flows,
  { type, input }: Asked,
): Promise<{ readonly plan: FlowCostPlan; readonly charged: number; readonly end: string }> {
  const { config, client, database } = flows;
  const sum = async (): Promise<number> => (await flows.charges()).reduce((all, { amount }) => all + amount, 0);
  const before = await sum();
  const plan = await planFlow({ db: database.db, config, client }, type, input as never);
  expect(await sum()).toBe(before);
  const handle = await starterOf(type)(flows.deps, input);
  let ended: string | undefined;
  void handle.result().then(
    () => (ended = 'done'),
    (error: unknown) => (ended = failureType(error)),
  );
  const end = await until(
    async () => {
      if (ended !== undefined) return ended;
      const progress = await flows.progress(handle.workflowId).catch(() => undefined);
      return progress?.state === 'parked' ? `parked ${progress.attention ?? ''}` : undefined;
    },
    { withinMs: 60_000, what: `${handle.workflowId} to end or park` },
  );
  const charged = (await sum()) - before;
  if (end.startsWith('parked')) await client.workflow.getHandle(handle.workflowId).terminate('seen');
  return { plan, charged, end };
}

function failureType(error: unknown): string {
  const { type, cause } = error as { readonly type?: string; readonly cause?: unknown };
  return type ?? (cause === undefined ? 'failed' : failureType(cause));
}

interface Random {
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32. */
function seeded(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, chance: (share) => next() < share, pick: (items) => items[below(items.length)] as never };
}

/** Few cases, so that answers are fresh, and keys used again; some caps that stop; some cases that the service does not know. */
function randomStart(random: Random, cases: string[]): Asked {
  if (cases.length < 6 || random.chance(0.3)) cases.push(newCase());
  const cnj = random.pick(cases);
  const common = {
    ...(random.chance(0.4) ? { maxAge: '1h' } : {}),
    ...(random.chance(0.2) ? { once: `key ${random.below(4)} ${cnj}` } : {}),
    ...(random.chance(0.3) ? { maxSpend: formatAmount((1 + random.below(12)) * 500) } : {}),
  };
  const maxPages = 1 + random.below(3);
  const some = cases.filter(() => random.chance(0.5)).slice(0, 5);
  const starts: readonly (() => Asked)[] = [
    () => ({ type: 'refreshCase', input: { cnj, ...common } }),
    () => ({ type: 'refreshCase', input: { cnj, documents: true, maxPages, ...common } }),
    () => ({ type: 'refreshCase', input: { cnj, documents: true, maxPages: 1, ...common } }),
    () => ({ type: 'summarizeCase', input: { cnj, ...common } }),
    () => ({ type: 'readCase', input: { cnj, include: ['cover', 'movements'], maxPages, ...common } }),
    () => ({ type: 'readCase', input: { cnj, include: ['cover', 'documents'], maxPages, ...common } }),
    () => ({ type: 'callOperation', input: { operation: 'getCase', params: { cnj }, ...common } }),
    () => ({
      type: 'callOperation',
      input: { operation: 'getElectoralPublication', params: { id: `x${random.below(3)}` } },
    }),
    () => ({ type: 'collectPages', input: { operation: 'listMovements', params: { cnj }, maxPages, ...common } }),
    () => ({
      type: 'collectPages',
      input: {
        operation: 'listPrecatorios',
        params: { ano_orcamentario: `202${random.below(4)}` },
        maxPages,
        ...common,
      },
    }),
    () => ({ type: 'syncNotices', input: { oabs: ['SP:123456', `RJ:${1_000 + random.below(3)}`], ...common } }),
    () => ({ type: 'createRadar', input: { reference: `radar-${random.below(5)}`, definition: { termo: 'Acme' } } }),
    () => ({ type: 'createCaseMonitor', input: { reference: `case-${cnj}`, definition: { numero_cnj: cnj } } }),
    () => ({ type: 'ensureNoticeMonitor', input: { oabs: ['SP:123456', `RJ:${random.below(3) + 1}`] } }),
    () => ({ type: 'auditMonitors', input: {} }),
    () => ({
      type: 'refreshPortfolio',
      input: {
        name: `p${random.below(3)}`,
        cases: some.length === 0 ? [cnj] : some,
        concurrency: 2,
        ...common,
        documents: random.chance(0.3),
      },
    }),
  ];
  return random.pick(starts)();
}

function summary(told: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const each of told) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ');
}
