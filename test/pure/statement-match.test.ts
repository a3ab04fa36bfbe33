/** Matching a statement with the ledger: no proposal is wrong, whatever the file lacks. Doubtful rows are left to a person. */
import fc from 'fast-check';
import type { Amount } from '../../src/contract/index.js';
import type { Verdict } from '../../src/cli/match/judge-call.js';
import { matchStatement, type Match } from '../../src/cli/match/match-statement.js';
import { reportMatch } from '../../src/cli/match/report.js';
import { readStatement, type Statement, type StatementForm } from '../../src/cli/match/statement.js';
import { FORM, makeWorld, randomFrom, statementCsv, type Row, type World } from '../support/statement-world.js';

/** The tests make hundreds of worlds. The timeout catches a hang, not a slow machine. */
jest.setTimeout(120_000);

function read(rows: readonly Row[], form: Partial<StatementForm> = {}, ids = true): Statement {
  return readStatement(statementCsv(rows, { ids }), { ...FORM, ...form });
}

const proposals = ({ verdicts }: Match): readonly Verdict[] => verdicts.filter(({ proposed }) => proposed);

/** The verdicts that contradict the truth: a wrong proposal, or a wrong row named as the charge. */
function wrong(match: Match, { charged }: World, rows: readonly Row[]): readonly Verdict[] {
  return match.verdicts.filter(({ verdict, call, rows: named }) => {
    const { intentId } = call.intent;
    if (verdict === 'ambiguous') return false;
    if (verdict === 'not-charged') return charged.has(intentId);
    return !charged.has(intentId) || named.some(({ line }) => rows[line - 2]?.intentId !== intentId);
  });
}

const BIG = { seed: 7, days: 31, known: 9_800, unknown: 300, foreign: 50, differing: 20 };

test('10,000 rows with 300 unknown charges, 50 foreign rows and 20 other amounts: no proposal is wrong, and doubt is explained', () => {
  const world = makeWorld(BIG);
  expect(world.rows.length).toBeGreaterThanOrEqual(9_950);
  const statement = read(world.rows);
  const match = matchStatement(statement, world.calls, { exclusive: false });
  expect(wrong(match, world, world.rows)).toEqual([]);
  expect(match.verdicts).toHaveLength(300);
  const count = (verdict: string): number => match.verdicts.filter((found) => found.verdict === verdict).length;
  // Half of the calls were not charged. Of the others, three in ten have an id.
  expect(count('not-charged')).toBeGreaterThan(120);
  expect(count('charged')).toBeGreaterThan(30);
  for (const { verdict, rows, why } of match.verdicts) {
    if (verdict === 'ambiguous')
      expect([why, rows.length > 0 || why.includes('no row')]).toEqual([expect.stringMatching(/../), true]);
  }
  expect(new Set(match.differences.map(({ call }) => call.intent.intentId))).toEqual(world.differing);
  const strangers = new Set(world.rows.flatMap((row, at) => (row.intentId === undefined ? [at + 2] : [])));
  expect(match.foreign.filter(({ line }) => !strangers.has(line))).toEqual([]);
  expect(match.foreign.length).toBeGreaterThan(35);
  expect(match.missing).toEqual([]);
  const { lines, json } = reportMatch(match, statement, { sha256: 'x', exclusive: false });
  expect(`${lines.join('\n')}${JSON.stringify(json)}`).not.toMatch(/Maria|Descri|Atualiza/);
});

test('the only possible row is the charge of a call if nobody else spends from the account', () => {
  const world = makeWorld({ ...BIG, known: 2_000, unknown: 60, foreign: 0, differing: 0 });
  const exclusive = matchStatement(read(world.rows), world.calls, { exclusive: true });
  expect(wrong(exclusive, world, world.rows)).toEqual([]);
  const found = (match: Match, why: string) => match.verdicts.filter((verdict) => verdict.why.includes(why)).length;
  expect(found(exclusive, 'the only row that can be this call')).toBeGreaterThan(10);
  const shared = matchStatement(read(world.rows), world.calls, { exclusive: false });
  expect(found(shared, 'the only row that can be this call')).toBe(0);
  expect(found(shared, 'others spend from the account')).toBeGreaterThan(10);
});

test('a statement read in a wrong time zone proves nothing', () => {
  const world = makeWorld({ ...BIG, known: 1_000, unknown: 60 });
  const match = matchStatement(read(world.rows, { timeZone: 'America/Manaus' }), world.calls, { exclusive: true });
  expect(match.problem).toContain('--time-zone');
  expect(match.verdicts.filter(({ verdict }) => verdict === 'not-charged')).toEqual([]);
});

test.each([
  ['unknown', 'debitAt'],
  ['completion', 'end of the work'],
] as const)('a missing row does not prove that a call was not charged if the service debits at %s', (debitAt, why) => {
  const world = makeWorld({ ...BIG, known: 1_000, unknown: 60, debitAt });
  const match = matchStatement(read(world.rows), world.calls, { exclusive: true });
  const late = match.verdicts.filter(({ call }) => call.late !== undefined);
  expect(late.length).toBeGreaterThan(5);
  expect(late.filter(({ verdict }) => verdict === 'not-charged')).toEqual([]);
  expect(late.some((verdict) => verdict.why.includes(why))).toBe(true);
});

test('a missing row does not prove that a call was not charged if the service has reported its charge', () => {
  const undecided = { state: 'unknown', charged: 1_200 as Amount } as const;
  const world = makeWorld({ ...BIG, known: 1_000, unknown: 60, undecided });
  const match = matchStatement(read(world.rows), world.calls, { exclusive: true });
  expect(match.verdicts.filter(({ verdict }) => verdict === 'not-charged')).toEqual([]);
  expect(match.verdicts.some(({ why }) => why.includes('the service has reported a charge'))).toBe(true);
});

describe('pending work with an unknown charge', () => {
  const pending = { ...BIG, known: 1_000, unknown: 60, undecided: { state: 'pending' } } as const;
  const later = Date.parse('2026-06-01T03:00:00Z');

  it('is judged like an unknown charge when it is overdue, and its answer is left to awaitRequest', () => {
    const world = makeWorld({ ...pending, nowMs: later });
    const match = matchStatement(read(world.rows), world.calls, { exclusive: true });
    expect(match.verdicts).toHaveLength(60);
    expect(wrong(match, world, world.rows)).toEqual([]);
    expect(proposals(match).length).toBeGreaterThan(10);
    expect(new Set(proposals(match).map(({ verdict }) => verdict))).toEqual(new Set(['not-charged']));
    for (const { why } of match.verdicts.filter(({ verdict }) => verdict === 'charged')) {
      expect(why).toContain('get its answer with awaitRequest');
    }
    expect(match.verdicts.some(({ verdict }) => verdict === 'charged')).toBe(true);
  });

  it('is not proved unpaid by a missing row if the service debits at completion', () => {
    const world = makeWorld({ ...pending, nowMs: later, debitAt: 'completion' });
    const match = matchStatement(read(world.rows), world.calls, { exclusive: true });
    const late = match.verdicts.filter(({ call }) => call.late !== undefined);
    expect(late.length).toBeGreaterThan(5);
    expect(late.filter(({ verdict }) => verdict === 'not-charged')).toEqual([]);
  });

  it.each([
    ['is still polled', { nowMs: Date.parse('2026-03-31T03:00:00Z') }],
    ['has a known charge', { nowMs: later, undecided: { state: 'pending', charged: 1_200 as Amount } }],
  ] as const)('is not listed if it %s', (_why, other) => {
    const world = makeWorld({ ...pending, ...other });
    expect(matchStatement(read(world.rows), world.calls, { exclusive: true }).verdicts).toEqual([]);
  });

  it('gets no proposal if it was adopted', () => {
    const undecided = { state: 'pending', evidence: { adopted: 'status' } } as const;
    const world = makeWorld({ ...pending, nowMs: later, undecided });
    const match = matchStatement(read(world.rows), world.calls, { exclusive: true });
    expect(match.verdicts).toHaveLength(60);
    expect(proposals(match)).toEqual([]);
  });
});

type Damage = (rows: readonly Row[], random: () => number) => readonly Row[];
const DAMAGES: Readonly<Record<string, Damage>> = {
  none: (rows) => rows,
  'the end is missing': (rows, random) => rows.slice(0, Math.floor(rows.length * (0.3 + 0.6 * random()))),
  'the beginning is missing': (rows, random) => rows.slice(Math.floor(rows.length * 0.6 * random())),
  'hours are missing': (rows, random) => {
    const at = rows[Math.floor(random() * rows.length)]?.atMs ?? 0;
    return rows.filter(({ atMs }) => atMs < at || atMs > at + 8 * 3_600_000);
  },
  'an operation is filtered out': (rows) => rows.filter(({ operation }) => operation !== 'requestRefresh'),
  'rows stand twice': (rows, random) => rows.flatMap((row) => (random() < 0.1 ? [row, row] : [row])),
  'operations have one name': (rows) => rows.map((row) => ({ ...row, label: 'Consulta' })),
  'some rows have no ids': (rows, random) =>
    rows.map((row) => (random() < 0.2 ? { ...row, logId: '', requestId: '' } : row)),
  'only request ids': (rows) => rows.map((row) => ({ ...row, logId: '' })),
};

test.each(Object.entries(DAMAGES))('no proposal is wrong in small worlds with the damage "%s"', (_name, damage) => {
  let made = 0;
  fc.assert(
    fc.property(fc.integer(), fc.boolean(), fc.integer({ min: 0, max: 8 }), (seed, exclusive, strangers) => {
      const foreign = exclusive ? 0 : strangers;
      const world = makeWorld({ seed, days: 3, known: 250, unknown: 40, foreign, differing: 2 });
      const rows = damage(world.rows, randomFrom(seed + 1));
      const statement = read(rows);
      // Repeated rows are distinguished by their line in the file.
      const match = matchStatement(statement, world.calls, { exclusive });
      expect(wrong(match, world, rows)).toEqual([]);
      made += proposals(match).length;
    }),
    { numRuns: 25 },
  );
  expect(made).toBeGreaterThan(0);
});

test('a name belongs to one operation only if both were seen often: an operation seen twice may have a second name', () => {
  const world = makeWorld({ ...BIG, known: 400, unknown: 40, foreign: 0, differing: 0 });
  const kept = new Set(
    world.calls
      .filter(({ intent, paid }) => paid && intent.operation === 'getCase')
      .slice(0, 2)
      .map(({ intent }) => intent.intentId),
  );
  const isKept = (operation: string, intentId: string | undefined, paid: boolean): boolean =>
    operation !== 'getCase' || !paid || (intentId !== undefined && kept.has(intentId));
  const paid = new Set(world.calls.filter((call) => call.paid).map(({ intent }) => intent.intentId));
  const calls = world.calls.filter((call) => isKept(call.intent.operation, call.intent.intentId, call.paid));
  // The unknown charges of this operation are booked under the name of another one.
  const rows = world.rows
    .filter(({ operation, intentId }) => isKept(operation, intentId, intentId !== undefined && paid.has(intentId)))
    .map((row) =>
      row.operation === 'getCase' && row.intentId !== undefined && !kept.has(row.intentId)
        ? { ...row, label: 'Atualização de processo', requestId: '' }
        : row,
    );
  const match = matchStatement(read(rows), calls, { exclusive: true });
  expect(wrong(match, world, rows)).toEqual([]);
  expect(match.verdicts.some(({ call, rows: found }) => call.intent.operation === 'getCase' && found.length > 0)).toBe(
    true,
  );
});

test('a statement without ids gets no proposals, and the report says why', () => {
  const world = makeWorld({ ...BIG, known: 500, unknown: 30 });
  const match = matchStatement(read(world.rows, {}, false), world.calls, { exclusive: true });
  expect(proposals(match)).toEqual([]);
  expect(match.problem).toContain('logId or requestId');
});

describe('readStatement', () => {
  const simple: StatementForm = { columns: {}, separator: ',', decimalComma: false, timeZone: 'America/Sao_Paulo' };
  const rowsOf = (text: string, form: Partial<StatementForm> = {}) => readStatement(text, { ...simple, ...form }).rows;

  it.each([
    ['time,amount\n2026-03-10T12:00:00Z,0.12', { line: 2, amount: 1_200, fromMs: Date.parse('2026-03-10T12:00:00Z') }],
    ['time,amount\n10/03/2026 09:00,"1,234.5"', { amount: 12_345_000, fromMs: Date.parse('2026-03-10T12:00:00Z') }],
    [
      'time,amount\n\n2026-03-10,-R$ 0.1444\n',
      { line: 3, amount: 1_444, toMs: Date.parse('2026-03-11T02:59:59.999Z') },
    ],
    // São Paulo set its clocks back at midnight, so 23:30 occurred twice.
    ['time,amount\n2018-02-17 23:30:00,1', { toMs: Date.parse('2018-02-18T02:30:00.999Z') }],
  ])('reads %j', (text, row) => {
    expect(rowsOf(text)).toMatchObject([row]);
  });

  it.each([
    ['time,amount\n31/02/2026,1', {}, 'line 2: the time cannot be read'],
    ['time,amount\n2026-03-10,"1,2"', {}, 'line 2: the amount cannot be read'],
    ['time;amount\n2026-03-10;0.123', { separator: ';', decimalComma: true }, 'the amount cannot be read'],
    ['time,amount\n2026-03-10', {}, 'line 2: it has 1 cells'],
    ['time,amount\n"2026-03-10,1', {}, 'a quoted cell has no end'],
    ['time,amount\n"2026-03-10"x,1', {}, 'text follows'],
    ['time,amount\n2026-03-10,1\n2026-03-10,-1', {}, '--debits'],
    ['time;amount\n2026-03-10;1', {}, 'is --separator "," right?'],
    ['time,amount,amount\n2026-03-10,1,2', {}, 'appears twice'],
    ['time,amount', {}, 'no rows'],
  ])('refuses %j', (text, form, problem) => {
    expect(() => rowsOf(text, form)).toThrow(problem);
  });
});
