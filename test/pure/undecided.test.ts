/** Which rows wait for a person's decision. */
import { DAY_MS } from '../../src/contract/index.js';
import { isAdopted, isOverdue, isProvenPaid, isUndecided } from '../../src/ledger/undecided.js';
import { amount } from '../support/kept-intent.js';

test('isUndecided is true for unknown rows, and for charged_lost rows without a decision', () => {
  expect(isUndecided({ state: 'unknown', evidence: null })).toBe(true);
  expect(isUndecided({ state: 'unknown', evidence: { decision: 'charged' } })).toBe(true);
  expect(isUndecided({ state: 'charged_lost', evidence: null })).toBe(true);
  expect(isUndecided({ state: 'charged_lost', evidence: { decision: 'charged' } })).toBe(false);
  expect(isUndecided({ state: 'pending', evidence: null })).toBe(false);
});

test.each([
  ['was adopted by evidence', { adopted: 'status' }, true],
  ['a person has decided as charged', { decision: 'charged' }, true],
  ['the balance has proved', { proof: 'balance' }, true],
  ['has another proof', { proof: 'listing' }, false],
  ['a person has decided as not charged', { proof: 'balance', decision: 'not-charged' }, false],
  ['was accepted by its own 202', null, false],
])('isAdopted tells whether pending work was adopted: work that %s', (_who, evidence, adopted) => {
  expect(isAdopted({ state: 'pending', evidence })).toBe(adopted);
  expect(isAdopted({ state: 'done', evidence })).toBe(false);
});

test('isProvenPaid needs the proof of the balance, a positive charge, and no decision against it', () => {
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
  ['a millisecond less', {}, 31 * DAY_MS - 1, false],
  ['31 days with a known charge', { charged: amount(1) }, 31 * DAY_MS, false],
  ['31 days without a reserve', { reserved: amount(0) }, 31 * DAY_MS, false],
  ['31 days but is done', { state: 'done' as const }, 31 * DAY_MS, false],
])('isOverdue judges work that has been pending for %s', (_how, changes, ageMs, overdue) => {
  const row = { state: 'pending' as const, reserved: amount(5_000), charged: null, openedAtMs: 0, ...changes };
  expect(isOverdue(row, ageMs)).toBe(overdue);
});
