/**
 * One shift of the dispatcher: keeps a number of refreshes of a round in flight until its time is over or nothing is left to
 * start. Everything it knows is in the database before it acts on it, so it may be killed anywhere: a case that is `started`
 * is watched again, and starting it twice pays once (`once`). One failure never stops the rest.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount, present } from '../../contract/index.js';
import { nameOfError } from '../../contract/values/index.js';
import { onceOf, type PortfolioItem } from '../../records/index.js';
import type { DispatchInput, DispatchResult } from '../../protocol/index.js';
import { caseAttributeOf } from '../configured-account.js';
import type { ActivityDeps, SweepRun } from '../deps.js';
import { impossible } from '../to-failure.js';
import { decideEnd } from './decide-end.js';

type Deps = Pick<ActivityDeps, 'portfolios' | 'sweep' | 'accounts' | 'token' | 'clock' | 'log'>;

/** Pause after a start that failed (Temporal away). */
const AGAIN_AFTER_MS = 2_000;
const DEFAULT_LISTENERS = 10;
/** How many parked cases are checked when nothing else is left. */
const MOST_PARKED = 10_000;
/** For how long: a shift and these looks fit into the activity's 10 minutes. */
const LOOKS_AT_MOST_MS = 5 * 60_000;

export async function dispatchPortfolio(
  deps: Deps,
  input: DispatchInput,
  { signal }: { readonly signal: AbortSignal },
): Promise<DispatchResult> {
  const { round, account, name, cases } = input;
  const { portfolios } = deps;
  const total = await portfolios.openRound({ round, account, name, ...present({ cases }), nowMs: deps.clock.nowMs() });
  if (total === 0) {
    throw impossible(
      `input.name "${name}": there is no stored list of that name for account "${account}"; load one with "tramita lists load" or give "cases"`,
    );
  }
  if (input.triesAgain === true) await portfolios.tryAgain(round, deps.clock.nowMs());
  const shift = new AbortController();
  // One listener for each case in flight; above ten, Node warns of a leak.
  setMaxListeners(Math.max(input.concurrency, DEFAULT_LISTENERS), shift.signal);
  const over = setTimeout(() => shift.abort(), input.shiftMs);
  const stop = (): void => shift.abort();
  signal.addEventListener('abort', stop, { once: true });
  // The flow may have been cancelled, or the worker stopped, while the round was opened.
  if (signal.aborted) stop();
  try {
    const stoppedBy = await keepInFlight(deps, input, shift.signal);
    signal.throwIfAborted();
    const result = await resultOf(deps, input, stoppedBy);
    if (!result.finished || result.parked === 0) return result;
    await updateParked(deps, input, signal);
    signal.throwIfAborted();
    return await resultOf(deps, input, stoppedBy);
  } finally {
    // After a failure the cases in flight must not start anything either.
    shift.abort();
    clearTimeout(over);
    signal.removeEventListener('abort', stop);
  }
}

type Stop = 'budget' | 'account' | null;

async function keepInFlight(deps: Deps, input: DispatchInput, shift: AbortSignal): Promise<Stop> {
  const { round, concurrency } = input;
  const inFlight = new Map<string, Promise<void>>();
  const stop: { by: Stop } = { by: null };
  // A reservation may be higher than its final charge: while the cap is full, each refresh that ends allows one more try.
  const cap = { full: false, tries: 0 };
  const run = (item: PortfolioItem): void => {
    const isTry = cap.full;
    if (isTry) cap.tries -= 1;
    const done = runCase(deps, input, item, shift)
      .then((stops) => {
        if (stops === 'budget') cap.full = true;
        else if (stops !== null) stop.by ??= stops;
        else if (isTry) {
          cap.full = false;
          cap.tries = 0;
        } else if (cap.full) cap.tries += 1;
      })
      .finally(() => inFlight.delete(item.cnj));
    inFlight.set(item.cnj, done);
  };
  // Cases that an earlier shift left in flight come first.
  (await deps.portfolios.items(round, 'started', concurrency)).forEach(run);
  for (;;) {
    const room = Math.min(concurrency - inFlight.size, cap.full ? cap.tries : concurrency);
    if (room > 0 && stop.by === null && !shift.aborted) {
      const next = await deps.portfolios.items(round, 'waiting', concurrency);
      next
        .filter(({ cnj }) => !inFlight.has(cnj))
        .slice(0, room)
        .forEach(run);
    }
    // A shift that is over makes no more tries: the next shift finds out whether the cap is still full.
    if (inFlight.size === 0) return stop.by ?? (cap.full && !shift.aborted ? 'budget' : null);
    await Promise.race(inFlight.values());
  }
}

/** People may have decided about parked cases: such a case takes the state of its end, or counts as started again. */
async function updateParked(deps: Deps, { round }: DispatchInput, signal: AbortSignal): Promise<void> {
  const { portfolios, clock, sweep } = deps;
  const untilMs = clock.monotonicMs() + LOOKS_AT_MOST_MS;
  for (const { cnj, workflowId, runId } of await portfolios.items(round, 'parked', MOST_PARKED)) {
    if (workflowId === null || runId === null) continue;
    if (signal.aborted || clock.monotonicMs() > untilMs) return;
    const end = await sweep.look({ workflowId, runId }, signal);
    if (end?.kind === 'parked') continue;
    const { state, reason } = end === undefined ? { state: 'started' as const, reason: undefined } : decideEnd(end);
    await portfolios.changeItem({ round, cnj, state, ...present({ reason }), nowMs: clock.nowMs() });
  }
}

/** Runs one case from start to end. If the shift ends first, the case stays `started` for the next one. */
async function runCase(deps: Deps, input: DispatchInput, item: PortfolioItem, shift: AbortSignal): Promise<Stop> {
  const { portfolios, clock, log, sweep } = deps;
  const key = { round: input.round, cnj: item.cnj };
  const over = (): boolean => shift.aborted;
  while (!over()) {
    try {
      const run = await startOrFindRun(deps, input, item);
      if (run === undefined) return null;
      const { state, reason, stops } = decideEnd(await sweep.watch(run, shift));
      await portfolios.changeItem({ ...key, state, ...present({ reason }), nowMs: clock.nowMs() });
      return stops ?? null;
    } catch (error) {
      if (over()) break;
      log.warn(
        { portfolio: input.name, error: nameOfError(error) },
        'a refresh of a portfolio could not be started or watched; it is tried again',
      );
      await sleep(AGAIN_AFTER_MS, undefined, { signal: shift }).catch(() => undefined);
    }
  }
  return null;
}

/** The run of a case; undefined if the case is skipped. A start is noted first: a killed dispatcher may have made it. */
async function startOrFindRun(deps: Deps, input: DispatchInput, item: PortfolioItem): Promise<SweepRun | undefined> {
  const { portfolios, clock, sweep } = deps;
  const key = { round: input.round, cnj: item.cnj };
  if (item.workflowId !== null && item.runId !== null && item.state === 'started') {
    return { workflowId: item.workflowId, runId: item.runId };
  }
  await portfolios.changeItem({ ...key, state: 'started', nowMs: clock.nowMs() });
  const start = await sweep.start({
    input: { ...input.refresh, cnj: item.cnj, account: input.account },
    once: onceOf(input.round, caseAttributeOf(deps, input.account, item.cnj) ?? item.cnj),
    ...(input.maxSpend === undefined ? {} : { budget: { key: `portfolio/${input.round}`, limit: input.maxSpend } }),
  });
  if (start.kind === 'other input') {
    await portfolios.changeItem({ ...key, state: 'skipped', reason: start.kind, nowMs: clock.nowMs() });
    return undefined;
  }
  const { workflowId, runId } = start;
  await portfolios.changeItem({ ...key, state: 'started', workflowId, runId, nowMs: clock.nowMs() });
  return { workflowId, runId };
}

async function resultOf(deps: Deps, input: DispatchInput, stoppedBy: Stop): Promise<DispatchResult> {
  const { waiting, started: inFlight, ...ended } = await deps.portfolios.count(input.round);
  const { known, unknown } = await deps.portfolios.spentOf(input.round);
  return {
    ...ended,
    remaining: waiting + inFlight,
    finished: inFlight === 0 && (waiting === 0 || stoppedBy !== null),
    stoppedBy,
    spent: { known: formatAmount(known), unknown },
  };
}
