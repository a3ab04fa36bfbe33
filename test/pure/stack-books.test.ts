/** What `assertNothingPaidTwice` says about the books of a stack. */
import type { Charge, ReceivedRequest } from '../../sandbox/index.js';
import type { Amount } from '../../src/contract/index.js';
import type { AuditedRow } from '../../src/testing/index.js';
import { findProblems } from '../../src/testing/stack/find-problems.js';

const amount = (units: number): Amount => units as Amount;

const charge = (n: number, more: Partial<Charge> = {}): Charge => ({
  n,
  at: '2026-11-22T12:00:00.000Z',
  operation: 'requestRefresh',
  account: 'sandbox',
  keyHash: 'k',
  subject: { cnj: '10000015120268260100' },
  about: 'same',
  reason: 'answer',
  amount: amount(1_000),
  balanceAfter: amount(0),
  requestId: `request-${n}`,
  metaRequestId: `meta-${n}`,
  searchLogId: `search-${n}`,
  bodySha256: 'hash',
  connection: n,
  flushed: 'all',
  ...more,
});

const row = (n: number, more: Partial<AuditedRow> = {}): AuditedRow => ({
  intentId: `intent-${n}`,
  workflowId: 'mine',
  firstRunId: `run-${n}`,
  step: 'requestRefresh',
  operation: 'requestRefresh',
  state: 'done',
  joined: null,
  reserved: '0.1',
  charged: '0.1',
  requestId: `request-${n}`,
  searchLogId: `search-${n}`,
  bodySha256: 'hash',
  evidence: null,
  ...more,
});

const request = (n: number, target: string): ReceivedRequest => ({
  n,
  at: '2026-11-22T12:00:00.000Z',
  origin: 'api',
  operation: 'listLawyerCases',
  method: 'GET',
  target,
  keyHash: 'k',
  connection: n,
  status: 200,
  charge: null,
  fault: null,
  flushed: 'all',
});

describe('the books of a stack', () => {
  it('agree when every charge has its row', () => {
    const books = { rows: [row(1), row(2)], charges: [charge(1), charge(2)], requests: [] };
    expect(findProblems(books)).toBeUndefined();
  });

  it('disagree on a charge that no flow requested', () => {
    expect(findProblems({ rows: [row(1)], charges: [charge(1), charge(2)], requests: [] })).toBe(
      [
        'tramita: the books do not agree, or something was paid twice (2 charges of the service, 1 row of the ledger):',
        '  - charge without a row: charge 2 (requestRefresh) is in no ledger row',
        '  - paid twice: requestRefresh was paid 2 times, allowed 1',
      ].join('\n'),
    );
  });

  it('disagree on an equal call paid by two runs if it may be paid once', () => {
    const books = { rows: [row(1), row(2)], charges: [charge(1), charge(2)], requests: [] };
    expect(findProblems(books, { sameCall: 'once' })).toMatch(
      /^ {2}- the same call paid again: requestRefresh of 10000015120268260100, charges 1, 2$/m,
    );
    const another = charge(2, { about: 'another', subject: { cnj: '' } });
    expect(findProblems({ ...books, charges: [charge(1), another] }, { sameCall: 'once' })).toBeUndefined();
  });

  it('do not count the recurring charge of a monitor as a call', () => {
    const monthly = [charge(2, { reason: 'recurring' }), charge(3, { reason: 'recurring' })];
    expect(findProblems({ rows: [row(1)], charges: [charge(1), ...monthly], requests: [] }, { sameCall: 'once' })).toBe(
      undefined,
    );
  });

  it('agree without rows for the free pages of a list whose first page is charged', () => {
    const list = '/v1/advogados/processos?oab_numero=1&oab_estado=SP';
    const books = {
      rows: [row(1, { operation: 'listLawyerCases', step: 'listLawyerCases/1' })],
      charges: [charge(1, { operation: 'listLawyerCases' })],
      requests: [request(1, list), request(2, `${list}&page=2`), request(3, `${list}&page=3`)],
    };
    expect(findProblems(books)).toBeUndefined();
    expect(findProblems({ ...books, requests: [...books.requests, request(4, `${list}&page=1`)] })).toMatch(
      /reached unsent: listLawyerCases reached the service 2 times, the ledger knows of 1$/,
    );
  });

  it('agree without equal answers if a status poll ended the work and the row keeps its 202', () => {
    const ended = { bodySha256: 'of the 202', evidence: { proof: 'request id', serviceTimeMs: 1 } };
    const books = { charges: [charge(1)], requests: [] };
    expect(findProblems({ ...books, rows: [row(1, { ...ended, httpStatus: 202 })] })).toBeUndefined();
    expect(findProblems({ ...books, rows: [row(1, { ...ended, httpStatus: 200 })] })).toMatch(
      /facts differ: .*: hash of the answer is of the 202, in the book hash$/,
    );
  });
});
