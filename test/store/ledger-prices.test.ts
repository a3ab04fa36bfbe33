/** Where the amount of a charge comes from (told, listed or evidence), and what a zero means. */
import { randomUUID } from 'node:crypto';
import type { AmountSource, IntentState, OpenIntent } from '../../src/ledger/index.js';
import { checkLedger, toLedgerRow } from '../../src/ledger/index.js';
import { outcomeOfIntent, NO_PLAN } from '../../src/activities/charged/outcome-of-intent.js';
import { withDatabase } from '../support/database.js';
import { amount, intentOf, makeLedger, NOON_MS, refreshRequest, REQUEST_ID, spentOf } from './support.js';

const database = withDatabase();
const PDF = { operation: 'getElectoralEditionPdf', workflowType: 'callOperation' } as const;

function book(prices: Readonly<Record<string, ReturnType<typeof amount>>> = {}) {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const { ledger } = makeLedger(database.db, { settings: { prices: { default: amount(5_000), ...prices } } });
  const open = async (changes: Partial<OpenIntent> = {}) =>
    intentOf(await ledger.openIntent(refreshRequest({ account, ...changes })));
  const pdf = () => open({ ...PDF, params: { id: randomUUID() } });
  return { account, ledger, open, pdf };
}

describe('a configured price of "0"', () => {
  test.each<[string, Readonly<Record<string, number>>, number]>([
    ['of an operation', { requestRefresh: 0 }, 5_000],
    ['by default', { default: 0 }, 1],
  ])('%s still reserves a price', async (_what, prices, reserved) => {
    const { open } = book(prices as never);
    expect((await open()).reserved).toBe(reserved);
  });

  test('gives way to the price that the interface lists', async () => {
    const { pdf } = book({ getElectoralEditionPdf: amount(0), default: amount(0) });
    expect((await pdf()).reserved).toBe(800);
  });

  test('gives way to the highest charge seen', async () => {
    const { open, ledger } = book({ requestRefresh: amount(0) });
    await ledger.settle((await open()).intentId, { state: 'done', charged: amount(900) });
    expect((await open()).reserved).toBe(900);
  });

  test.each<IntentState>(['unknown', 'done', 'charged_lost', 'pending'])(
    'never makes an unknown charge of a row that is %s count as unpaid',
    async (state) => {
      const { account, open, ledger } = book({ requestRefresh: amount(0), default: amount(0) });
      const first = await open();
      const { intent } = await ledger.settle(first.intentId, { state: state as 'done', requestId: REQUEST_ID });
      expect(outcomeOfIntent(intent, { source: intent, plan: NO_PLAN, reading: {} }).charged).toBeNull();
      const { workflowId, firstRunId } = intent;
      expect(await spentOf(database.db, { workflowId, firstRunId })).toEqual({ known: 0, unknown: 1 });
      expect(await ledger.chargedSince(account, { sinceSeq: 0, except: randomUUID() })).toBeNull();
      expect((await ledger.quiet(account)).busy).toBe(['unknown', 'pending'].includes(state) ? 1 : 0);
    },
  );
});

describe('a price that the interface lists', () => {
  test('is booked as listed when an answer names no charge', async () => {
    const { pdf, ledger, account } = book();
    const { intent } = await ledger.settle((await pdf()).intentId, { state: 'done', httpStatus: 200 });
    expect(toLedgerRow(intent)).toMatchObject({ charged: '0.08', amountSource: 'listed', reserved: '0' });
    expect(toLedgerRow((await ledger.list({ account }))[0]!)).toMatchObject({ amountSource: 'listed' });
  });

  test.each<[string, number]>([
    ['another amount', 700],
    ['zero', 0],
  ])('gives way to %s in the answer', async (_what, reported) => {
    const { pdf, ledger } = book();
    const { intent } = await ledger.settle((await pdf()).intentId, { state: 'done', charged: amount(reported) });
    expect(intent).toMatchObject({ charged: reported, amountSource: 'told' });
  });

  test('is not booked for a lost answer or an undecided call', async () => {
    const { pdf, ledger } = book();
    for (const state of ['charged_lost', 'unknown', 'pending'] as const) {
      const { intent } = await ledger.settle((await pdf()).intentId, { state });
      expect(intent).toMatchObject({ charged: null, amountSource: null, reserved: 800 });
    }
  });

  test('is no proof, so a range of balances across it proves nothing', async () => {
    const { pdf, ledger, account } = book();
    const range = { sinceSeq: 0, except: randomUUID() };
    await ledger.settle((await pdf()).intentId, { state: 'done', charged: amount(800) });
    expect(await ledger.chargedSince(account, range)).toBe(800);
    await ledger.settle((await pdf()).intentId, { state: 'done' });
    expect(await ledger.chargedSince(account, range)).toBeNull();
  });
});

describe('the zero of a 202', () => {
  test.each<[string, 'refresh' | 'pdf', number | undefined, number | null, AmountSource | null]>([
    ['stays unknown when the final answer names no charge', 'refresh', undefined, null, null],
    ['becomes the listed price when the final answer names no charge', 'pdf', undefined, 800, 'listed'],
    ['gives way to the charge of the final answer', 'refresh', 300, 300, 'told'],
    ['is the charge when the final answer says zero too', 'refresh', 0, 0, 'told'],
  ])('%s', async (_what, kind, final, charged, amountSource) => {
    const { open, pdf, ledger } = book();
    const { intentId } = await (kind === 'pdf' ? pdf() : open());
    const accepted = { state: 'pending', httpStatus: 202, requestId: REQUEST_ID, charged: amount(0) } as const;
    expect((await ledger.settle(intentId, accepted)).intent).toMatchObject({ charged: null, amountSource: null });
    const reported = final === undefined ? {} : { charged: amount(final) };
    const { intent } = await ledger.settle(intentId, { state: 'done', httpStatus: 200, ...reported });
    expect(intent).toMatchObject({ charged, amountSource, reserved: charged === null ? 5_000 : 0 });
  });

  test('does not make the call free when its work cannot be followed', async () => {
    const { open, ledger } = book();
    const { intentId, workflowId, firstRunId } = await open();
    const lost = { state: 'unknown', httpStatus: 202, charged: amount(0) } as const;
    expect((await ledger.settle(intentId, lost)).intent.charged).toBeNull();
    expect(await spentOf(database.db, { workflowId, firstRunId })).toEqual({ known: 0, unknown: 1 });
  });
});

test('a charge that the balance proved has the source "evidence", and the check sums each source', async () => {
  const { open, pdf, ledger, account } = book();
  await ledger.settle((await open()).intentId, { state: 'done', charged: amount(1_000), httpStatus: 200 });
  await ledger.settle((await pdf()).intentId, { state: 'done' });
  const { intent } = await ledger.settle((await open()).intentId, {
    state: 'charged_lost',
    charged: amount(500),
    amountSource: 'evidence',
    evidence: { proof: 'balance' },
  });
  expect(intent).toMatchObject({ charged: 500, amountSource: 'evidence' });
  const [check] = await checkLedger(database.db, {
    accounts: [account],
    nowMs: NOON_MS,
    sinceMs: NOON_MS - 1_000,
    openAtMostMs: 60_000,
  });
  expect(check).toMatchObject({ chargedBy: { told: 1_000, listed: 800, evidence: 500 }, chain: { charged: 2_300 } });
});
