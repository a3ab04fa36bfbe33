/** Lists of any length: the arguments of a function go onto the stack, which has room for some 120,000. */
import { formatTable } from '../../src/cli/output/output.js';
import { readSearch, ZERO_AMOUNT, type Amount } from '../../src/contract/index.js';
import { NO_LIMITS } from '../../src/ledger/index.js';
import type { Line } from '../../src/planning/line.js';
import { sumUp } from '../../src/planning/sum-up.js';

const MANY = 200_000;

it('prints a table of 200,000 rows', () => {
  const table = formatTable(
    ['N'],
    Array.from({ length: MANY }, (_, row) => [String(row)]),
  ).split('\n');
  expect(table).toHaveLength(MANY + 2);
  expect(table[1]).toBe('------');
});

it('plans 200,000 flows whose cost a cap stops', () => {
  const line: Line = {
    operation: 'getCase',
    state: 'maybe',
    least: 0,
    most: 1,
    price: 3 as Amount,
    reserved: 2 as Amount,
    isBound: false,
  };
  const figures = { sharedSpent: ZERO_AMOUNT, daySpent: ZERO_AMOUNT, lastBalance: null, held: ZERO_AMOUNT };
  const flows = Array.from({ length: MANY }, () => [line]);
  const { cost } = sumUp(flows, { ...NO_LIMITS, shared: 1 as Amount }, figures);
  // Each flow may exceed the cap once, by what the call costs above its reserve.
  expect(cost).toEqual({ kind: 'at most', amount: '20.0001' });
});

it('reads a record of 200,000 members', () => {
  const record = Object.fromEntries(Array.from({ length: MANY }, (_, member) => [`m${member}`, 1]));
  expect(readSearch({ data: { items: [record] } })?.records[0]?.drift).toHaveLength(MANY);
});
