/**
 * The governor under load. Many openings at once, from several pools like several processes, never pass a limit by a
 * cent. However a call ends, and in whatever order its results come, its reservation is released exactly once.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  checkLedger,
  type Intent,
  type LedgerSettings,
  type OpenIntent,
  type Settlement,
} from '../../src/ledger/index.js';
import type { Database } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { amount, closeStep, elsewhere, intentOf, makeLedger, refreshRequest, setClock } from './support.js';

/** Hundreds of calls at once take long on a slow machine. This limit is only for a test that hangs. */
jest.setTimeout(120_000);

const database = withDatabase();
const PRICE = 700;
const PRICES = { default: amount(5_000), requestRefresh: amount(PRICE) };
const CALLS = 200;
const PROCESSES = 4;

const pools: Database[] = [];
beforeAll(() => {
  const patient = { max: 6, statementTimeoutMs: 60_000, connectTimeoutMs: 60_000 };
  for (let index = 0; index < PROCESSES; index += 1) pools.push(database.connect(patient));
});

/** One ledger per process, all with the same limits, each with a pool of its own. */
function processes(limits: LedgerSettings['accounts'][string]) {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const settings = { accounts: { [account]: limits }, prices: PRICES };
  const ledgers = pools.map((pool) => makeLedger(pool, { settings }).ledger);
  const openAll = (changes: (index: number) => Partial<OpenIntent> = () => ({})) =>
    Promise.all(
      Array.from({ length: CALLS }, (_, index) =>
        (ledgers[index % PROCESSES] ?? missing()).openIntent(refreshRequest({ account, ...changes(index) })),
      ),
    );
  const [ledger = missing()] = ledgers;
  return { account, ledger, openAll };
}

function missing(): never {
  throw new Error('use ledgers inside tests only');
}

async function reservedOf(account: string): Promise<number> {
  const rows = await database.db
    .selectFrom('tramita.intent')
    .select('reserved')
    .where('account', '=', account)
    .execute();
  return rows.reduce((sum, { reserved }) => sum + reserved, 0);
}

describe(`${CALLS} calls at once from ${PROCESSES} processes`, () => {
  const LIMIT = 10_000;
  const FITS = Math.floor(LIMIT / PRICE);

  test.each([
    ['day', { maxSpendPerDay: amount(LIMIT) }, {}],
    ['flow', { maxSpendPerFlow: amount(LIMIT) }, { workflowId: 'one', firstRunId: 'run' }],
    ['shared', {}, { budget: { key: 'portfolio/round 1', limit: amount(LIMIT) } }],
  ] as const)('never pass the %s cap by a cent, and use it up', async (cap, limits, common) => {
    const { account, openAll } = processes(limits);
    const verdicts = await openAll((index) => ({ ...common, step: `step ${index}` }));
    expect(verdicts.filter(({ kind }) => kind === 'send')).toHaveLength(FITS);
    const over = verdicts.filter((verdict) => verdict.kind === 'over budget');
    expect(over).toHaveLength(CALLS - FITS);
    expect(new Set(over.map((verdict) => verdict.cap))).toEqual(new Set([cap]));
    expect(await reservedOf(account)).toBe(FITS * PRICE);
  });

  test('never pass the floor by a cent', async () => {
    const { account, ledger, openAll } = processes({ minBalance: amount(1_000) });
    const first = intentOf(await ledger.openIntent(refreshRequest({ account })));
    await ledger.settle(first.intentId, { state: 'done', charged: amount(PRICE), balanceAfter: amount(LIMIT) });
    const verdicts = await openAll();
    const fits = Math.floor((LIMIT - 1_000) / PRICE);
    expect(verdicts.filter(({ kind }) => kind === 'send')).toHaveLength(fits);
    expect(await reservedOf(account)).toBe(fits * PRICE);
  });

  test('obey the tightest of several limits, and none waits forever', async () => {
    const { account, openAll } = processes({ maxSpendPerDay: amount(LIMIT), maxSpendPerFlow: amount(LIMIT * 9) });
    const verdicts = await openAll((index) => ({
      workflowId: `flow ${index % 3}`,
      firstRunId: account,
      step: `step ${index}`,
      budget: { key: account, limit: amount(LIMIT - PRICE) },
    }));
    expect(verdicts.filter(({ kind }) => kind === 'send')).toHaveLength(Math.floor((LIMIT - PRICE) / PRICE));
  });
});

describe('a shared budget', () => {
  test('counts the charges of all flows under its key and of no others', async () => {
    const { ledger } = makeLedger(database.db, { settings: { prices: PRICES } });
    const budget = { key: randomUUID(), limit: amount(2_000) };
    const open = (changes: Partial<OpenIntent> = {}) => ledger.openIntent(refreshRequest({ budget, ...changes }));
    await ledger.settle(intentOf(await open()).intentId, { state: 'done', charged: amount(1_200) });
    expect((await open()).kind).toBe('send');
    expect(await open()).toMatchObject({ kind: 'over budget', cap: 'shared', limit: 2_000, needed: 2_600 });
    expect((await open({ budget: { key: randomUUID(), limit: amount(2_000) } })).kind).toBe('send');
    const { budget: _none, ...alone } = refreshRequest({ budget });
    expect((await ledger.openIntent(alone)).kind).toBe('send');
  });

  test('does not count a call that another flow has paid', async () => {
    const { ledger } = makeLedger(database.db, { settings: { prices: PRICES } });
    const request = refreshRequest();
    const { intentId } = intentOf(await ledger.openIntent(request));
    await ledger.settle(intentId, { state: 'done', charged: amount(PRICE), httpStatus: 200 });
    const budget = { key: randomUUID(), limit: amount(PRICE) };
    expect((await ledger.openIntent(elsewhere(request, { budget, maxAgeMs: 60_000 }))).kind).toBe('stored');
    expect((await ledger.openIntent(refreshRequest({ budget }))).kind).toBe('send');
  });
});

type Decision = 'not-charged' | 'charged' | 'abandon';

/** What may happen to one call after its intent, in any order and any number. */
type Happening =
  | { readonly kind: 'settle'; readonly settlement: Settlement }
  | { readonly kind: 'close' }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'decide'; readonly decision: Decision };

const settlement: fc.Arbitrary<Settlement> = fc
  .record({
    state: fc.constantFrom('pending', 'done', 'rejected', 'not_sent', 'charged_lost', 'unknown'),
    charged: fc.constantFrom(undefined, null, 0, PRICE, PRICE + 1),
  })
  .map(({ state, charged }) => ({
    state,
    // An unsent or refused call names no charge here: other rules apply to such answers.
    ...(charged === undefined || state === 'not_sent' || state === 'rejected' ? {} : { charged: charged as never }),
  }));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: settlement.map((value) => ({ kind: 'settle' as const, settlement: value })) },
  fc.constant({ kind: 'close' as const }),
  fc.constant({ kind: 'sweep' as const }),
  fc
    .constantFrom('not-charged' as const, 'charged' as const, 'abandon' as const)
    .map((decision) => ({ kind: 'decide' as const, decision })),
);

/** A call counts at its reported charge, else at its reserve, until it is known to have cost nothing. */
interface Model {
  readonly state: Intent['state'];
  readonly charged: number | null;
  readonly decision: Decision | null;
  /** A final answer named its charge: from then on nothing is reserved. */
  readonly released: boolean;
}

const SENT: Model = { state: 'open', charged: null, decision: null, released: false };

function afterwards(model: Model, event: Happening): Model {
  const { state, charged } = model;
  switch (event.kind) {
    case 'close':
    case 'sweep':
      return state === 'open' ? { ...model, state: 'unknown' } : model;
    case 'decide': {
      // A row that is unknown again, or pending only by a person's decision, may be decided again.
      const open =
        state === 'unknown' ||
        (state === 'charged_lost' && model.decision === null) ||
        (state === 'pending' && model.decision === 'charged');
      if (!open) return model;
      // A refresh that was charged is followed by its status.
      if (event.decision === 'charged') return { ...model, state: 'pending', decision: 'charged' };
      const spent = event.decision === 'not-charged' ? (charged ?? 0) : charged;
      return { ...model, state: 'closed', decision: event.decision, charged: spent };
    }
    case 'settle': {
      const next = event.settlement.state;
      const reported = event.settlement.charged ?? null;
      const applies = state === 'open' || state === 'unknown' || (state === 'pending' && next !== 'not_sent');
      if (!applies) return model;
      const known = charged === null || reported === null ? (reported ?? charged) : Math.max(charged, reported);
      const ended = next === 'done' || next === 'charged_lost';
      // A charge of zero so far is not the cost of accepted work, no matter who says that it was accepted.
      const before = state === 'pending' && charged === 0 ? reported : known;
      const cost = next === 'pending' && before === 0 ? null : before;
      return { ...model, state: next, charged: cost, released: model.released || (ended && cost !== null) };
    }
  }
}

function spentIn({ state, charged, released }: Model): number {
  const reserved = released || state === 'rejected' || state === 'not_sent' ? 0 : PRICE;
  return state === 'pending' && charged === 0 ? reserved : (charged ?? reserved);
}

test('the counted spending equals a simple model after any settlements, closings, sweeps and decisions', async () => {
  const runs = Number(process.env['TRAMITA_GOVERNOR_RUNS'] ?? 40);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(happening, { maxLength: 6 }), { minLength: 1, maxLength: 4 }), async (calls) => {
      const account = `a-${randomUUID().slice(0, 8)}`;
      const clock = setClock();
      // A new ledger for every step: nothing is kept in a process that may die.
      const build = () => makeLedger(database.db, { clock, settings: { prices: PRICES } }).ledger;
      const models: Model[] = [];
      for (const happenings of calls) {
        const request = refreshRequest({ account });
        const { intentId } = intentOf(await build().openIntent(request));
        let model = SENT;
        for (const event of happenings) {
          await happen(build(), { request, intentId, event });
          // A repeat, as after a crash or a lost acknowledgement, counts once.
          if (event.kind !== 'settle' || event.settlement.state !== 'unknown') {
            await happen(build(), { request, intentId, event });
          }
          model = afterwards(model, event);
          const row = await build().find(intentId);
          expect([row?.state, row?.charged ?? 0]).toEqual([model.state, model.charged ?? 0]);
        }
        models.push(model);
      }
      const spent = models.reduce((sum, model) => sum + spentIn(model), 0);
      expect(await spentToday(account)).toBe(spent);
      const [check] = await checkLedger(database.db, {
        accounts: [account],
        nowMs: clock.now(),
        sinceMs: 0,
        openAtMostMs: 0,
      });
      expect(check?.wrongSums).toEqual([]);
    }),
    { numRuns: runs },
  );

  async function happen(
    ledger: ReturnType<typeof makeLedger>['ledger'],
    {
      request,
      intentId,
      event,
    }: { readonly request: OpenIntent; readonly intentId: string; readonly event: Happening },
  ): Promise<void> {
    switch (event.kind) {
      case 'settle':
        await ledger.settle(intentId, event.settlement);
        return;
      case 'close':
        await closeStep(ledger, request, { deadlineMs: 0 });
        return;
      case 'sweep':
        await ledger.sweep(0);
        return;
      case 'decide':
        await ledger
          .decide({ intentId, decision: event.decision, by: 'test' })
          .catch((error: unknown) => expect((error as Error).name).toBe('DecisionRefused'));
    }
  }

  /** What the day cap has counted, read from its refusal. */
  async function spentToday(account: string): Promise<number> {
    const { ledger } = makeLedger(database.db, {
      clock: setClock(),
      settings: { accounts: { [account]: { maxSpendPerDay: amount(0) } }, prices: PRICES },
    });
    const verdict = await ledger.openIntent(refreshRequest({ account }));
    if (verdict.kind !== 'over budget') throw new Error(`${verdict.kind} under a cap of 0`);
    return verdict.needed - PRICE;
  }
});
