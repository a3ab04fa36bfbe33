/** Which charges a person may decide about, for a row in hand. */
import { DAY_MS } from '../../src/contract/index.js';
import { isAdopted, isOverdue, isProvenPaid, isUndecided } from '../../src/ledger/undecided.js';
import { amount } from '../support/kept-intent.js';

test('unknown is undecided, also after a decision; paid and lost only without one; nothing else is', () => {
  expect(isUndecided({ state: 'unknown', evidence: null })).toBe(true);
  expect(isUndecided({ state: 'unknown', evidence: { decision: 'charged' } })).toBe(true);
  expect(isUndecided({ state: 'charged_lost', evidence: null })).toBe(true);
  expect(isUndecided({ state: 'charged_lost', evidence: { decision: 'charged' } })).toBe(false);
  expect(isUndecided({ state: 'pending', evidence: null })).toBe(false);
});

test.each([
  ['evidence has adopted', { adopted: 'status' }, true],
  ['a person has called charged', { decision: 'charged' }, true],
  ['the balance has proven', { proof: 'balance' }, true],
  ['another proof is kept for', { proof: 'listing' }, false],
  ['a person has called unpaid', { proof: 'balance', decision: 'not-charged' }, false],
  ['its own 202 has accepted', null, false],
])('pending work that %s', (_who, evidence, adopted) => {
  expect(isAdopted({ state: 'pending', evidence })).toBe(adopted);
  expect(isAdopted({ state: 'done', evidence })).toBe(false);
});

test('a charge is proven only by the balance, with a figure, and without a word against it', () => {
  const proof = { proof: 'balance' };
  expect(isProvenPaid({ evidence: proof, charged: amount(1) })).toBe(true);
  expect(isProvenPaid({ evidence: proof, charged: amount(0) })).toBe(false);
  expect(isProvenPaid({ evidence: proof, charged: null })).toBe(false);
  expect(isProvenPaid({ evidence: { proof: 'listing' }, charged: amount(1) })).toBe(false);
  expect(isProvenPaid({ evidence: { ...proof, decision: 'not-charged' }, charged: amount(1) })).toBe(false);
  expect(isProvenPaid({ evidence: null, charged: amount(1) })).toBe(false);
});

test.each([
  ['31 days', {}, 31 * DAY_MS, true],
  ['a little less', {}, 31 * DAY_MS - 1, false],
  ['31 days, of which a charge was told', { charged: amount(1) }, 31 * DAY_MS, false],
  ['31 days, for which nothing is reserved', { reserved: amount(0) }, 31 * DAY_MS, false],
  ['31 days, and whose end is known', { state: 'done' as const }, 31 * DAY_MS, false],
])('work that has been pending for %s', (_how, changes, ageMs, overdue) => {
  const row = { state: 'pending' as const, reserved: amount(5_000), charged: null, openedAtMs: 0, ...changes };
  expect(isOverdue(row, ageMs)).toBe(overdue);
});
