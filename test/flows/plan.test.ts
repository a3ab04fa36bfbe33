/**
 * A plan never says less than the run then costs, and an exact plan says exactly that. Seeded random inputs on the sandbox;
 * `npm run test:plan` runs 200 of them.
 */
import { sql } from 'kysely';
import { formatAmount, parseAmount } from '../../src/contract/index.js';
import { takeAnswersAway } from '../../src/ledger/index.js';
import { planFlow, type FlowCostPlan } from '../../src/planning/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import { starterOf } from '../../src/starters/index.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows, type Flows } from './with-flows.js';

const INPUTS = Number(process.env['TRAMITA_PLAN_INPUTS'] ?? 24);
const SEED = Number(process.env['TRAMITA_PLAN_SEED'] ?? 20_260_816);

type Input = Readonly<Record<string, unknown>>;
interface PlannedStart {
  readonly type: WorkflowType;
  readonly input: Input;
}

/** The sandbox's prices, without those by result (`listCasesByDocument`) and unknown ones (`updateNoticeMonitor`). */
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

// Namespaces of their own: flows of other files run under the same default ids, and a plan counts a run that a start would join.

/** The refresh of the slow case ends only when the clock of the service is moved. */
const HOUR_MS = 3_600_000;

const BOARD = { searchElectoralBoard: { from: 'data_inicio', to: 'data_fim' } };

describe('a plan', () => {
  const flows = withFlows({
    namespace: 'plans',
    sandbox: { refreshMs: 100, slowRefreshMs: HOUR_MS, pollAfterMs: 50, queryMs: 50, coverageMs: 1 },
    settings: {
      prices: PRICES,
      gaps: { filters: BOARD },
    },
  });

  it(`says what ${INPUTS} random starts then cost`, () => checkStarts(flows, INPUTS), 600_000);

  it('counts nothing for a call that is pending in another flow or for a run under the same id', async () => {
    const cnj = '06001237420246260001'; // slow
    const deps = { db: flows.database.db, config: flows.config, client: flows.client };
    const other = await flows.refresh({ cnj }, { workflowId: `other.${cnj}` });
    await until(async () => (await planned()).calls.some(({ state }) => state === 'joined') || undefined, {
      what: 'the call to be pending',
    });
    const plan = await planned();
    expect(plan).toMatchObject({ cost: { kind: 'exact', amount: '0' }, running: null });
    expect(plan.calls).toEqual([expect.objectContaining({ state: 'joined', workflowId: other.workflowId, most: 0 })]);
    const before = (await flows.charges()).length;
    const joined = await flows.refresh({ cnj });
    expect(await planned()).toMatchObject({
      cost: { kind: 'exact', amount: '0' },
      running: { workflowId: joined.workflowId, sameInput: true },
      calls: [],
    });
    const unlike = await planFlow(deps, 'refreshCase', { cnj, documents: true });
    expect(unlike.running?.sameInput).toBe(false);
    expect(unlike.problem).toContain('another input');
    await flows.control('/clock', { advanceMs: HOUR_MS });
    expect((await joined.result()).spent.known).toBe('0');
    await other.result();
    expect(await flows.charges()).toHaveLength(before);

    async function planned(): Promise<FlowCostPlan> {
      return planFlow(deps, 'refreshCase', { cnj });
    }
  });

  it('shows a paid answer that was dropped as lost, not as fresh', async () => {
    const { db } = flows.database;
    const deps = { db, config: flows.config, client: flows.client };
    const input = { cnj: newCaseWithDocuments(), include: ['cover'] as const, once: 'cover 1' };
    await (await starterOf('readCase')(flows.deps, input)).result();
    const stateOf = async (): Promise<string | undefined> => (await planFlow(deps, 'readCase', input)).calls[0]?.state;
    expect(await stateOf()).toBe('fresh');
    const { rows } = await sql<{ hash: string }>`
      select body_sha256 as hash from tramita.intent where once = 'cover 1'`.execute(db);
    await takeAnswersAway(db, { hashes: rows.map(({ hash }) => hash), left: null, nowMs: Date.now() });
    expect(await stateOf()).toBe('lost');
  });

  it('does not reuse a list that was requested before its refresh had ended', async () => {
    const { db } = flows.database;
    const deps = { db, config: flows.config, client: flows.client };
    const input = { cnj: newCaseWithDocuments(), documents: true, maxAge: '1h' };
    const run = await flows.refresh(input);
    await run.result();
    const isListFresh = async (): Promise<boolean> => {
      const { calls } = await planFlow(deps, 'refreshCase', input);
      return calls.some(({ operation, state }) => operation === 'listPublicDocuments' && state === 'fresh');
    };
    expect(await isListFresh()).toBe(true);
    await sql`update tramita.intent set opened_at = opened_at - interval '10 minutes'
      where workflow_id = ${run.workflowId} and operation = 'listPublicDocuments'`.execute(db);
    expect(await isListFresh()).toBe(false);
  });

  it('shows an unknown price as unknown and a cap as a cap, and refuses what a start refuses', async () => {
    const deps = { db: flows.database.db, config: { ...flows.config, prices: { default: 0 as never } } };
    const call = { operation: 'listCasesByDocument', params: { cpf_cnpj: '11144477735' } };
    expect((await planFlow(deps, 'callOperation', call)).cost).toEqual({ kind: 'unknown', amount: null });
    const capped = await planFlow(deps, 'callOperation', { ...call, maxSpend: '2.00' });
    expect(capped.cost).toEqual({ kind: 'cap', amount: '2' });
    await expect(planFlow(deps, 'refreshCase', { cnj: '1' })).rejects.toThrow('tramita: input.cnj');
    await expect(planFlow(deps, 'auditMonitors', { account: 'none' })).rejects.toThrow('is not configured');
  });
});

describe('a plan for an account near its daily cap', () => {
  const flows = withFlows({
    namespace: 'plans-near-a-cap',
    sandbox: { refreshMs: 100, pollAfterMs: 50 },
    settings: { prices: PRICES, gaps: { filters: BOARD } },
    account: { maxSpendPerDay: '3.00' },
  });

  it('says what is charged before the cap stops the flow', () => checkStarts(flows, Math.ceil(INPUTS / 4)), 300_000);
});

async function checkStarts(flows: Flows, inputs: number): Promise<void> {
  const random = seeded(SEED);
  const cases: string[] = [];
  const outcomes: string[] = [];
  for (let place = 0; place < inputs; place += 1) {
    const start = randomStart(random, cases);
    const { plan, charged, end } = await planAndRun(flows, start);
    outcomes.push(`${plan.cost.kind}, ${end}`);
    const subject = `${place} ${start.type} ${JSON.stringify(start.input)} ${JSON.stringify(plan)} ${end}`;
    expect([subject, problemOf(plan, charged, end)]).toEqual([subject, undefined]);
  }
  expect(await auditFlows(flows)).toEqual([]);
  process.stderr.write(`${summary(outcomes)}\n`);
}

/** How the charge of a run contradicts its plan, or undefined. */
function problemOf(plan: FlowCostPlan, charged: number, end: string): string | undefined {
  const { cost, stop, calls } = plan;
  const amount = parseAmount(cost.amount ?? '');
  if (cost.kind === 'exact' && end === 'done' && charged !== amount) return `charged ${formatAmount(charged)}`;
  const isCertain = calls.every(({ least, most }) => least === most);
  const isStopped = end === 'parked budget' || end === 'BudgetExceeded';
  if (isStopped && stop === null && plan.problem === null) return 'was stopped by a cap that the plan did not name';
  if (isStopped && stop !== null && isCertain && charged !== parseAmount(stop.spentBefore ?? '')) {
    return `stopped at ${formatAmount(charged)}`;
  }
  if ((cost.kind === 'exact' || cost.kind === 'at most') && charged > (amount ?? 0)) {
    return `charged ${formatAmount(charged)}, more than was planned`;
  }
  return undefined;
}

async function planAndRun(
  flows: Flows,
  { type, input }: PlannedStart,
): Promise<{ readonly plan: FlowCostPlan; readonly charged: number; readonly end: string }> {
  const { config, client, database } = flows;
  const sum = async (): Promise<number> => (await flows.charges()).reduce((all, { amount }) => all + amount, 0);
  const before = await sum();
  const plan = await planFlow({ db: database.db, config, client }, type, input as never);
  expect(await sum()).toBe(before);
  const handle = await starterOf(type)(flows.deps, input);
  let ended: string | undefined;
  void handle.result().then(
    (result) => (ended = failedIn(result) === 0 ? 'done' : 'done in part'),
    (error: unknown) => (ended = failureType(error)),
  );
  const end = await until(
    async () => {
      if (ended !== undefined) return ended;
      const progress = await flows.progress(handle.workflowId).catch(() => undefined);
      return progress?.state === 'parked' ? `parked ${progress.attention ?? ''}` : undefined;
    },
    { withinMs: 120_000, what: `${handle.workflowId} to end or park` },
  );
  const charged = (await sum()) - before;
  if (end.startsWith('parked')) await client.workflow.getHandle(handle.workflowId).terminate('seen');
  return { plan, charged, end };
}

/** The number of unfinished cases of a portfolio: a refused case costs less than was planned for it. */
function failedIn(result: unknown): number {
  const { failed = 0, parked = 0, skipped = 0 } = result as Readonly<Record<string, number | undefined>>;
  return failed + parked + skipped;
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

/** Personas of the sandbox: not known (404), ends badly, refuses the documents flag (422), many pages of documents. */
const PERSONAS = ['00000011819998010001', '00100012520245020001', '10001231820254036100', '08000123520219260010'];
const MANY_DOCUMENTS = '70000550320237010001';

/** A random start: few cases, so that answers are fresh and keys are used again; some caps that stop; some refused cases. */
function randomStart(random: Random, cases: string[]): PlannedStart {
  if (cases.length < 6 || random.chance(0.2)) cases.push(newCaseWithDocuments());
  const cnj = random.chance(0.15) ? random.pick(PERSONAS) : random.pick(cases);
  const reuse = {
    ...(random.chance(0.4) ? { maxAge: '1h' } : {}),
    ...(random.chance(0.2) ? { once: `key ${random.below(4)} ${cnj}` } : {}),
  };
  const common = {
    ...reuse,
    ...(random.chance(0.3) ? { maxSpend: formatAmount((1 + random.below(12)) * 500) } : {}),
  };
  const maxPages = 1 + random.below(3);
  const some = [...cases, ...PERSONAS].filter(() => random.chance(0.3)).slice(0, 6);
  const day = 10 + random.below(10);
  const call = (operation: string, params: Input, more: Input = {}): PlannedStart => {
    return { type: 'callOperation', input: { operation, params, ...more } };
  };
  const starts: readonly (() => PlannedStart)[] = [
    () => ({ type: 'refreshCase', input: { cnj, ...common } }),
    () => ({ type: 'refreshCase', input: { cnj, documents: true, maxPages, ...common } }),
    () => ({ type: 'refreshCase', input: { cnj, documents: true, ...common } }),
    () => ({ type: 'refreshCase', input: { cnj: MANY_DOCUMENTS, documents: true, maxPages, ...common } }),
    () => ({ type: 'summarizeCase', input: { cnj, ...common } }),
    () => ({ type: 'readCase', input: { cnj, include: ['cover', 'movements'], maxPages, ...common } }),
    () => ({ type: 'readCase', input: { cnj, include: ['cover', 'documents'], maxPages, ...common } }),
    () => ({ type: 'importLawyerCases', input: { oab: 'SP:100001', maxPaidChecks: 1 + random.below(3), ...common } }),
    () => call('getCase', { cnj }, common),
    () => call('getElectoralPublication', { id: `x${random.below(3)}` }),
    () => call('listCasesByDocument', { cpf_cnpj: '11144477735' }, common),
    () => call('getBalance', {}),
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
    () => ({
      type: 'searchBoard',
      input: { from: `2026-03-${day}`, to: `2026-03-${day + random.below(12)}`, maxPages: maxPages * 2, ...common },
    }),
    () => ({
      type: 'syncNotices',
      input: { oabs: ['SP:123456', `RJ:${1_000 + random.below(3)}`], fullText: random.chance(0.2), ...reuse },
    }),
    () => ({ type: 'createRadar', input: { reference: `radar-${random.below(5)}`, definition: { termo: 'Acme' } } }),
    () => ({ type: 'createCaseMonitor', input: { reference: `case-${cnj}`, definition: { numero_cnj: cnj } } }),
    () => ({ type: 'ensureNoticeMonitor', input: { oabs: ['SP:123456', `RJ:${random.below(3) + 1}`] } }),
    () => ({ type: 'deactivateMonitor', input: { kind: 'administrative', id: `none-${random.below(3)}` } }),
    () => ({ type: 'auditMonitors', input: {} }),
    () => ({ type: 'awaitRequest', input: { requestId: `7f1f9c52-5f0b-4c0e-9b7e-01234567890${random.below(9)}` } }),
    ...Array.from({ length: 3 }, () => (): PlannedStart => ({
      type: 'refreshPortfolio',
      input: {
        name: `p${random.below(3)}`,
        cases: some.length === 0 ? [cnj] : some,
        concurrency: 2,
        ...common,
        documents: random.chance(0.3),
      },
    })),
  ];
  return random.pick(starts)();
}

function summary(outcomes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const each of outcomes) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ');
}
