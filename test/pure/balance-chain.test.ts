/** The balance chain: what our charges explain is no drift, however calls overlap; what they do not explain is reported as drift. */
import fc from 'fast-check';
import { startBalanceChain, type ChainReport, type ChainRow } from '../../src/ledger/balance-chain.js';
import type { Amount } from '../../src/contract/index.js';

const amount = (units: number): Amount => units as Amount;
const PRICE = 500;

function chainOf(rows: readonly Partial<ChainRow>[]): ChainReport {
  const chain = startBalanceChain();
  rows
    .map((row, index): ChainRow => {
      const openedAtMs = row.openedAtMs ?? index * 1_000;
      return {
        intentId: `row ${index}`,
        openedAtMs,
        endedAtMs: openedAtMs + 100,
        charged: amount(PRICE),
        reserved: amount(0),
        balance: null,
        ...row,
      };
    })
    .sort((left, right) => left.openedAtMs - right.openedAtMs)
    .forEach((row) => chain.add(row));
  return chain.end();
}

const reading = (units: number): Pick<ChainRow, 'balance'> => ({ balance: amount(units) });

test('charges that explain the balances are no drift, even if an answer had no balance', () => {
  const report = chainOf([reading(10_000), reading(9_500), {}, reading(8_500)]);
  expect(report).toMatchObject({ readings: 3, firstBalance: 10_000, lastBalance: 8_500, charged: 2_000 });
  expect([report.down, report.up, report.drifts]).toEqual([0, 0, []]);
});

test('a balance includes the charge of its own call, even if the call ended in its first millisecond', () => {
  const atOnce = { openedAtMs: 1_000, endedAtMs: 1_000 };
  expect(chainOf([reading(10_000), { ...reading(9_500), ...atOnce }]).drifts).toEqual([]);
});

test('spending by others is downward drift and a top-up is upward drift, each with its place', () => {
  const report = chainOf([reading(10_000), reading(9_200), reading(8_700), reading(18_200)]);
  expect([report.down, report.up, report.untold]).toEqual([300, 10_000, 0]);
  expect(report.drifts).toEqual([
    { afterIntentId: 'row 0', intentId: 'row 1', atMs: 1_100, amount: -300 },
    { afterIntentId: 'row 2', intentId: 'row 3', atMs: 3_100, amount: 10_000 },
  ]);
});

test('an unknown charge explains any amount up to its reserve', () => {
  const unknown = { charged: null, reserved: amount(PRICE), endedAtMs: null };
  expect(chainOf([reading(10_000), unknown, reading(9_500)]).drifts).toEqual([]);
  expect(chainOf([reading(10_000), unknown, reading(9_000)]).drifts).toEqual([]);
  expect(chainOf([reading(10_000), unknown, reading(8_999)]).down).toBe(1);
  // The charge may be debited late: the next balance does not show it, the one after it does.
  expect(chainOf([reading(10_000), unknown, reading(9_500), reading(8_500)]).drifts).toEqual([]);
});

test('a paid charge without an amount explains the missing amount around it, whatever its reserve, but no other', () => {
  const withoutAmount = { charged: null, reserved: amount(PRICE), untold: true };
  const report = chainOf([reading(10_000), withoutAmount, reading(8_000), reading(7_500)]);
  expect([report.down, report.untold, report.drifts]).toEqual([0, 1_000, []]);
  expect(chainOf([reading(10_000), withoutAmount, reading(8_000), reading(7_000)])).toMatchObject({ down: 500 });
});

test('the charge of pending work may be debited at any time until its end', () => {
  const pending = { openedAtMs: 1, endedAtMs: 5_000 };
  for (const debitedAtMs of [1_000, 3_000, 4_000]) {
    const balance = (units: number, atMs: number) => reading(units - (atMs >= debitedAtMs ? PRICE : 0));
    const report = chainOf([
      { openedAtMs: 0, endedAtMs: 1, ...reading(10_000) },
      pending,
      { openedAtMs: 2_000, ...balance(9_500, 2_000) },
      { openedAtMs: 4_500, ...balance(9_000, 4_500) },
      { openedAtMs: 6_000, ...reading(8_000) },
    ]);
    expect(report.drifts).toEqual([]);
  }
});

describe('between two balances', () => {
  const FIRST = { openedAtMs: 0, endedAtMs: 100, ...reading(10_000) };
  const LAST = { openedAtMs: 300, endedAtMs: 400 };

  test.each([
    ['with a gap on both sides', { openedAtMs: 150, endedAtMs: 250 }],
    ['from the moment of the first balance', { openedAtMs: 100, endedAtMs: 250 }],
    ['until the moment of the second balance', { openedAtMs: 150, endedAtMs: 300 }],
  ])('a charge %s has to be missing, or it was refunded', (_when, between) => {
    expect(chainOf([FIRST, between, { ...LAST, ...reading(9_000) }])).toMatchObject({ up: 0, down: 0 });
    expect(chainOf([FIRST, between, { ...LAST, ...reading(9_500) }])).toMatchObject({ up: PRICE, down: 0 });
  });

  test.each([
    ['that is not debited yet', { openedAtMs: 150, endedAtMs: null }],
    ['of an unknown amount', { charged: null, reserved: amount(PRICE), openedAtMs: 150, endedAtMs: 250 }],
  ])('a charge %s may be missing or not', (_what, between) => {
    expect(chainOf([FIRST, between, { ...LAST, ...reading(9_500) }]).drifts).toEqual([]);
    expect(chainOf([FIRST, between, { ...LAST, ...reading(9_000) }]).drifts).toEqual([]);
  });

  test('a charge is counted once, and hides no missing amount after the next balance', () => {
    const between = { openedAtMs: 100, endedAtMs: 300 };
    const after = { openedAtMs: 500, endedAtMs: 600 };
    const report = chainOf([FIRST, between, { ...LAST, ...reading(9_000) }, { ...after, ...reading(8_000) }]);
    expect([report.readings, report.down, report.up]).toEqual([3, PRICE, 0]);
  });

  test('calls that follow each other without a gap all count as readings', () => {
    const report = chainOf([
      FIRST,
      { openedAtMs: 100, endedAtMs: 300, ...reading(9_200) },
      { ...LAST, ...reading(8_700) },
    ]);
    expect([report.readings, report.lastBalance, report.down]).toEqual([3, 8_700, 300]);
  });

  test.each([
    ['a short call inside a long one', { openedAtMs: 200, endedAtMs: 1_000 }, { openedAtMs: 300, endedAtMs: 400 }],
    ['a long call after a short one', { openedAtMs: 200, endedAtMs: 400 }, { openedAtMs: 300, endedAtMs: 1_000 }],
  ])('of overlapping calls the balance that was read first counts: %s', (_which, first, second) => {
    const last = { openedAtMs: 500, endedAtMs: 600, ...reading(8_000) };
    const report = chainOf([FIRST, { ...first, ...reading(9_500) }, { ...second, ...reading(9_000) }, last]);
    expect([report.readings, report.lastBalance]).toEqual([3, 8_000]);
  });

  test('a call that began when the second balance was read explains nothing', () => {
    const instant = { openedAtMs: 100, endedAtMs: 100, charged: amount(0), ...reading(9_500) };
    const first = { openedAtMs: 0, endedAtMs: 1, ...reading(10_000) };
    for (const figure of [{}, { charged: null, untold: true }]) {
      const begun = { openedAtMs: 100, endedAtMs: 200, ...figure };
      expect(chainOf([first, begun, instant])).toMatchObject({ down: PRICE, untold: 0 });
    }
  });
});

test('a chain with many drifts keeps the newest twenty, and sums all', () => {
  const report = chainOf(Array.from({ length: 31 }, (_, index) => reading(100_000 - index * (PRICE + 1))));
  expect(report).toMatchObject({ readings: 31, down: 30 });
  expect(report.drifts).toHaveLength(20);
  expect([report.drifts[0]?.intentId, report.drifts.at(-1)?.intentId]).toEqual(['row 11', 'row 30']);
});

test('a chain with fewer than two balances shows no drift', () => {
  expect(chainOf([])).toMatchObject({ readings: 0, firstBalance: null, lastBalance: null, drifts: [] });
  expect(chainOf([{}, reading(9_000)])).toMatchObject({ readings: 1, lastBalance: 9_000, drifts: [] });
});

test('overlapping calls, debited in any order, are never drift', () => {
  fc.assert(
    fc.property(overlapping, (calls) => {
      expect(chainOf(rowsOf(calls)).drifts).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('an amount that is missing between two quiet moments is found, however calls overlapped', () => {
  fc.assert(
    fc.property(overlapping, fc.integer({ min: 1, max: 50 }), (calls, stolen) => {
      const left = START - calls.reduce((sum, { price }) => sum + price, 0);
      const quiet = { charged: amount(0), endedAtMs: -5 };
      const report = chainOf([
        { openedAtMs: -10, ...quiet, ...reading(START) },
        // Only the two quiet readings have a balance, so no reading in between hides the missing amount.
        ...rowsOf(calls).map((row) => ({ ...row, balance: null })),
        { openedAtMs: 100, charged: amount(0), endedAtMs: 101, ...reading(left - stolen) },
      ]);
      expect([report.down, report.up]).toEqual([stolen, 0]);
    }),
    { numRuns: 500 },
  );
});

const START = 1_000;
interface Call {
  readonly at: number;
  readonly lasts: number;
  readonly debit: number;
  readonly price: number;
}
const overlapping: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({ at: fc.nat(50), lasts: fc.integer({ min: 1, max: 20 }), debit: fc.nat(100), price: fc.nat(9) }),
  { minLength: 1, maxLength: 12 },
);

/** Each call is debited at a moment within the call, and reports the balance of that moment. */
function rowsOf(calls: readonly Call[]): Partial<ChainRow>[] {
  const order = [...calls.entries()].sort(
    ([left, one], [right, other]) =>
      one.at + (one.debit % one.lasts) - other.at - (other.debit % other.lasts) || left - right,
  );
  let left = START;
  const balances = new Map(order.map(([index, { price }]) => [index, (left -= price)]));
  return calls.map(({ at, lasts, price }, index) => ({
    openedAtMs: at,
    endedAtMs: at + lasts,
    charged: amount(price),
    ...reading(balances.get(index) ?? 0),
  }));
}
