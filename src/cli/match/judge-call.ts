/**
 * Decides one undecided charge by the statement. `not-charged` lets the call be sent again, so it requires that the statement is
 * proven complete around the call and that no row can be its charge. In doubt a person decides. Pure.
 */
import { hasKnownCharge } from '../../ledger/index.js';
import type { Call } from './call.js';
import type { Candidates } from './candidates.js';
import type { Coverage } from './coverage.js';
import type { Labels } from './labels.js';
import type { Pairs } from './pair-by-id.js';
import type { StatementRow } from './statement.js';

export interface Verdict {
  readonly call: Call;
  readonly verdict: 'charged' | 'not-charged' | 'ambiguous';
  readonly why: string;
  /** Rows that are its charge, or may be. */
  readonly rows: readonly StatementRow[];
  /** Proposed as the decision; otherwise a person has to decide. */
  readonly proposed: boolean;
}

export interface Evidence {
  readonly pairs: Pairs;
  readonly candidates: Candidates;
  readonly coverage: Coverage;
  readonly labels: Labels;
  /** Rows that gave money back or paid it in. */
  readonly credits: readonly StatementRow[];
  /** Nobody else spends from the account: it is configured so, and every charge on the statement may be one of our calls. */
  readonly alone: boolean;
  readonly rounding: number;
}

export function judgeCall(call: Call, evidence: Evidence): Verdict {
  const named = evidence.pairs.rowsOf.get(call);
  if (named !== undefined) return judgeNamed(call, named, evidence);
  const rows = evidence.candidates.rowsFor(call);
  const isUnknown = call.intent.state === 'unknown' || call.overdue;
  const doubt = evidence.coverage.problemAt(call);
  if (rows.length > 0) {
    const why = isUnknown ? (doubt ?? whyNotProven(call, rows, evidence)) : 'rows without its id may be this call';
    return why === undefined ? charged(call, rows, 'the only row that can be this call') : ambiguous(call, rows, why);
  }
  if (!isUnknown) return ambiguous(call, rows, 'the ledger counts it as charged, and no row shows it');
  if (call.provenPaid) return ambiguous(call, rows, 'the balance has proved a charge, and no row shows it');
  if (hasKnownCharge(call.intent))
    return ambiguous(call, rows, 'the service has reported a charge, and no row shows it');
  if (doubt !== undefined) return ambiguous(call, rows, `no row can be this call, but ${doubt}`);
  const why = 'no row can be this call, and known charges before and after it are all there';
  return { call, verdict: 'not-charged', why, rows, proposed: true };
}

function judgeNamed(call: Call, rows: readonly StatementRow[], evidence: Evidence): Verdict {
  const [row] = rows;
  if (row === undefined || rows.length > 1) return ambiguous(call, rows, 'several rows have its id');
  if (row.amount <= 0) return ambiguous(call, rows, 'the row with its id debits nothing');
  if (mayBeRefunded(row, evidence)) return ambiguous(call, rows, REFUNDED);
  return charged(call, rows, 'a row has its id');
}

/** Why no row is proven to be its charge. */
function whyNotProven(call: Call, rows: readonly StatementRow[], evidence: Evidence): string | undefined {
  const [row] = rows;
  if (row === undefined || rows.length > 1) return `${rows.length} rows can be this call`;
  if (row.amount <= 0) return 'the only row that can be this call debits nothing';
  if (evidence.candidates.callsFor(row).length > 1) return 'the row can also be another call';
  if (!evidence.labels.isOf(row.label, call.intent.operation)) return 'the row does not name its operation';
  if (!evidence.alone) return 'others spend from the account, and the row can be theirs';
  return mayBeRefunded(row, evidence) ? REFUNDED : undefined;
}

const REFUNDED = 'the same amount was refunded later';

function mayBeRefunded({ fromMs, amount }: StatementRow, { credits, rounding }: Evidence): boolean {
  return credits.some((credit) => credit.toMs >= fromMs && Math.abs(credit.amount + amount) < rounding);
}

function charged(call: Call, rows: readonly StatementRow[], proof: string): Verdict {
  const proposed = call.intent.state === 'unknown' && call.canGoOn;
  return { call, verdict: 'charged', why: proposed ? proof : `${proof}; ${notProposedBecause(call)}`, rows, proposed };
}

/** Why a proven charge is left to a person. */
function notProposedBecause({ intent, overdue }: Call): string {
  if (overdue) return 'get its answer with awaitRequest, or abandon it';
  return intent.state === 'pending' ? 'it is already polled' : 'give the request id to get its answer, or abandon it';
}

function ambiguous(call: Call, rows: readonly StatementRow[], why: string): Verdict {
  return { call, verdict: 'ambiguous', why, rows, proposed: false };
}
