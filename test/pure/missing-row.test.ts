/** What it proves that a row is missing: only a missing row that cannot have been lost lets a call be sent again. */
import { CLOCK_MARGIN_MS } from '../../src/contract/values/index.js';
import { decideMissingRow, type MissingRow } from '../../src/ledger/decide-missing-row.js';

const BEGUN = 1_000_000;
/** The only case in which nothing stands against "it was never sent". */
const PROVEN: MissingRow = {
  isKnown: false,
  isCopy: false,
  isHeld: false,
  isOverdue: false,
  askedAtMs: BEGUN + CLOCK_MARGIN_MS + 1,
  begunAtMs: BEGUN,
};

test('no row, asked for in the present life of the database, and no journal to hear: nothing was sent', () => {
  expect(decideMissingRow(PROVEN)).toBe('not_sent');
  expect(decideMissingRow({ ...PROVEN, isOverdue: true })).toBe('not_sent');
});

test.each<[string, Partial<MissingRow>]>([
  ['the flow was told of the row: it was there', { isKnown: true }],
  ['it was asked for when this life began, as far as two clocks agree', { askedAtMs: BEGUN + CLOCK_MARGIN_MS }],
  ['it was asked for after that, but within the error of the clocks', { askedAtMs: BEGUN + 1 }],
  ['it was asked for in an earlier life', { askedAtMs: BEGUN - 1 }],
  ['nobody knows when it was asked for, however old the database', { askedAtMs: null, begunAtMs: -Infinity }],
  ['the journals were heard for long enough, and did not bring it', { isHeld: true, isOverdue: true }],
  ['it was there, and the journals did not bring it back', { isKnown: true, isHeld: true, isOverdue: true }],
])('the row may have been lost, and its call paid: %s', (_why, change) => {
  expect(decideMissingRow({ ...PROVEN, ...change })).toBe('lost');
});

test.each<[string, Partial<MissingRow>]>([
  ['nothing else is known', {}],
  ['it was there', { isKnown: true }],
  ['it may be older than this life', { askedAtMs: null }],
  ['both', { isKnown: true, askedAtMs: BEGUN - 1 }],
])('while journals are heard the row may come back: %s', (_what, change) => {
  expect(decideMissingRow({ ...PROVEN, isHeld: true, ...change })).toBe('wait');
});

test('a copy of another flow’s call never sent anything, whatever became of its row', () => {
  const worst = { isCopy: true, isKnown: true, isHeld: true, askedAtMs: null };
  expect(decideMissingRow({ ...PROVEN, isCopy: true })).toBe('not_sent');
  expect(decideMissingRow({ ...PROVEN, ...worst })).toBe('not_sent');
  expect(decideMissingRow({ ...PROVEN, ...worst, isOverdue: true })).toBe('not_sent');
});
