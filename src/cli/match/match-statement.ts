/** Compares the statement of an account with its ledger: decides each undecided charge, and lists differences. Pure. */
import type { Amount } from '../../contract/index.js';
import type { Call } from './call.js';
import { findCandidates } from './candidates.js';
import { judgeCoverage } from './coverage.js';
import { judgeCall, type Verdict } from './judge-call.js';
import { learnLabels } from './labels.js';
import type { Span } from './local-time.js';
import { pairById } from './pair-by-id.js';
import { sumOf, type Statement, type StatementRow } from './statement.js';

/** A call whose rows have another amount than the ledger. */
export interface Difference {
  readonly call: Call;
  readonly rows: readonly StatementRow[];
  /** 0 if the ledger says that nothing was charged. */
  readonly ledger: Amount;
  readonly statement: Amount;
}

export interface Match {
  readonly verdicts: readonly Verdict[];
  /** How many undecided charges are outside the time of the statement. */
  readonly outside: number;
  /** Charges that no call of this ledger can have caused. */
  readonly foreign: readonly StatementRow[];
  /** Charges without a known id that a call may have caused and no verdict lists. */
  readonly unclear: readonly StatementRow[];
  readonly differences: readonly Difference[];
  /** Charges of the ledger within the time of the statement that it does not show. */
  readonly missing: readonly Call[];
  /** How many rows have a call that is known by an id. */
  readonly paired: number;
  /** Why the absence of a row proves nothing. */
  readonly problem: string | undefined;
}

/** `calls`: all calls of the account that may be on the statement, except rows that joined another call. */
export function matchStatement(
  { rows, rounding }: Statement,
  calls: readonly Call[],
  { exclusive }: { readonly exclusive: boolean },
): Match {
  const pairs = pairById(rows, calls);
  const labels = learnLabels(pairs);
  const candidates = findCandidates(calls, pairs, labels);
  const coverage = judgeCoverage(calls, pairs, labels);
  const foreign = pairs.unpaired.filter((row) => row.amount > 0 && candidates.callsFor(row).length === 0);
  const credits = rows.filter(({ amount }) => amount < 0);
  const evidence = { pairs, labels, candidates, coverage, credits, rounding };
  const shown = spanOf(rows);
  const isShown = (call: Call): boolean =>
    pairs.rowsOf.has(call) || (call.window.toMs >= shown.fromMs && call.window.fromMs <= shown.toMs);
  const undecided = calls.filter((call) => call.undecided);
  const verdicts = undecided
    .filter(isShown)
    .map((call) => judgeCall(call, { ...evidence, alone: exclusive && foreign.length === 0 }));
  const judged = new Set(verdicts.flatMap((verdict) => verdict.rows));
  return {
    verdicts,
    outside: undecided.length - verdicts.length,
    foreign,
    unclear: pairs.unpaired.filter((row) => row.amount > 0 && candidates.callsFor(row).length > 0 && !judged.has(row)),
    differences: [...pairs.rowsOf].flatMap(([call, paired]) => differenceOf(call, paired, rounding) ?? []),
    missing: calls.filter(
      (call) => call.paid && !pairs.rowsOf.has(call) && isWithin(call, shown) && candidates.rowsFor(call).length === 0,
    ),
    paired: rows.length - pairs.unpaired.length,
    problem: coverage.problem,
  };
}

function isWithin({ window, late }: Call, shown: Span): boolean {
  return late === undefined && window.fromMs >= shown.fromMs && window.toMs <= shown.toMs;
}

/** From the earliest row to the latest. */
export function spanOf(rows: readonly StatementRow[]): Span {
  return rows.reduce(
    (span, row) => ({ fromMs: Math.min(span.fromMs, row.fromMs), toMs: Math.max(span.toMs, row.toMs) }),
    { fromMs: Infinity, toMs: -Infinity },
  );
}

function differenceOf(call: Call, rows: readonly StatementRow[], rounding: number): Difference | undefined {
  const charged = call.paid ? call.intent.charged : null;
  const ledger = charged ?? (saysFree(call) ? (0 as Amount) : undefined);
  if (ledger === undefined) return undefined;
  const statement = sumOf(rows);
  // Each row may be rounded.
  return Math.abs(statement - ledger) < rounding * rows.length ? undefined : { call, rows, ledger, statement };
}

/** The ledger says that nothing was charged, by an answer, by a proof or by a person's decision. */
function saysFree({ intent: { state, charged, reserved } }: Call): boolean {
  if (state === 'not_sent' || charged === 0) return !['open', 'pending', 'unknown'].includes(state);
  return charged === null && (state === 'rejected' || (state === 'closed' && reserved === 0));
}
