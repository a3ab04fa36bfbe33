/** Compares the requests that reached the service with those that the ledger says were sent. Pure. */
import { isCharged, OPERATIONS } from '../../contract/index.js';
import type { AuditedRow, BookRequest, Books, Finding } from './books.js';

export function auditRequests(
  rows: readonly AuditedRow[],
  { requests = [], subjectOf }: Pick<Books, 'requests' | 'subjectOf'>,
): Finding[] {
  return [...findUnsent(rows, requests, subjectOf), ...findShared(requests), ...findLeaks(requests)];
}

const CHARGED = new Map(
  OPERATIONS.filter((operation) => isCharged(operation)).map((operation) => [operation.id as string, operation]),
);

/** A GET is identified by its target. The request log has no bodies, so other calls are only counted by operation. */
function findUnsent(
  rows: readonly AuditedRow[],
  requests: readonly BookRequest[],
  subjectOf: Books['subjectOf'],
): Finding[] {
  const isIdentified = (operation: string): boolean =>
    subjectOf?.request !== undefined && CHARGED.get(operation)?.method === 'GET';
  const reached = new Map<string, number>();
  for (const request of requests) {
    const { operation } = request;
    if (operation === null || !mayBeCharged(operation, request)) continue;
    count(reached, isIdentified(operation) ? `${operation} ${subjectOf?.request?.(request) ?? ''}` : operation);
  }
  const sent = new Map<string, number>();
  for (const row of rows.filter(wasSent)) {
    count(sent, isIdentified(row.operation) ? `${row.operation} ${subjectOf?.row(row) ?? ''}` : row.operation);
  }
  return [...reached].flatMap(([call, times]): Finding[] => {
    const known = sent.get(call) ?? 0;
    if (times <= known) return [];
    const text = `${call} reached the service ${times} times, the ledger knows of ${known}`;
    return [{ kind: 'reached unsent', text }];
  });
}

/** Further pages of a list whose first page is charged are free, and not in the ledger. */
function mayBeCharged(id: string, { target }: BookRequest): boolean {
  const operation = CHARGED.get(id);
  const query = new URLSearchParams(target.split('?')[1]);
  return operation !== undefined && isCharged(operation, Object.fromEntries(query));
}

/** Whether a request may have reached the service. */
function wasSent({ state, evidence }: AuditedRow): boolean {
  return state !== 'not_sent' && evidence?.['closed'] !== 'before it was sent';
}

function findShared(requests: readonly BookRequest[]): Finding[] {
  const used = new Set<number>();
  return requests.flatMap(({ connection, charge, operation }): Finding[] => {
    if (charge === null || operation === 'getRequest') return [];
    const isShared = used.has(connection);
    used.add(connection);
    return isShared
      ? [{ kind: 'shared connection', text: `connection ${connection} carried two charged calls (${operation ?? ''})` }]
      : [];
  });
}

function findLeaks(requests: readonly BookRequest[]): Finding[] {
  return requests
    .filter(({ origin, keyHash }) => origin === 'documents' && keyHash !== null)
    .map(({ target }) => ({ kind: 'key leaked', text: `the key was sent to ${target.split('?')[0] ?? ''}` }));
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
