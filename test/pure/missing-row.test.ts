/** What a missing row proves: its call may be sent again only if the row cannot have been lost. */
import { CLOCK_MARGIN_MS } from '../../src/contract/values/index.js';
import { decideMissingRow, type MissingRow } from '../../src/ledger/decide-missing-row.js';

const BEGUN = 1_000_000;
/** The only case that proves that the call was never sent. */
const PROVEN: MissingRow = {
  isKnown: false,
  isCopy: false,
  isHeld: false,
  isOverdue: false,
  askedAtMs: BEGUN + CLOCK_MARGIN_MS + 1,
  begunAtMs: BEGUN,
};

test('a missing row means not_sent if its call began in the present life of the database and no journal is pending', () => {
  expect(decideMissingRow(PROVEN)).toBe('not_sent');
  expect(decideMissingRow({ ...PROVEN, isOverdue: true })).toBe('not_sent');
});

test.each<[string, Partial<MissingRow>]>([
  ['the flow knew the row, so it existed', { isKnown: true }],
  ['its call began with this life, within the margin of the clocks', { askedAtMs: BEGUN + CLOCK_MARGIN_MS }],
  ['its call began after that, but within the margin of the clocks', { askedAtMs: BEGUN + 1 }],
  ['its call began in an earlier life', { askedAtMs: BEGUN - 1 }],
  ['it is unknown when its call began, however old the database is', { askedAtMs: null, begunAtMs: -Infinity }],
  ['the journals did not restore it in time', { isHeld: true, isOverdue: true }],
  ['it existed, and the journals did not restore it in time', { isKnown: true, isHeld: true, isOverdue: true }],
])('a missing row is lost, and its call may be paid, if %s', (_why, change) => {
  expect(decideMissingRow({ ...PROVEN, ...change })).toBe('lost');
});

test.each<[string, Partial<MissingRow>]>([
  ['nothing else is known', {}],
  ['it existed', { isKnown: true }],
  ['it may be older than this life', { askedAtMs: null }],
  ['both are true', { isKnown: true, askedAtMs: BEGUN - 1 }],
])('a missing row is waited for while journals are heard, if %s', (_what, change) => {
  expect(decideMissingRow({ ...PROVEN, isHeld: true, ...change })).toBe('wait');
});

test('a missing copy of another flow’s call means not_sent in every case', () => {
  const worst = { isCopy: true, isKnown: true, isHeld: true, askedAtMs: null };
  expect(decideMissingRow({ ...PROVEN, isCopy: true })).toBe('not_sent');
  expect(decideMissingRow({ ...PROVEN, ...worst })).toBe('not_sent');
  expect(decideMissingRow({ ...PROVEN, ...worst, isOverdue: true })).toBe('not_sent');
});
