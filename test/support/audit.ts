/**
 * The charge auditor (design 19): our ledger beside the service's own charge book, at the end of a test. Pure. Every charge
 * must be owned by one ledger row, every logical operation pays at most once (once more per decision "not-charged"), and what
 * the ledger says it knows must be what the book holds. Rows that joined another one are no call of their own.
 */
import { formatAmount, parseAmount } from '../../src/contract/index.js';
import type { LedgerRow } from '../../src/ledger/index.js';
import type { Charge } from '../../sandbox/index.js';

export type AuditedRow = Pick<
  LedgerRow,
  | 'intentId'
  | 'workflowId'
  | 'firstRunId'
  | 'step'
  | 'operation'
  | 'state'
  | 'joined'
  | 'charged'
  | 'requestId'
  | 'searchLogId'
  | 'bodySha256'
  | 'evidence'
>;
export type BookCharge = Pick<
  Charge,
  'n' | 'operation' | 'subject' | 'amount' | 'requestId' | 'searchLogId' | 'bodySha256'
>;

export interface Books {
  /** As `tramita ledger list --json` prints it; workflow ids end with the case number. */
  readonly ledger: readonly AuditedRow[];
  readonly book: readonly BookCharge[];
}

/** What is wrong between the two, one sentence each; empty when they agree. */
export function auditCharges({ ledger, book }: Books): readonly string[] {
  const rows = ledger.filter(({ joined }) => joined === null);
  const owners = new Map<BookCharge, AuditedRow>();
  const problems = [
    ...rows.flatMap((row) => auditRow(row, book, owners)),
    ...auditUnowned(rows, book, owners),
    ...auditRepeats(rows, book),
    ...auditSums(rows, owners),
  ];
  return [...new Set(problems)];
}

/** Which charge a row names, and whether its state goes with that. */
function auditRow(row: AuditedRow, book: readonly BookCharge[], owners: Map<BookCharge, AuditedRow>): string[] {
  const named = book.filter((charge) => isAbout(row, charge) && sharesId(row, charge));
  const problems: string[] = [];
  for (const charge of named) {
    const owner = owners.get(charge);
    if (owner !== undefined)
      problems.push(`charge ${charge.n} is named by the rows ${owner.intentId} and ${row.intentId}`);
    owners.set(charge, row);
  }
  const [charge] = named;
  if (row.state === 'open') problems.push(`${nameOf(row)} was left open`);
  else if (named.length > 1) problems.push(`${nameOf(row)} has ${named.length} charges`);
  else if (row.state === 'done' || row.state === 'pending') {
    if (charge === undefined) problems.push(`${nameOf(row)} has no charge in the book`);
    else problems.push(...auditFacts(row, charge));
  } else if (!admitsCharge(row) && charge !== undefined) problems.push(`${nameOf(row)} was charged (${charge.n})`);
  return problems;
}

function auditFacts(row: AuditedRow, charge: BookCharge): string[] {
  const differs = (what: string, ours: string | null, theirs: string | null): string[] =>
    ours === theirs ? [] : [`${nameOf(row)}: ${what} is ${ours ?? 'null'}, in the book ${theirs ?? 'null'}`];
  // A 202 may leave the figure to its final answer.
  const untold = row.state === 'pending' && row.charged === null;
  return [
    ...(untold ? [] : differs('charged', row.charged, formatAmount(charge.amount))),
    ...differs('request id', row.requestId, charge.requestId),
    ...(row.state === 'done' ? differs('hash of the answer', row.bodySha256, charge.bodySha256) : []),
  ];
}

/** A charge that no row names must belong to a call that nobody can tell the truth about: one charge each. */
function auditUnowned(
  rows: readonly AuditedRow[],
  book: readonly BookCharge[],
  owners: Map<BookCharge, AuditedRow>,
): string[] {
  const taken = new Set(owners.values());
  return book.flatMap((charge) => {
    if (owners.has(charge)) return [];
    const row = rows.find((each) => isAbout(each, charge) && admitsCharge(each) && !taken.has(each));
    if (row === undefined)
      return [`charge ${charge.n} (${charge.operation} ${charge.subject.cnj}) is in no ledger row`];
    taken.add(row);
    owners.set(charge, row);
    return [];
  });
}

/** Charges per logical operation ≤ 1; a person who says "not-charged" allows one more. */
function auditRepeats(rows: readonly AuditedRow[], book: readonly BookCharge[]): string[] {
  const keys = new Set(book.map(({ operation, subject }) => `${operation} ${subject.cnj}`));
  return [...keys].flatMap((key) => {
    const own = rows.filter((row) => `${row.operation} ${caseOf(row)}` === key);
    const steps = new Set(own.map(({ workflowId, firstRunId, step }) => `${workflowId} ${firstRunId} ${step}`));
    const allowed = steps.size + own.filter((row) => decisionOf(row) === 'not-charged').length;
    const paid = book.filter(({ operation, subject }) => `${operation} ${subject.cnj}` === key).length;
    return paid <= allowed ? [] : [`${key} was paid ${paid} times, allowed ${allowed}`];
  });
}

function auditSums(rows: readonly AuditedRow[], owners: Map<BookCharge, AuditedRow>): string[] {
  const known = rows.reduce((sum, { charged }) => sum + (charged === null ? 0 : (parseAmount(charged) ?? NaN)), 0);
  let told = 0;
  for (const [charge, row] of owners) if (row.charged !== null) told += charge.amount;
  return known === told ? [] : [`the ledger knows ${formatAmount(known)}, the book holds ${formatAmount(told)} for it`];
}

/** States in which the ledger itself says that a charge may stand: unknown, lost, or decided by a person. */
function admitsCharge(row: AuditedRow): boolean {
  return (
    row.state === 'unknown' || row.state === 'charged_lost' || (row.state === 'closed' && decisionOf(row) !== undefined)
  );
}

function isAbout(row: AuditedRow, charge: BookCharge): boolean {
  return row.operation === charge.operation && caseOf(row) === charge.subject.cnj;
}

function sharesId(row: AuditedRow, charge: BookCharge): boolean {
  return (
    (row.searchLogId !== null && row.searchLogId === charge.searchLogId) ||
    (row.requestId !== null && row.requestId === charge.requestId)
  );
}

function decisionOf(row: AuditedRow): unknown {
  return row.evidence?.['decision'];
}

function caseOf({ workflowId }: AuditedRow): string {
  return /\d{20}$/.exec(workflowId)?.[0] ?? workflowId;
}

function nameOf(row: AuditedRow): string {
  return `ledger row ${row.intentId} (${row.operation} of ${row.workflowId}, ${row.state})`;
}
