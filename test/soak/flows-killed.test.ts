/**
 * `npm run soak:flows` at small scale: three flows, and a real worker process that is killed once in the middle of each. The
 * judge of that run is also tested with violations.
 */
import { judge, type Facts } from '../../soak/flows/judge.js';
import type { Parking } from '../../soak/flow-book.js';
import type { FlowRun, Pair } from '../../soak/flows/types.js';
import { runSoak } from './run-soak.js';

/** A free wait, work that ends later, and a call that is answered at once. */
const FLOWS = ['awaitRequest', 'refreshCase', 'createRadar'];

/** Takes a minute, so it runs with TRAMITA_FLOWS_KILLED=1 only. `npm run soak:flows` is the full run. */
const killing = process.env['TRAMITA_FLOWS_KILLED'] === '1' ? it : it.skip;

killing(
  'a flow whose worker is killed ends as it does undisturbed, and pays the same',
  async () => {
    const { code, lines, figures } = await runSoak('flows', [
      ...['--points', '1'],
      ...FLOWS.flatMap((name) => ['--flow', name]),
    ]);
    expect(figures).toMatchObject({
      flows: FLOWS.length,
      differentResults: 0,
      differentCharges: 0,
      doubleCharges: 0,
      booksDiffer: 0,
      parkedElsewhere: 0,
      notEnded: 0,
      pointsMissing: 0,
    });
    expect({ code, lines }).toMatchObject({ code: 0 });
    expect(Number(figures['points'])).toBeGreaterThanOrEqual(FLOWS.length);
  },
  600_000,
);

describe('the judge', () => {
  type Row = Facts['rows'][number];
  type Charge = Facts['killed'][number];
  const KILLED_AT_MS = 5_000;
  const charge = (changes: Partial<Charge> = {}): Charge =>
    ({
      n: 1,
      operation: 'getCase',
      about: 'a',
      amount: 1_200,
      requestId: null,
      searchLogId: 's1',
      ...changes,
    }) as Charge;
  const row = (changes: Partial<Row> = {}): Row =>
    ({
      intentId: 'i1',
      step: 'getCase',
      operation: 'getCase',
      state: 'done',
      charged: '0.12',
      requestId: null,
      searchLogId: 's1',
      openedAt: new Date(4_900).toISOString(),
      settledAt: new Date(5_400).toISOString(),
      evidence: null,
      joined: null,
      ...changes,
    }) as Row;
  const receipt = { step: 'getCase', operation: 'getCase', outcome: 'DONE', amount: '0.12' };
  const ended = (result: object = {}): FlowRun => ({
    case: { type: 'callOperation', n: 1 },
    workflowIds: ['w'],
    startedAtMs: 4_000,
    endedAtMs: 9_000,
    parked: [],
    ending: {
      kind: 'done',
      result: { status: 200, spent: { known: '0.12', unknown: 0 }, receipts: [receipt], ...result },
    },
  });
  const parking = (changes: Partial<Parking> = {}): Parking => ({
    workflowId: 'w',
    attention: 'unknown-charge',
    step: 'getCase',
    operation: 'getCase',
    atMs: 8_000,
    row: { intentId: 'i1', state: 'unknown', openedAtMs: 4_900 },
    charge: charge(),
    ...changes,
  });
  const problems = ({
    undisturbed = ended(),
    killed = ended(),
    facts = {},
    kills = [KILLED_AT_MS],
  }: {
    readonly undisturbed?: FlowRun;
    readonly killed?: FlowRun;
    readonly facts?: Partial<Facts>;
    readonly kills?: readonly number[];
  } = {}): readonly string[] => {
    const pair: Pair = { undisturbed, killed, kills };
    const books = { undisturbed: [charge()], killed: [charge()], rows: [row()], reachedAtMs: new Map([[1, 4_950]]) };
    return judge(pair, { ...books, ...facts }).problems.map(({ kind }) => kind);
  };
  const failed = (parked: readonly Parking[]): FlowRun => ({
    ...ended(),
    parked,
    ending: { kind: 'failed', type: 'ChargedLost', details: { receipts: [] } },
  });
  const text = parking({ step: 'getPublication/1', operation: 'getPublication' });
  const LOST = { spent: { known: '0', unknown: 1 }, receipts: [{ ...receipt, amount: null }] };
  const lostRow = row({ state: 'closed', charged: null, searchLogId: null, evidence: { decision: 'charged' } });

  it.each([
    ['the same result', {}],
    ['a lost answer, after the decision of a person', { killed: failed([parking()]), facts: { rows: [lostRow] } }],
    [
      'a sync without the text whose answer was lost',
      {
        undisturbed: ended({ fullTexts: 3 }),
        killed: { ...ended({ fullTexts: 2, spent: LOST.spent, receipts: LOST.receipts }), parked: [text] },
        facts: { rows: [lostRow] },
      },
    ],
    [
      'a sync without one text, whose call was found parked as unknown and then as lost',
      {
        undisturbed: ended({ fullTexts: 3 }),
        killed: {
          ...ended({ fullTexts: 2, spent: LOST.spent, receipts: LOST.receipts }),
          parked: [text, { ...text, attention: 'charged-lost' as const }],
        },
        facts: { rows: [lostRow] },
      },
    ],
    [
      'a DELETE that was sent again, with the receipt and the unknown cost of the first one',
      {
        killed: ended({
          spent: { known: '0.12', unknown: 1 },
          receipts: [{ ...receipt, outcome: 'UNKNOWN', amount: null }, receipt],
        }),
      },
    ],
  ])('accepts %s', (_what, given) => {
    expect(problems(given)).toEqual([]);
  });

  it.each([
    [
      'a sync without a text that was not lost',
      { undisturbed: ended({ fullTexts: 3 }), killed: ended({ fullTexts: 2 }) },
      'different result',
    ],
    ['another result', { killed: ended({ status: 404 }) }, 'different result'],
    ['another amount', { killed: ended({ spent: { known: '0', unknown: 0 } }) }, 'different result'],
    [
      'an unknown cost without the receipt of a call that was sent again',
      { killed: ended({ spent: { known: '0.12', unknown: 1 } }) },
      'different result',
    ],
    ['a failure that no person decided', { killed: failed([]) }, 'different result'],
    [
      'a second charge',
      { facts: { killed: [charge(), charge({ n: 2, searchLogId: 's2' })], rows: [row(), row({ searchLogId: 's2' })] } },
      'double charge',
    ],
    ['a missing charge', { facts: { killed: [] } }, 'different charges'],
    ['a charge without a row', { facts: { rows: [] } }, 'books differ'],
    ['an amount that differs from the charge book', { facts: { rows: [row({ charged: '0.1' })] } }, 'books differ'],
    ['a row left open', { facts: { rows: [row({ state: 'open' })] } }, 'books differ'],
    ['a park without a kill', { killed: { ...ended(), parked: [parking()] }, kills: [] }, 'parked elsewhere'],
    [
      'a park whose request came after the kill',
      { killed: { ...ended(), parked: [parking()] }, facts: { reachedAtMs: new Map([[1, 7_000]]) } },
      'parked elsewhere',
    ],
    ['a flow that never ends', { killed: { ...ended(), ending: { kind: 'not ended' } } }, 'not ended'],
  ] as const)('rejects %s', (_what, given, kind) => {
    expect(problems(given as Parameters<typeof problems>[0])).toContain(kind);
  });
});
