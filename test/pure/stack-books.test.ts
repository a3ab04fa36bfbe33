/** What `assertNothingPaidTwice` says about the books of a stack. */
import type { Charge } from '../../sandbox/index.js';
import type { Amount } from '../../src/contract/index.js';
import type { AuditedRow } from '../../src/testing/index.js';
import { findProblems } from '../../src/testing/stack/find-problems.js';

const amount = (units: number): Amount => units as Amount;

const charge = (n: number, more: Partial<Charge> = {}): Charge => ({
  ...{ n, at: '2026-11-22T12:00:00.000Z', operation: 'requestRefresh', account: 'sandbox', keyHash: 'k' },
  ...{ subject: { cnj: '10000015120268260100' }, about: 'same', reason: 'answer', amount: amount(1_000) },
  ...{ balanceAfter: amount(0), requestId: `request-${n}`, metaRequestId: `meta-${n}`, searchLogId: `search-${n}` },
  ...{ bodySha256: 'hash', connection: n, flushed: 'all', ...more },
});

const row = (n: number, more: Partial<AuditedRow> = {}): AuditedRow => ({
  ...{ intentId: `intent-${n}`, workflowId: 'mine', firstRunId: `run-${n}`, step: 'requestRefresh' },
  ...{ operation: 'requestRefresh', state: 'done', joined: null, reserved: '0.1', charged: '0.1' },
  ...{ requestId: `request-${n}`, searchLogId: `search-${n}`, bodySha256: 'hash', evidence: null, ...more },
});

describe('the books of a stack', () => {
  it('agree when every charge has its row', () => {
    const books = { rows: [row(1), row(2)], charges: [charge(1), charge(2)], requests: [] };
    expect(findProblems(books)).toBeUndefined();
  });

  it('tell a charge that no flow asked for', () => {
    expect(findProblems({ rows: [row(1)], charges: [charge(1), charge(2)], requests: [] })).toBe(
      [
        'tramita: the books do not agree, or something was paid twice (2 charges of the service, 1 row of the ledger):',
        '  - charge without a row: charge 2 (requestRefresh) is in no ledger row',
        '  - paid twice: requestRefresh was paid 2 times, allowed 1',
      ].join('\n'),
    );
  });

  it('tell the same call paid by two runs, where it may be paid once', () => {
    const books = { rows: [row(1), row(2)], charges: [charge(1), charge(2)], requests: [] };
    expect(findProblems(books, { sameCall: 'once' })).toMatch(
      /^ {2}- the same call paid again: requestRefresh of 10000015120268260100, charges 1, 2$/m,
    );
    const another = charge(2, { about: 'another', subject: { cnj: '' } });
    expect(findProblems({ ...books, charges: [charge(1), another] }, { sameCall: 'once' })).toBeUndefined();
  });

  it('do not call another month of a monitor a call', () => {
    const monthly = [charge(2, { reason: 'recurring' }), charge(3, { reason: 'recurring' })];
    expect(findProblems({ rows: [row(1)], charges: [charge(1), ...monthly], requests: [] }, { sameCall: 'once' })).toBe(
      undefined,
    );
  });
});
