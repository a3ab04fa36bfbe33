/**
 * Is the statement proven complete around a call? The witnesses are charges that the ledger knows and the statement shows under
 * the same id: one before the call, one after it, and no charge that the ledger knows missing between them. Pure.
 */
import { DAY_MS, MINUTE_MS } from '../../contract/index.js';
import type { Call } from './call.js';
import type { Labels } from './labels.js';
import type { Span } from './local-time.js';
import type { Pairs } from './pair-by-id.js';
import { sumOf } from './statement.js';

/** Least distance of a witness from the window of a call: charges may appear a little late. */
const AWAY_MS = 15 * MINUTE_MS;
/** Greatest distance: two exports with days missing between them are not one complete statement. */
const NEAR_MS = DAY_MS;

export interface Coverage {
  /** Why the absence of a row proves nothing anywhere on the statement. */
  readonly problem: string | undefined;
  /** Why the absence of a row proves nothing about this call. */
  readonly problemAt: (call: Call) => string | undefined;
}

export function judgeCoverage(calls: readonly Call[], { rowsOf }: Pairs, labels: Labels): Coverage {
  const witnesses: Span[] = [];
  let outsideWindow = 0;
  for (const [call, rows] of rowsOf) {
    const [row] = rows;
    if (!call.paid || row === undefined || rows.length > 1 || sumOf(rows) <= 0) continue;
    if (row.toMs < call.window.fromMs || row.fromMs > call.window.toMs) outsideWindow += 1;
    else witnesses.push(row);
  }
  // Sorted so that `find` below returns the nearest witness.
  const before = witnesses.map(({ toMs }) => toMs).sort((a, b) => b - a);
  const after = witnesses.map(({ fromMs }) => fromMs).sort((a, b) => a - b);
  const missing = calls.filter((call) => call.paid && !rowsOf.has(call));
  const problem = problemOf(witnesses.length, outsideWindow);
  return {
    problem,
    problemAt: ({ window, intent, late }) => {
      if (problem !== undefined) return problem;
      if (late !== undefined) return late;
      if (!labels.isShown(intent.operation)) return 'no known charge of this operation is on the statement';
      const from = before.find((at) => at <= window.fromMs - AWAY_MS && at >= window.fromMs - NEAR_MS);
      const to = after.find((at) => at >= window.toMs + AWAY_MS && at <= window.toMs + NEAR_MS);
      if (from === undefined) return 'the statement does not show a known charge within the day before';
      if (to === undefined) return 'the statement does not show a known charge within the day after';
      const isIncomplete = missing.some((call) => call.window.toMs >= from && call.window.fromMs <= to);
      return isIncomplete ? 'a charge that the ledger knows is missing from the statement around that time' : undefined;
    },
  };
}

function problemOf(witnesses: number, outsideWindow: number): string | undefined {
  if (outsideWindow > 0) {
    return `${outsideWindow} charges that are known by their ids were booked outside the time of their calls: check --time-zone; or the service books late`;
  }
  return witnesses === 0
    ? 'no row has an id of a charge that the ledger knows: name the columns logId or requestId'
    : undefined;
}
