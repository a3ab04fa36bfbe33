/**
 * The charge auditor: compares our ledger with the service's own charge book at the end of a test. Pure. Every charge must belong
 * to one ledger row, every logical operation pays at most once, and the figures of the ledger must equal those of the book. A
 * row that joined another one is no call of its own. A recurring charge of a monitor is no call at all.
 */
import { formatAmount, parseAmount } from '../../contract/index.js';
import { auditRequests } from './audit-requests.js';
import type { AuditedRow, BookCharge, Books, Finding, FindingKind } from './books.js';
import { groupBy } from './group-by.js';

/** Compares the ledger with the service's charge book: what is wrong, one sentence each; empty when they agree. */
export function auditCharges(books: Books): readonly string[] {
  return [...new Set(auditBooks(books).map(({ text }) => text))];
}

/** Like {@link auditCharges}, but each problem comes with its kind. */
export function auditBooks(books: Books): Finding[] {
  const { subjectOf = BY_CASE, decisionsAreTrue = false } = books;
  const rows = books.ledger.filter(({ joined }) => joined === null);
  const audit: Audit = {
    rows,
    book: books.book.filter(({ reason }) => reason !== 'recurring'),
    altered: books.altered ?? new Set(),
    rowKey: (row) => `${row.operation} ${subjectOf.row(row)}`,
    chargeKey: (charge) => `${charge.operation} ${subjectOf.charge(charge)}`,
    admits: (row) => admitsCharge(row, decisionsAreTrue),
    owners: new Map(),
  };
  return [
    ...auditRows(audit),
    ...auditUnowned(audit),
    ...auditRepeats(audit, { asked: books.asked, decisionsAreTrue }),
    ...auditSums(audit),
    ...auditRequests(rows, books),
  ];
}

const BY_CASE: NonNullable<Books['subjectOf']> = {
  row: ({ workflowId }) => /\d{20}$/.exec(workflowId)?.[0] ?? workflowId,
  charge: ({ subject, about }) => (subject.cnj === '' && about !== undefined ? about : subject.cnj),
};

interface Audit {
  readonly rows: readonly AuditedRow[];
  readonly book: readonly BookCharge[];
  readonly altered: ReadonlySet<number>;
  readonly rowKey: (row: AuditedRow) => string;
  readonly chargeKey: (charge: BookCharge) => string;
  readonly admits: (row: AuditedRow) => boolean;
  /** Which row each charge belongs to; filled on the way. */
  readonly owners: Map<BookCharge, AuditedRow>;
}

/** Finds the charge that each row names, and checks whether it agrees with the state of the row. */
function auditRows({ rows, book, altered, rowKey, chargeKey, admits, owners }: Audit): Finding[] {
  const bySearch = groupBy(book, ({ searchLogId }) => searchLogId);
  const byRequest = groupBy(book, ({ requestId }) => requestId);
  return rows.flatMap((row) => {
    const ids = [...(bySearch.get(row.searchLogId ?? '') ?? []), ...(byRequest.get(row.requestId ?? '') ?? [])];
    const named = [...new Set(ids)].filter((charge) => rowKey(row) === chargeKey(charge));
    const findings: Finding[] = [];
    for (const charge of named) {
      const owner = owners.get(charge);
      if (owner !== undefined) {
        findings.push(finding('denied charge', `charge ${charge.n} is named by ${owner.intentId} and ${row.intentId}`));
      }
      owners.set(charge, row);
    }
    return [...findings, ...auditRow(row, named, { admits: admits(row), altered })];
  });
}

function auditRow(
  row: AuditedRow,
  named: readonly BookCharge[],
  { admits, altered }: { readonly admits: boolean; readonly altered: ReadonlySet<number> },
): Finding[] {
  const [charge] = named;
  if (row.state === 'open') return [finding('left open', `${nameOf(row)} was left open`)];
  if (named.length > 1) return [finding('paid twice', `${nameOf(row)} has ${named.length} charges`)];
  if (row.state === 'done' || row.state === 'pending') {
    if (charge !== undefined) return auditFacts(row, charge, altered.has(charge.n));
    // Free evidence shows that a call was made, not what it cost.
    if (knownByEvidence(row)) return [];
    // Some answers of charged operations truly cost nothing. An adopted row has a charge, but names no figures.
    if (costNothing(row) || isAdopted(row)) return [];
    // A DELETE is done by its status, and need not report its cost.
    if (row.charged === null && row.operation === 'deactivateAdminMonitor') return [];
    return [finding('row without a charge', `${nameOf(row)} has no charge in the book`)];
  }
  if (admits || charge === undefined) return [];
  return [finding('denied charge', `${nameOf(row)} was charged (${charge.n})`)];
}

function auditFacts(row: AuditedRow, charge: BookCharge, isAltered: boolean): Finding[] {
  const differs = (what: string, ours: string | null, theirs: string | null): Finding[] =>
    ours === theirs
      ? []
      : [finding('facts differ', `${nameOf(row)}: ${what} is ${ours ?? 'null'}, in the book ${theirs ?? 'null'}`)];
  // The file of an edition reports no charge, and its price is booked only if the file arrived.
  // A 202 may leave the figure to its final answer; evidence shows what exists, not what it cost.
  const silentLoss = row.state === 'charged_lost' && row.operation === 'getElectoralEditionPdf';
  const isUnreported = row.charged === null && (row.state === 'pending' || isAdopted(row) || silentLoss);
  const isListed = row.evidence?.['proof'] === 'listing';
  // If the final answer was unusable, the status of the case decided the end, and the row keeps its 202.
  const keepsIts202 = row.httpStatus === 202;
  const hasFinal = !keepsIts202 && !(isAdopted(row) && row.bodySha256 === null);
  const answered = row.state === 'done' && !isListed && !isAltered && hasFinal;
  return [
    ...(isUnreported ? [] : differs('charged', row.charged, formatAmount(charge.amount))),
    ...differs('request id', row.requestId, charge.requestId),
    ...(answered ? differs('hash of the answer', row.bodySha256, charge.bodySha256) : []),
  ];
}

/** A charge that no row names must belong to a call whose outcome is unknown: one charge each. */
function auditUnowned({ rows, book, rowKey, chargeKey, admits, owners }: Audit): Finding[] {
  const taken = new Set(owners.values());
  const byKey = groupBy(rows, rowKey);
  const unowned = book.flatMap((charge) => {
    if (owners.has(charge)) return [];
    const own = byKey.get(chargeKey(charge)) ?? [];
    const row = own.find((each) => (admits(each) || isAdopted(each)) && !taken.has(each));
    if (row !== undefined) {
      taken.add(row);
      owners.set(charge, row);
      return [];
    }
    const denied = own.find((each) => !taken.has(each));
    const text = `charge ${charge.n} (${chargeKey(charge)}) is in no ledger row`;
    return denied === undefined
      ? [finding('charge without a row', text)]
      : [finding('denied charge', `${text}: ${nameOf(denied)} says that nothing was paid`)];
  });
  // A monitor that is as asked for is no proof of a charge, because the service changes it free of charge.
  const wrong = rows.filter(
    (row) => isAdopted(row) && !costNothing(row) && row.operation !== 'updateNoticeMonitor' && !taken.has(row),
  );
  return [
    ...unowned,
    ...wrong.map((row) =>
      finding('row without a charge', `${nameOf(row)} was adopted by evidence, the book has no charge`),
    ),
  ];
}

/** Charges per logical operation ≤ what was asked for. */
function auditRepeats(
  { rows, book, rowKey, chargeKey }: Audit,
  { asked, decisionsAreTrue }: { readonly asked: Books['asked'] | undefined; readonly decisionsAreTrue: boolean },
): Finding[] {
  const byKey = groupBy(rows, rowKey);
  return [...groupBy(book, chargeKey)].flatMap(([key, charges]) => {
    const own = byKey.get(key) ?? [];
    const steps = new Set(own.map(({ workflowId, firstRunId, step }) => `${workflowId} ${firstRunId} ${step}`));
    const repeatable = own.filter((row) => decisionOf(row) === 'repeat').length;
    const mistaken = own.filter((row) => decisionOf(row) === 'not-charged' && !byEvidence(row)).length;
    const again = repeatable + (decisionsAreTrue ? 0 : mistaken);
    const allowed = asked === undefined ? steps.size + again : (asked.get(key) ?? 1);
    if (charges.length <= allowed) return [];
    const text = `${key} was paid ${charges.length} times, allowed ${allowed}`;
    return [{ kind: 'paid twice', text, call: key, surplus: charges.length - allowed }];
  });
}

function auditSums({ rows, owners }: Audit): Finding[] {
  const known = rows.reduce((sum, { charged }) => sum + (charged === null ? 0 : (parseAmount(charged) ?? NaN)), 0);
  let booked = 0;
  for (const [charge, row] of owners) if (row.charged !== null) booked += charge.amount;
  if (known === booked) return [];
  return [
    finding('sums differ', `the ledger knows ${formatAmount(known)}, the book holds ${formatAmount(booked)} for it`),
  ];
}

/** Whether the ledger itself says that a charge may exist: unknown, lost, or decided by a person. */
function admitsCharge(row: AuditedRow, decisionsAreTrue: boolean): boolean {
  const decision = decisionOf(row);
  const maybePaid = decision === 'abandon' || decision === 'charged' || decision === 'repeat';
  // Decisions by evidence are always true.
  const decided = decisionsAreTrue || byEvidence(row) ? maybePaid : decision !== undefined;
  return (
    row.state === 'unknown' ||
    row.state === 'charged_lost' ||
    (row.state === 'closed' && decided) ||
    ((row.state === 'done' || row.state === 'pending') && knownByEvidence(row))
  );
}

/** True too for a call that is free by its price and whose answer names no cost. */
function costNothing({ charged, reserved }: AuditedRow): boolean {
  return charged === '0' || (charged === null && reserved === '0');
}

function byEvidence(row: AuditedRow): boolean {
  return row.evidence?.['by'] === 'tramita (evidence)';
}

/** Known only by evidence, which does not name the charge and mostly not its figure. */
function knownByEvidence(row: AuditedRow): boolean {
  return byEvidence(row) || row.evidence?.['adopted'] !== undefined;
}

/** Free evidence proved that the call was accepted or made: its charge is certain, the figures may be missing. */
function isAdopted({ state, evidence }: AuditedRow): boolean {
  const proven = evidence?.['proof'] !== undefined || evidence?.['adopted'] !== undefined;
  return proven && (state === 'done' || state === 'pending');
}

function decisionOf(row: AuditedRow): unknown {
  return row.evidence?.['decision'];
}

function nameOf(row: AuditedRow): string {
  return `ledger row ${row.intentId} (${row.operation} of ${row.workflowId}, ${row.state})`;
}

function finding(kind: FindingKind, text: string): Finding {
  return { kind, text };
}
