/** Spend caps, the balance floor and the expected price of a call. No database is needed. */
import { expectedPrice, operationOf, statedPrice, type Amount } from '../../src/contract/index.js';
import { decideBudget, limitsOf, roomFor, type Limits } from '../../src/ledger/decide-budget.js';
import type { Figures } from '../../src/ledger/look-up.js';
import { amount } from '../support/kept-intent.js';

const NONE: Limits = { flow: undefined, day: undefined, floor: undefined, shared: undefined };
const FIGURES: Figures = {
  flowSpent: amount(10),
  sharedSpent: amount(20),
  daySpent: amount(30),
  lastBalance: amount(100),
  held: amount(40),
};
const decide = (price: number, limits: Partial<Record<keyof Limits, number>>, figures: Partial<Figures> = {}) =>
  decideBudget(amount(price), { ...NONE, ...(limits as Partial<Limits>) }, { ...FIGURES, ...figures });

describe('the limits of a call', () => {
  const settings = (own: object) => ({ accounts: { default: own }, prices: { default: amount(1) } });
  const call = (change: object = {}) => ({ account: 'default', ...change });

  test('are undefined if none is configured', () => {
    expect(limitsOf({ accounts: {}, prices: { default: amount(1) } }, call())).toEqual(NONE);
    expect(limitsOf(settings({}), call())).toEqual(NONE);
  });

  test('come from the account and the shared budget', () => {
    const own = { maxSpendPerDay: amount(1), maxSpendPerFlow: amount(2), minBalance: amount(3) };
    const budget = { key: 'k', limit: amount(4) };
    expect(limitsOf(settings(own), call({ budget }))).toEqual({ day: 1, flow: 2, floor: 3, shared: 4 });
  });

  test.each([
    [5, undefined, 5],
    [undefined, 7, 7],
    [5, 7, 5],
    [7, 5, 5],
  ])(
    'cap a flow with its own maxSpend %p and the account’s maxSpendPerFlow %p at %d',
    (maxSpend, maxSpendPerFlow, flow) => {
      const own = maxSpendPerFlow === undefined ? {} : { maxSpendPerFlow: amount(maxSpendPerFlow) };
      expect(limitsOf(settings(own), call(maxSpend === undefined ? {} : { maxSpend: amount(maxSpend) })).flow).toBe(
        flow,
      );
    },
  );
});

describe('the price of a call', () => {
  const prices = (change: Record<string, Amount> = {}) => ({ default: amount(9), ...change });
  const priced = { ...operationOf('requestRefresh'), price: '0.05' };
  const silent = (({ price: _price, ...rest }) => rest)({ ...operationOf('requestRefresh') });

  test('is the configured one, else that of the interface', () => {
    expect(statedPrice(prices({ requestRefresh: amount(7) }), priced)).toBe(7);
    expect(statedPrice(prices(), priced)).toBe(500);
    expect(statedPrice(prices(), silent)).toBeUndefined();
  });

  test('is not taken from a member that every object inherits', () => {
    expect(statedPrice(prices(), { ...silent, id: 'toString' })).toBeUndefined();
  });

  test('is the highest charge seen if none is stated, else the default', () => {
    expect(expectedPrice(prices(), priced, amount(3))).toBe(500);
    expect(expectedPrice(prices(), silent, amount(3))).toBe(3);
    expect(expectedPrice(prices(), silent, null)).toBe(9);
  });

  test('is never zero: a configured zero is ignored', () => {
    expect(expectedPrice(prices({ requestRefresh: amount(0) }), priced, null)).toBe(500);
    expect(expectedPrice(prices({ default: amount(0) }), silent, null)).toBe(1);
  });
});

describe('a cap', () => {
  test.each([
    ['flow', 10],
    ['shared', 20],
    ['day', 30],
  ] as const)(
    'on the %s spend allows a call that just reaches it, and refuses a call that exceeds it',
    (cap, spent) => {
      expect(decide(5, { [cap]: spent + 5 })).toBeUndefined();
      expect(decide(5, { [cap]: spent + 4 })).toEqual({
        kind: 'over budget',
        cap,
        limit: spent + 4,
        needed: spent + 5,
        price: 5,
      });
    },
  );

  test('allows a call exactly when roomFor leaves room for its row', () => {
    for (const limit of [0, 24, 25, 26, 34, 35, 36, 54, 55, 56]) {
      for (const which of ['shared', 'day', 'floor'] as const) {
        const limits = { ...NONE, [which]: amount(limit) };
        const { dayAtMost, sharedAtMost, freeAtLeast } = roomFor(amount(5), limits);
        const { daySpent, sharedSpent, lastBalance, held } = FIGURES;
        const fits =
          daySpent <= (dayAtMost ?? Infinity) &&
          sharedSpent <= (sharedAtMost ?? Infinity) &&
          (lastBalance ?? 0) - held >= (freeAtLeast ?? -Infinity);
        expect([which, limit, fits]).toEqual([which, limit, decide(5, { [which]: limit }) === undefined]);
      }
    }
    expect(roomFor(amount(5), NONE)).toEqual({ dayAtMost: null, sharedAtMost: null, freeAtLeast: null });
  });

  test('that is not set refuses nothing', () => {
    expect(decide(1_000_000, {})).toBeUndefined();
  });

  test('on the balance subtracts the reserved amounts and the price', () => {
    expect(decide(10, { floor: 50 })).toBeUndefined();
    expect(decide(11, { floor: 50 })).toEqual({
      kind: 'over budget',
      cap: 'balance',
      limit: 50,
      needed: 101,
      price: 11,
      balance: 100,
    });
  });

  test('on the balance refuses nothing while no balance is known', () => {
    expect(decide(1_000, { floor: 50 }, { lastBalance: null })).toBeUndefined();
  });

  test('of the flow is reported before the shared one, then the day, then the balance', () => {
    const all = { flow: 0, shared: 0, day: 0, floor: 1_000 };
    expect(decide(1, all)?.cap).toBe('flow');
    expect(decide(1, { ...all, flow: 99 })?.cap).toBe('shared');
    expect(decide(1, { ...all, flow: 99, shared: 99 })?.cap).toBe('day');
    expect(decide(1, { ...all, flow: 99, shared: 99, day: 99 })?.cap).toBe('balance');
  });
});
