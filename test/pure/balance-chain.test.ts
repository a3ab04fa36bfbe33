/** The balance chain: what our charges explain is no drift, in whatever order calls overlap; what they do not explain is told. */
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

const told = (units: number): Pick<ChainRow, 'balance'> => ({ balance: amount(units) });

test('charges that explain the balances are no drift, also where an answer told no balance', () => {
  const report = chainOf([told(10_000), told(9_500), {}, told(8_500)]);
  expect(report).toMatchObject({ readings: 3, firstBalance: 10_000, lastBalance: 8_500, charged: 2_000 });
  expect([report.down, report.up, report.drifts]).toEqual([0, 0, []]);
});

test('a reading counts its own charge, also where it ended in the millisecond in which it was opened', () => {
  const atOnce = { openedAtMs: 1_000, endedAtMs: 1_000 };
  expect(chainOf([told(10_000), { ...told(9_500), ...atOnce }]).drifts).toEqual([]);
});

test('what somebody else spent is drift down, a top-up drift up, each with its place', () => {
  const report = chainOf([told(10_000), told(9_200), told(8_700), told(18_200)]);
  expect([report.down, report.up, report.untold]).toEqual([300, 10_000, 0]);
  expect(report.drifts).toEqual([
    { afterIntentId: 'row 0', intentId: 'row 1', atMs: 1_100, amount: -300 },
    { afterIntentId: 'row 2', intentId: 'row 3', atMs: 3_100, amount: 10_000 },
  ]);
});

test('a charge that nobody knows explains anything up to its reserve', () => {
  const unknown = { charged: null, reserved: amount(PRICE), endedAtMs: null };
  expect(chainOf([told(10_000), unknown, told(9_500)]).drifts).toEqual([]);
  expect(chainOf([told(10_000), unknown, told(9_000)]).drifts).toEqual([]);
  expect(chainOf([told(10_000), unknown, told(8_999)]).down).toBe(1);
  // It may be debited late: the balance in between does not show it, the next one does.
  expect(chainOf([told(10_000), unknown, told(9_500), told(8_500)]).drifts).toEqual([]);
});

test('a charge that was paid and never told is what is missing around it, whatever was reserved; nothing else is', () => {
  const untold = { charged: null, reserved: amount(PRICE), untold: true };
  const report = chainOf([told(10_000), untold, told(8_000), told(7_500)]);
  expect([report.down, report.untold, report.drifts]).toEqual([0, 1_000, []]);
  expect(chainOf([told(10_000), untold, told(8_000), told(7_000)])).toMatchObject({ down: 500 });
});

test('pending work may be debited at any time until its end', () => {
  const pending = { openedAtMs: 1, endedAtMs: 5_000 };
  for (const debitedAtMs of [1_000, 3_000, 4_000]) {
    const balance = (units: number, atMs: number) => told(units - (atMs >= debitedAtMs ? PRICE : 0));
    const report = chainOf([
      { openedAtMs: 0, endedAtMs: 1, ...told(10_000) },
      pending,
      { openedAtMs: 2_000, ...balance(9_500, 2_000) },
      { openedAtMs: 4_500, ...balance(9_000, 4_500) },
      { openedAtMs: 6_000, ...told(8_000) },
    ]);
    expect(report.drifts).toEqual([]);
  }
});

describe('what lies between two balances', () => {
  const FIRST = { openedAtMs: 0, endedAtMs: 100, ...told(10_000) };
  const LAST = { openedAtMs: 300, endedAtMs: 400 };

  test.each([
    ['with a gap on both sides', { openedAtMs: 150, endedAtMs: 250 }],
    ['from the moment of the first', { openedAtMs: 100, endedAtMs: 250 }],
    ['until the moment of the second', { openedAtMs: 150, endedAtMs: 300 }],
  ])('has to be paid from them: a charge %s that is not missing was given back', (_when, between) => {
    expect(chainOf([FIRST, between, { ...LAST, ...told(9_000) }])).toMatchObject({ up: 0, down: 0 });
    expect(chainOf([FIRST, between, { ...LAST, ...told(9_500) }])).toMatchObject({ up: PRICE, down: 0 });
  });

  test.each([
    ['that is not debited yet', { openedAtMs: 150, endedAtMs: null }],
    ['of which nobody knows the figure', { charged: null, reserved: amount(PRICE), openedAtMs: 150, endedAtMs: 250 }],
  ])('may be missing or not where it is a charge %s', (_what, between) => {
    expect(chainOf([FIRST, between, { ...LAST, ...told(9_500) }]).drifts).toEqual([]);
    expect(chainOf([FIRST, between, { ...LAST, ...told(9_000) }]).drifts).toEqual([]);
  });

  test('is spent once: what ended before a reading began hides no theft after it', () => {
    const between = { openedAtMs: 100, endedAtMs: 300 };
    const after = { openedAtMs: 500, endedAtMs: 600 };
    const report = chainOf([FIRST, between, { ...LAST, ...told(9_000) }, { ...after, ...told(8_000) }]);
    expect([report.readings, report.down, report.up]).toEqual([3, PRICE, 0]);
  });

  test('begins and ends with calls that follow each other without a gap', () => {
    const report = chainOf([FIRST, { openedAtMs: 100, endedAtMs: 300, ...told(9_200) }, { ...LAST, ...told(8_700) }]);
    expect([report.readings, report.lastBalance, report.down]).toEqual([3, 8_700, 300]);
  });

  test.each([
    ['a short call inside a long one', { openedAtMs: 200, endedAtMs: 1_000 }, { openedAtMs: 300, endedAtMs: 400 }],
    ['a long call after a short one', { openedAtMs: 200, endedAtMs: 400 }, { openedAtMs: 300, endedAtMs: 1_000 }],
  ])('ends with the balance that was told first, so that a long call hides none: %s', (_which, one, other) => {
    const last = { openedAtMs: 500, endedAtMs: 600, ...told(8_000) };
    const report = chainOf([FIRST, { ...one, ...told(9_500) }, { ...other, ...told(9_000) }, last]);
    expect([report.readings, report.lastBalance]).toEqual([3, 8_000]);
  });

  test('is not a call that began only when the second was told', () => {
    const instant = { openedAtMs: 100, endedAtMs: 100, charged: amount(0), ...told(9_500) };
    const first = { openedAtMs: 0, endedAtMs: 1, ...told(10_000) };
    for (const figure of [{}, { charged: null, untold: true }]) {
      const begun = { openedAtMs: 100, endedAtMs: 200, ...figure };
      expect(chainOf([first, begun, instant])).toMatchObject({ down: PRICE, untold: 0 });
    }
  });
});

test('of many drifts the newest twenty are kept, and all are summed', () => {
  const report = chainOf(Array.from({ length: 31 }, (_, index) => told(100_000 - index * (PRICE + 1))));
  expect(report).toMatchObject({ readings: 31, down: 30 });
  expect(report.drifts).toHaveLength(20);
  expect([report.drifts[0]?.intentId, report.drifts.at(-1)?.intentId]).toEqual(['row 11', 'row 30']);
});

test('a chain without balances, or with one, says nothing', () => {
  expect(chainOf([])).toMatchObject({ readings: 0, firstBalance: null, lastBalance: null, drifts: [] });
  expect(chainOf([{}, told(9_000)])).toMatchObject({ readings: 1, lastBalance: 9_000, drifts: [] });
});

test('calls at the same time, debited in any order, never look like drift', () => {
  fc.assert(
    fc.property(overlapping, (calls) => {
      expect(chainOf(rowsOf(calls)).drifts).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('an amount that is missing between two quiet moments is found, whatever overlapped meanwhile', () => {
  fc.assert(
    fc.property(overlapping, fc.integer({ min: 1, max: 50 }), (calls, stolen) => {
      const left = START - calls.reduce((sum, { price }) => sum + price, 0);
      const quiet = { charged: amount(0), endedAtMs: -5 };
      const report = chainOf([
        { openedAtMs: -10, ...quiet, ...told(START) },
        // Only the quiet readings tell a balance: no reading in between hides what is missing.
        ...rowsOf(calls).map((row) => ({ ...row, balance: null })),
        { openedAtMs: 100, charged: amount(0), endedAtMs: 101, ...told(left - stolen) },
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

/** Each call is debited at some moment of its own, and tells the balance of that moment. */
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
    ...told(balances.get(index) ?? 0),
  }));
}
