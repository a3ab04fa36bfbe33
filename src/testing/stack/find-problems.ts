/** Compares the ledger with the charge book of a stack; the problems as one text. Pure. */
import type { Charge, ReceivedRequest } from '../../../sandbox/index.js';
import { alteredOf } from '../audit/altered.js';
import { auditBooks } from '../audit/audit-books.js';
import type { AuditedRow } from '../audit/books.js';
import { groupBy } from '../audit/group-by.js';
import type { NothingPaidTwice } from './types.js';

export interface StackBooks {
  readonly rows: readonly AuditedRow[];
  readonly charges: readonly Charge[];
  readonly requests: readonly ReceivedRequest[];
}

/** Undefined: the books agree. */
export function findProblems(
  { rows, charges, requests }: StackBooks,
  { sameCall = 'as-asked' }: NothingPaidTwice = {},
): string | undefined {
  const found = auditBooks({
    ledger: rows,
    book: charges,
    requests,
    altered: alteredOf(charges, requests),
    // Ids of workflows may be of the user's choosing, so a call is found by the ids of its charge.
    subjectOf: { row: () => '', charge: () => '' },
  }).map(({ kind, text }) => `${kind}: ${text.replace(/ +(?=[ )])/g, '')}`);
  const problems = [...new Set([...found, ...(sameCall === 'once' ? findRepeated(charges) : [])])];
  if (problems.length === 0) return undefined;
  const paid = `${counted(charges.length, 'charge')} of the service, ${counted(rows.length, 'row')} of the ledger`;
  return `tramita: the books do not agree, or something was paid twice (${paid}):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`;
}

/** A recurring charge of a monitor is no call. */
function findRepeated(charges: readonly Charge[]): string[] {
  const calls = charges.filter(({ reason }) => reason !== 'recurring');
  return [...groupBy(calls, ({ operation, about }) => `${operation} ${about}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || same.length < 2) return [];
    const { operation, subject } = first;
    const what = subject.cnj === '' ? operation : `${operation} of ${subject.cnj}`;
    return [`the same call paid again: ${what}, charges ${same.map(({ n }) => n).join(', ')}`];
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
