/**
 * The auditor of a soak: ledger beside charge book, call by call. Every call has arguments of its own, so the rules are short:
 * charged at most once; what ended well was charged as the ledger says; what the ledger calls not sent reached nobody; every
 * charge is known, or stands as unknown, lost or decided. Pure.
 */
import type { LedgerRow } from '../src/ledger/index.js';
import type { Charge, ReceivedRequest } from '../sandbox/index.js';
import { chargesOf } from './person.js';
import type { EndedCall } from './types.js';

export interface SoakBooks {
  readonly ended: readonly EndedCall[];
  readonly ledger: readonly LedgerRow[];
  readonly book: readonly Charge[];
  readonly requests: readonly ReceivedRequest[];
}

export interface Problem {
  readonly kind:
    | 'double charge'
    | 'not sent but reached'
    | 'lost silently'
    | 'not ended'
    | 'left open'
    | 'sum'
    | 'shared connection'
    | 'other answer';
  readonly text: string;
}

export function auditSoak({ ended, ledger, book, requests }: SoakBooks): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (kind: Problem['kind'], text: string): void => void problems.push({ kind, text });
  // F16 changes an answer after its hash was booked; with many calls at once it may meet another call than its own.
  const altered = new Set(requests.filter(({ fault }) => fault === 'F16').map(({ charge }) => charge));
  const rowsOf = new Map<string, LedgerRow[]>();
  for (const row of ledger) rowsOf.set(row.workflowId, [...(rowsOf.get(row.workflowId) ?? []), row]);

  for (const { call, workflowId, end } of ended) {
    const charges = chargesOf(call, { book, requests });
    const rows = (rowsOf.get(workflowId) ?? []).filter(
      (row) => row.operation === call.operation && row.joined === null,
    );
    const name = `${call.operation} of ${workflowId} (${call.fault?.fault ?? 'no fault'})`;
    if (charges.length > 1) add('double charge', `${name} was charged ${charges.length} times`);
    if (end === 'not ended') add('not ended', `${name} has not ended`);
    for (const row of rows.filter(({ state }) => state === 'open'))
      add('left open', `${name}: row ${row.intentId} is open`);
    const silent = rows.length > 0 && rows.every(({ state }) => state === 'not_sent' || state === 'rejected');
    if (charges.length > 0 && rows.length === 0) add('lost silently', `${name} was charged and has no ledger row`);
    if (charges.length > 0 && silent)
      add('not sent but reached', `${name} was charged, the ledger says it was not sent`);
    const done = rows.find(({ state, evidence }) => state === 'done' && evidence?.['proof'] === undefined);
    const [charge] = charges;
    if (done !== undefined && charge === undefined && done.charged !== '0')
      add('lost silently', `${name} is done in the ledger and in no book`);
    if (done !== undefined && charge !== undefined && !altered.has(charge.n) && !isSameAnswer(done, charge)) {
      add('other answer', `${name}: the stored answer is not the one that was sent`);
    }
    // Told amounts must be the book's.
    const told = rows.map(({ charged }) => charged).find((charged) => charged !== null && charged !== '0');
    if (told !== undefined && charge !== undefined && Math.round(Number(told) * 10_000) !== charge.amount) {
      add('sum', `${name}: the ledger says ${told}, the book ${charge.amount / 10_000}`);
    }
  }
  const used = new Set<number>();
  for (const { connection, charge, operation } of requests) {
    if (charge === null || operation === 'getRequest') continue;
    if (used.has(connection)) add('shared connection', `connection ${connection} carried two charged calls`);
    used.add(connection);
  }
  return problems;
}

/** A 202's final is stored by its poll; where only the 202 is known, there is nothing to compare. */
function isSameAnswer(row: LedgerRow, charge: Charge): boolean {
  return charge.bodySha256 === null || row.bodySha256 === null || row.bodySha256 === charge.bodySha256;
}
