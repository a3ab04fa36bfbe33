/**
 * Is the statement proven whole around a call? Its witnesses are charges that the ledger knows and the statement shows under
 * the same id: one before, one after, none missing between them. Pure.
 */
import { DAY_MS, MINUTE_MS } from '../../contract/index.js';
import type { Call } from './call.js';
import type { Labels } from './labels.js';
import type { Span } from './local-time.js';
import type { Pairs } from './pair-by-id.js';
import { sumOf } from './statement.js';

/** Witnesses stand at least so far from what a call may be booked at: charges may appear a little late. */
const AWAY_MS = 15 * MINUTE_MS;
/** And at most so far: two exports with days missing between them are no whole statement. */
const NEAR_MS = DAY_MS;

export interface Coverage {
  /** Why nothing can be concluded from what the statement lacks, anywhere. */
  readonly problem: string | undefined;
  /** Why not from what it lacks around this call. */
  readonly problemAt: (call: Call) => string | undefined;
}

export function judgeCoverage(calls: readonly Call[], { rowsOf }: Pairs, labels: Labels): Coverage {
  const witnesses: Span[] = [];
  let away = 0;
  for (const [call, rows] of rowsOf) {
    const [row] = rows;
    if (!call.paid || row === undefined || rows.length > 1 || sumOf(rows) <= 0) continue;
    if (row.toMs < call.window.fromMs || row.fromMs > call.window.toMs) away += 1;
    else witnesses.push(row);
  }
  // Nearest first, as seen from a later call.
  const before = witnesses.map(({ toMs }) => toMs).sort((a, b) => b - a);
  const after = witnesses.map(({ fromMs }) => fromMs).sort((a, b) => a - b);
  const missing = calls.filter((call) => call.paid && !rowsOf.has(call));
  const problem = problemOf(witnesses.length, away);
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
      const hole = missing.some((call) => call.window.toMs >= from && call.window.fromMs <= to);
      return hole ? 'a charge that the ledger knows is missing on the statement around that time' : undefined;
    },
  };
}

function problemOf(witnesses: number, away: number): string | undefined {
  if (away > 0) {
    return `${away} charges that are known by their ids stand outside of the time of their calls: is --time-zone right? Or the service books late`;
  }
  return witnesses === 0
    ? 'no row has an id of a charge that the ledger knows: name the columns logId or requestId'
    : undefined;
}
