/** The dispatcher of a portfolio over a real table of items. The test stands for the refreshes. */
import type { Cnj } from '../../src/contract/index.js';
import { getEventListeners, getMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { dispatchPortfolio } from '../../src/activities/portfolio/dispatch-portfolio.js';
import type { SweepEnd, SweepRuns } from '../../src/activities/index.js';
import type { DispatchInput, DispatchResult } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { amount, intentOf, refreshRequest } from '../store/support.js';
import { until } from '../support/until.js';
import { withActivities } from './with-activities.js';

describe('a shift of the dispatcher', () => {
  const world = withActivities();
  const watched: string[] = [];

  const dispatch = (
    {
      cases,
      ...order
    }: { readonly round: string; readonly cases: readonly string[] } & Partial<Omit<DispatchInput, 'cases'>>,
    sweep: SweepRuns,
  ): Promise<DispatchResult> =>
    dispatchPortfolio(
      { ...world.deps(), sweep },
      {
        account: 'default',
        name: 'one',
        concurrency: 2,
        shiftMs: 20_000,
        refresh: { documents: false },
        cases: cases as readonly Cnj[],
        ...order,
      },
      { signal: new AbortController().signal },
    );
  const look: SweepRuns['look'] = () => Promise.reject(new Error('nothing is parked'));
  const runs = (runId: string, end: SweepEnd): SweepRuns => ({
    look,
    start: () => Promise.resolve({ kind: 'started', workflowId: 'refresh', runId }),
    watch: (run) => {
      watched.push(run.runId);
      return Promise.resolve(run.runId === runId ? end : { kind: 'failed', type: 'BudgetExceeded' });
    },
  });
  const away: SweepRuns = {
    look,
    start: () => Promise.reject(new Error('Temporal is away')),
    watch: (run) => {
      watched.push(run.runId);
      return Promise.resolve({ kind: 'failed', type: 'BudgetExceeded' });
    },
  };

  it('starts a case again that the cap put back, and does not take its earlier run for the new one', async () => {
    const order = { round: 'default/one/once/capped', cases: [newCase()] };
    const capped = await dispatch(order, runs('first', { kind: 'failed', type: 'BudgetExceeded' }));
    expect(capped).toMatchObject({ remaining: 1, stoppedBy: 'budget', finished: true });

    // The shift ends between the note that it will be started and the start.
    expect(await dispatch({ ...order, shiftMs: 300 }, away)).toMatchObject({ remaining: 1, finished: false });

    const later = await dispatch(order, runs('second', { kind: 'done' }));
    expect(later).toMatchObject({ done: 1, remaining: 0, stoppedBy: null, finished: true });
    expect(watched).toEqual(['first', 'second']);
  });

  it('uses the part of a full cap that reservations leave over in the end, and no more', async () => {
    // Two runs in flight reserve the cap of four. Each costs half of its reserve in the end.
    const cases = Array.from({ length: 9 }, () => newCase());
    const round = 'default/one/once/reserved';
    const cap = 4;
    let held = 0;
    let spent = 0;
    const refused: string[] = [];
    let refuse = (): void => undefined;
    const firstRefusal = new Promise<void>((resolve) => (refuse = resolve));
    const sweep: SweepRuns = {
      look,
      start: ({ input }) => Promise.resolve({ kind: 'started', workflowId: 'refresh', runId: input.cnj }),
      watch: async ({ runId }) => {
        const price = spent === 0 ? 2 : 1;
        if (held + spent + price > cap) {
          refused.push(runId);
          refuse();
          return { kind: 'failed', type: 'BudgetExceeded' };
        }
        held += price;
        await firstRefusal;
        // The refusal is in the table before the first of the two runs ends.
        await until(async () => (await world.deps().portfolios.items(round, 'started', 9)).length < 3);
        held -= price;
        spent += 1;
        return { kind: 'done' };
      },
    };
    const result = await dispatch({ round, cases, concurrency: 4 }, sweep);
    expect(result).toMatchObject({ done: cap, remaining: cases.length - cap, stoppedBy: 'budget', finished: true });
    // The runs that met a full cap at first, and one try for each run that ended.
    expect(refused.length).toBeLessThanOrEqual(2 + 4 * cap);
  });

  it('looks at parked cases once more before it ends: it counts the ended ones and waits for those that go on', async () => {
    const [done = '', failed = '', goesOn = '', parked = ''] = Array.from({ length: 4 }, () => newCase());
    const cases = [done, failed, goesOn, parked];
    const ends: Record<string, SweepEnd | undefined> = {
      [done]: { kind: 'done' },
      [failed]: { kind: 'failed', type: 'UnknownCharge' },
      [goesOn]: undefined,
      [parked]: { kind: 'parked', attention: 'unknown-charge' },
    };
    const sweep: SweepRuns = {
      start: ({ input }) => Promise.resolve({ kind: 'started', workflowId: 'refresh', runId: input.cnj }),
      watch: () => Promise.resolve({ kind: 'parked', attention: 'unknown-charge' }),
      look: ({ runId }) => Promise.resolve(ends[runId]),
    };
    const order = { round: 'default/one/once/decided', cases };
    const first = await dispatch(order, sweep);
    expect(first).toMatchObject({ done: 1, failed: 1, parked: 1, remaining: 1, finished: false });
    const second = await dispatch(order, { ...sweep, watch: () => Promise.resolve({ kind: 'done' }) });
    expect(second).toMatchObject({ done: 2, failed: 1, parked: 1, remaining: 0, finished: true });
  });

  it('looks at all parked cases also when it is short', async () => {
    const cases = Array.from({ length: 40 }, () => newCase());
    const sweep: SweepRuns = {
      start: ({ input }) => Promise.resolve({ kind: 'started', workflowId: 'refresh', runId: input.cnj }),
      watch: () => Promise.resolve({ kind: 'parked', attention: 'unknown-charge' }),
      look: async () => {
        await sleep(20);
        return { kind: 'done' };
      },
    };
    const order = { round: 'default/one/once/many-decided', cases, concurrency: 40 };
    let result = await dispatch({ ...order, shiftMs: 200 }, sweep);
    while (!result.finished) result = await dispatch({ ...order, shiftMs: 200 }, sweep);
    expect(result).toMatchObject({ done: 40, parked: 0 });
  });

  it('that fails starts nothing more and aborts its cases in flight', async () => {
    const { portfolios, ...deps } = world.deps();
    let looks = 0;
    const failing: typeof portfolios = {
      ...portfolios,
      items: (round, state, most) =>
        state === 'waiting' && (looks += 1) > 1
          ? Promise.reject(new Error('the database is away'))
          : portfolios.items(round, state, most),
    };
    const cases = [newCase(), newCase()];
    const shifts: AbortSignal[] = [];
    const [both, open] = barrier(2);
    const sweep: SweepRuns = {
      look,
      start: ({ input }) => Promise.resolve({ kind: 'started', workflowId: 'refresh', runId: input.cnj }),
      watch: async ({ runId }, shift) => {
        shifts.push(shift);
        open();
        await both;
        return runId === cases[0] ? { kind: 'done' } : new Promise(() => undefined);
      },
    };
    const order = { account: 'default', name: 'one', concurrency: 2, shiftMs: 20_000, refresh: { documents: false } };
    await expect(
      dispatchPortfolio(
        { ...deps, portfolios: failing, sweep },
        { ...order, round: 'default/one/once/failing', cases: cases as never },
        { signal: new AbortController().signal },
      ),
    ).rejects.toThrow('away');
    expect(shifts.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('that is cancelled while its round is opened starts nothing', async () => {
    const { portfolios, ...deps } = world.deps();
    const cancelled = new AbortController();
    const started: string[] = [];
    const opening: typeof portfolios = {
      ...portfolios,
      openRound: async (round) => {
        const total = await portfolios.openRound(round);
        cancelled.abort();
        return total;
      },
    };
    const sweep: SweepRuns = {
      look,
      start: ({ input }) => {
        started.push(input.cnj);
        return Promise.resolve({ kind: 'started', workflowId: 'refresh', runId: input.cnj });
      },
      watch: () => Promise.resolve({ kind: 'done' }),
    };
    const order = { account: 'default', name: 'one', concurrency: 2, shiftMs: 20_000, refresh: { documents: false } };
    await expect(
      dispatchPortfolio(
        { ...deps, portfolios: opening, sweep },
        { ...order, round: 'default/one/once/cancelled', cases: [newCase()] as never },
        { signal: cancelled.signal },
      ),
    ).rejects.toThrow('aborted');
    expect(started).toEqual([]);
  });

  it('counts the spending of its own round, not of a round whose name begins like it', async () => {
    const { ledger, portfolios } = world.deps();
    const spend = async (round: string): Promise<void> => {
      await portfolios.openRound({
        round,
        account: 'default',
        name: 'one',
        cases: [newCase()] as never,
        nowMs: Date.now(),
      });
      const request = refreshRequest({ once: `portfolio/${round}/case`, workflowType: 'refreshCase' });
      const { intentId } = intentOf(await ledger.openIntent(request));
      await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(100) });
    };
    const round = 'default/one/once/2026';
    for (const each of [round, `${round}/11`]) await spend(each);
    expect(await portfolios.spentOf(round)).toMatchObject({ known: 100 });
    expect(await portfolios.spentOf(`${round}/11`)).toMatchObject({ known: 100 });
  });

  it('causes no leak warning with twenty cases in flight, and leaves no listener on its signal', async () => {
    const [together, open] = barrier(20);
    let shift: AbortSignal | undefined;
    const sweep: SweepRuns = {
      look,
      start: ({ input }) => Promise.resolve({ kind: 'started', workflowId: 'refresh', runId: input.cnj }),
      watch: async (_run, signal) => {
        shift = signal;
        const stop = (): void => undefined;
        signal.addEventListener('abort', stop);
        open();
        await together;
        signal.removeEventListener('abort', stop);
        return { kind: 'done' };
      },
    };
    const cases = Array.from({ length: 20 }, () => newCase());
    const round = 'default/one/once/listeners';
    expect(await dispatch({ round, cases, concurrency: 20 }, sweep)).toMatchObject({ done: 20 });
    expect(shift && getEventListeners(shift, 'abort')).toEqual([]);
    expect(shift && getMaxListeners(shift)).toBe(20);
  });
});

/** Resolves when it has been opened so many times. */
function barrier(times: number): readonly [Promise<void>, () => void] {
  let left = times;
  let open = (): void => undefined;
  const together = new Promise<void>((resolve) => (open = resolve));
  const arrive = (): void => {
    left -= 1;
    if (left === 0) open();
  };
  return [together, arrive];
}
