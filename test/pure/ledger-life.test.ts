/** Whether the database may have lost rows. No database is needed. */
import { decideLife, holdOfLife, type LedgerLife } from '../../src/ledger/life/decide-life.js';

const LIFE: LedgerLife = { epoch: 'one', isSameServer: true, hasWitness: true, begunAtMs: 1_000, heldSinceMs: null };

test('a database in the same life holds no calls, also for a worker without a journal', () => {
  expect(decideLife(LIFE, 'one')).toEqual({ kind: 'same' });
  expect(decideLife(LIFE, undefined)).toEqual({ kind: 'same' });
  expect(holdOfLife(LIFE, 'one', 9_000)).toBeUndefined();
});

test.each([
  ['whose record is gone', { epoch: null }, 'the record that identifies it is gone'],
  ['on another server', { isSameServer: false }, 'it was restored, failed over or moved'],
  ['with another epoch', { epoch: 'two' }, 'it is another database, or rows were deleted'],
  ['that lacks a committed call', { hasWitness: false }, 'a committed call is missing'],
])('a database %s holds all calls from now on, even if calls were held before', (_which, change, because) => {
  const life = { ...LIFE, ...change, heldSinceMs: 2_000 };
  expect(decideLife(life, 'one')).toEqual({ kind: 'changed', because });
  expect(holdOfLife(life, 'one', 9_000)).toEqual({ because: 'ledger', sinceMs: 9_000 });
});

test('a database whose journals are being heard holds calls since the hearing began', () => {
  const life = { ...LIFE, heldSinceMs: 2_000 };
  expect(decideLife(life, 'one')).toEqual({ kind: 'held', sinceMs: 2_000 });
  expect(holdOfLife(life, 'one', 9_000)).toEqual({ because: 'ledger', sinceMs: 2_000 });
});
