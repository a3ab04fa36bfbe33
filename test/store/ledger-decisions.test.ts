/** How people, the resolver and the sweeper close rows whose outcome is not known. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { countUndecided } from '../../src/ledger/check-ledger.js';
import { isDecisionRefused, listUndecided, type OpenIntent, type Settlement } from '../../src/ledger/index.js';
import type { ChargeDecision } from '../../src/protocol/index.js';
import { createPortfolios } from '../../src/records/index.js';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  REQUEST_ID,
  amount,
  closeStep,
  elsewhere,
  flowsOf,
  intentOf,
  makeLedger,
  openCall,
  refreshRequest,
  spentOf,
} from './support.js';

const database = withDatabase();

async function settledAs(state: 'unknown' | 'charged_lost' | 'pending' | 'done', changes: Partial<OpenIntent> = {}) {
  const made = makeLedger(database.db);
  const request = refreshRequest(changes);
  const { intentId } = intentOf(await made.ledger.openIntent(request));
  await made.ledger.settle(intentId, { state });
  return { ...made, request, intentId };
}

describe('decisions', () => {
  test.each([
    ['not-charged', undefined, { state: 'closed', reserved: 0 }],
    ['charged', REQUEST_ID, { state: 'pending', requestId: REQUEST_ID, reserved: 5_000 }],
    // A refresh is followed by its status, which is free. Nothing is lost while it can be read.
    ['charged', undefined, { state: 'pending', requestId: null, reserved: 5_000 }],
    ['abandon', undefined, { state: 'closed', reserved: 5_000 }],
  ] as const)('"%s" with request id %p is written with who, why and when', async (decision, requestId, expected) => {
    const { ledger, clock, intentId } = await settledAs('unknown');
    const order = { intentId, decision, by: 'ana', note: 'T-1', ...(requestId === undefined ? {} : { requestId }) };
    const { intent } = await ledger.decide(order);
    const evidence = { decision, by: 'ana', note: 'T-1', at: new Date(clock.nowMs).toISOString() };
    expect(intent).toMatchObject({ ...expected, evidence });
    expect(await ledger.find(intentId)).toEqual(intent);
    expect(await ledger.decide({ ...order, by: 'bia' })).toMatchObject({ intent, wakes: [] });
  });

  test.each([
    ['not-charged', 0],
    ['abandon', 1],
  ] as const)('"%s" leaves %d unknown charges in a round of a portfolio', async (decision, unknown) => {
    const round = randomUUID();
    await sql`insert into tramita.portfolio_round (round, account, list, started_at)
      values (${round}, 'default', 'cases', now())`.execute(database.db);
    const { ledger, intentId } = await settledAs('unknown', { once: `portfolio/${round}/one` });
    await ledger.decide({ intentId, decision, by: 'ana' });
    expect(await createPortfolios({ db: database.db }).spentOf(round)).toEqual({ known: 0, unknown });
  });

  test('a second, different decision is refused and names who decided', async () => {
    const { ledger, intentId } = await settledAs('charged_lost');
    await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
    const refusal = await ledger
      .decide({ intentId, decision: 'not-charged', by: 'bia' })
      .catch((error: unknown) => error);
    expect(isDecisionRefused(refusal)).toBe(true);
    expect((refusal as Error).message).toMatch(/^tramita: .*decided before: "abandon" by "ana"/);
  });

  test('the request id of a call about another case is refused, also in upper case, and nothing changes', async () => {
    const { ledger, intentId } = await settledAs('unknown');
    const other = intentOf(await ledger.openIntent(refreshRequest()));
    const requestId = randomUUID();
    await ledger.settle(other.intentId, { state: 'pending', requestId });
    const decision = { intentId, decision: 'charged', by: 'ana', requestId: requestId.toUpperCase() } as const;
    await expect(ledger.decide(decision)).rejects.toThrow(`of workflow "${other.workflowId}"`);
    expect((await ledger.find(intentId))?.state).toBe('unknown');
  });

  test('a decision about a done or open row is refused', async () => {
    const { ledger, intentId, request } = await settledAs('done');
    await expect(ledger.decide({ intentId, decision: 'abandon', by: 'ana' })).rejects.toThrow(
      /is done; only these rows can be decided/,
    );
    const open = intentOf(await ledger.openIntent({ ...request, step: 'other', attemptToken: randomUUID() }));
    await expect(ledger.decide({ intentId: open.intentId, decision: 'abandon', by: 'ana' })).rejects.toThrow(/is open/);
  });

  test('a decision about pending work is refused, because its answer is polled', async () => {
    const { ledger, intentId } = await settledAs('pending');
    await expect(ledger.decide({ intentId, decision: 'not-charged', by: 'ana' })).rejects.toThrow(
      /is pending; only these rows can be decided/,
    );
  });

  test('a charge may be decided again when the named request was not found', async () => {
    const { ledger, intentId } = await settledAs('unknown');
    await ledger.decide({ intentId, decision: 'charged', requestId: randomUUID(), by: 'ana' });
    await ledger.settle(intentId, { state: 'unknown', httpStatus: 404 });
    const { intent } = await ledger.decide({ intentId, decision: 'not-charged', by: 'bia' });
    expect(intent).toMatchObject({
      state: 'closed',
      evidence: { decision: 'not-charged', by: 'bia', earlier: [{ decision: 'charged', by: 'ana' }] },
    });
  });

  test('a paid call whose named request was not found is charged_lost again, and may be decided again', async () => {
    const { ledger, intentId } = await settledAs('charged_lost');
    await ledger.decide({ intentId, decision: 'charged', requestId: randomUUID(), by: 'ana' });
    const { intent: lost } = await ledger.settle(intentId, { state: 'unknown', reason: 'not known' });
    expect(lost).toMatchObject({ state: 'charged_lost', evidence: { earlier: [{ decision: 'charged', by: 'ana' }] } });
    expect(lost.settledAtMs).not.toBeNull();
    expect(await listUndecided(database.db, { state: 'charged_lost' })).toContainEqual(
      expect.objectContaining({ intentId }),
    );
    const requestId = randomUUID();
    const { intent } = await ledger.decide({ intentId, decision: 'charged', requestId, by: 'bia' });
    expect(intent).toMatchObject({ state: 'pending', requestId });
    await ledger.doubt({ intentId, doubt: 'unconfirmed', askedBy: '' });
    expect(await ledger.find(intentId)).toMatchObject({
      state: 'charged_lost',
      evidence: { earlier: [{ by: 'ana' }, { by: 'bia' }] },
    });
  });

  test('a paid call that evidence found, and that no poll confirms, is charged_lost again', async () => {
    const { ledger, intentId } = await settledAs('charged_lost');
    await ledger.settle(intentId, { state: 'pending', evidence: { adopted: 'status' } }, { source: 'evidence' });
    await ledger.doubt({ intentId, doubt: 'unconfirmed', askedBy: '' });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'charged_lost' });
  });

  test('a decision about a joined row decides the original and wakes every flow', async () => {
    const { ledger, intentId, request } = await settledAs('pending');
    const joiner = elsewhere(request);
    const copy = intentOf(await ledger.openIntent(joiner));
    await ledger.settle(intentId, { state: 'unknown', httpStatus: 404 });
    expect(await ledger.find(copy.intentId)).toMatchObject({ state: 'unknown' });
    const { intent, wakes } = await ledger.decide({ intentId: copy.intentId, decision: 'abandon', by: 'ana' });
    expect(intent).toMatchObject({ intentId: copy.intentId, state: 'closed', evidence: { decision: 'abandon' } });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', evidence: { decision: 'abandon' } });
    expect([...flowsOf(wakes)].sort()).toEqual([joiner.workflowId, request.workflowId].sort());
  });
});

describe('closing a step', () => {
  const closing = { deadlineMs: 65_000 };

  test('without a row keeps a late attempt from sending', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    expect(await closeStep(ledger, request, closing)).toMatchObject({ state: 'closed', reserved: 0, charged: null });
    expect((await ledger.openIntent(request)).kind).toBe('closed');
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('send');
  });

  test('leaves an open row until its call must be over, then makes it unknown', async () => {
    const { ledger, clock } = makeLedger(database.db);
    const request = refreshRequest();
    const opened = intentOf(await ledger.openIntent(request));
    clock.nowMs += 64_999;
    expect(await closeStep(ledger, request, closing)).toEqual(opened);
    clock.nowMs += 1;
    expect(await closeStep(ledger, request, closing)).toMatchObject({ state: 'unknown', reserved: 5_000 });
    expect((await closeStep(ledger, request, closing)).state).toBe('unknown');
  });

  test('while it is opened either closes it or lets the call go, never both', async () => {
    const { ledger } = makeLedger(database.db);
    for (let round = 0; round < 20; round += 1) {
      const request = refreshRequest();
      const [row, verdict] = await Promise.all([closeStep(ledger, request, closing), ledger.openIntent(request)]);
      expect([
        ['closed', 'closed'],
        ['open', 'send'],
      ]).toContainEqual([row.state, verdict.kind]);
    }
  });
});

test('the sweeper makes an old open row unknown once and returns the flows to wake', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db);
  const waiting = elsewhere(request);
  await ledger.openIntent(waiting);
  clock.nowMs += 5 * MINUTE_MS - 1;
  expect((await ledger.sweep(5 * MINUTE_MS)).filter(({ intent }) => intent.intentId === intentId)).toEqual([]);
  clock.nowMs += 1;
  const sweeps = await Promise.all([ledger.sweep(5 * MINUTE_MS), ledger.sweep(5 * MINUTE_MS)]);
  const found = sweeps.flat().filter(({ intent }) => intent.intentId === intentId);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ intent: { state: 'unknown', reserved: 5_000 } });
  expect([...flowsOf(found[0]!.wakes)].sort()).toEqual([request.workflowId, waiting.workflowId].sort());
});

describe('adopted work', () => {
  const ADOPTIONS: readonly [string, Settlement][] = [
    ['its own time', { state: 'pending', evidence: { adopted: 'own time' } }],
    ['its request', { state: 'pending', requestId: randomUUID(), evidence: { adopted: 'request id' } }],
  ];
  async function adopted(settlement: Settlement) {
    const made = await settledAs('unknown');
    await made.ledger.settle(made.intentId, settlement);
    expect(await made.ledger.find(made.intentId)).toMatchObject({ state: 'pending' });
    return made;
  }
  const isListed = async (intentId: string, state?: 'pending'): Promise<boolean> =>
    (await listUndecided(database.db, state === undefined ? {} : { state })).some((row) => row.intentId === intentId);

  test.each(ADOPTIONS)(
    'found by %s can still be decided, is listed, and wakes the flows that joined it',
    async (_by, settlement) => {
      const { ledger, intentId, request } = await adopted(settlement);
      const joiner = elsewhere(request);
      const copy = intentOf(await ledger.openIntent(joiner));
      expect(copy).toMatchObject({ state: 'pending', joined: intentId });
      expect(await isListed(intentId)).toBe(true);
      expect(await isListed(intentId, 'pending')).toBe(true);
      const { wakes } = await ledger.decide({ intentId: copy.intentId, decision: 'not-charged', by: 'ana' });
      expect([...flowsOf(wakes)].sort()).toEqual([joiner.workflowId, request.workflowId].sort());
      expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', reserved: 0 });
      expect(await isListed(intentId)).toBe(false);
    },
  );

  test('named by a person may be decided again until it is final', async () => {
    const { ledger, intentId } = await settledAs('unknown');
    await ledger.decide({ intentId, decision: 'charged', by: 'ana' });
    expect(await isListed(intentId)).toBe(true);
    const requestId = randomUUID();
    await ledger.decide({ intentId, decision: 'charged', requestId, by: 'bia' });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'pending', requestId });
    await ledger.settle(intentId, { state: 'done', finalState: 'done' });
    expect(await isListed(intentId)).toBe(false);
    await expect(ledger.decide({ intentId, decision: 'abandon', by: 'ana' })).rejects.toThrow(/decided before/);
  });

  test('is unknown again with its joined rows when nothing confirms it; work with a 202 of its own is not', async () => {
    const { ledger, intentId, request } = await adopted({ state: 'pending', evidence: { adopted: 'own time' } });
    const copy = intentOf(await ledger.openIntent(elsewhere(request)));
    const doubted = await ledger.doubt({ intentId, doubt: 'unconfirmed', askedBy: request.workflowId });
    expect(doubted).toMatchObject({
      intent: { state: 'unknown', reserved: 5_000 },
      wakes: [{ workflowId: copy.workflowId }],
    });
    expect(await ledger.find(copy.intentId)).toMatchObject({ state: 'unknown' });

    const own = await settledAs('pending');
    const order = { intentId: own.intentId, askedBy: '' };
    expect((await ledger.doubt({ ...order, doubt: 'unconfirmed' })).intent.state).toBe('pending');
    // Neither its status nor its request can be read.
    expect((await ledger.doubt({ ...order, doubt: 'unreadable' })).intent.state).toBe('unknown');
  });

  test.each([
    ['pending', { state: 'pending' }],
    ['paid and lost', { state: 'charged_lost' }],
  ] as const)(
    'that is %s and proved by the balance may be decided as "abandon", not as "not-charged"',
    async (_name, state) => {
      const proof = { charged: amount(5_000), evidence: { proof: 'balance' } };
      const { ledger, intentId } = await settledAs('unknown');
      await ledger.settle(intentId, { ...state, ...proof });
      await expect(ledger.decide({ intentId, decision: 'not-charged', by: 'ana' })).rejects.toThrow(
        /the balance has proved it, so "not-charged" would pay twice/,
      );
      await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
      expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', evidence: { decision: 'abandon' } });
    },
  );
});

describe('pending work that is overdue and has no reported charge', () => {
  const OVERDUE_MS = 31 * 86_400_000;
  /** The floor leaves room for one call beside the price that is reserved for the work. */
  async function overdueWork(ageMs = OVERDUE_MS) {
    const account = randomUUID();
    const made = makeLedger(database.db, { settings: { accounts: { [account]: { minBalance: amount(10_000) } } } });
    const { ledger, clock } = made;
    const request = refreshRequest({ account });
    const { intentId } = intentOf(await ledger.openIntent(request));
    await ledger.settle(intentId, { state: 'pending', httpStatus: 202, requestId: randomUUID(), charged: amount(0) });
    clock.nowMs += ageMs;
    /** Makes another call, whose answer reports the balance. */
    const buy = async (): Promise<string> => {
      const verdict = await ledger.openIntent(refreshRequest({ account }));
      if (verdict.kind !== 'send') return verdict.kind;
      clock.nowMs += MINUTE_MS;
      const answer = { charged: amount(0), balanceAfter: amount(15_000) };
      await ledger.settle(verdict.intent.intentId, { state: 'done', ...answer });
      return 'send';
    };
    expect(await buy()).toBe('send');
    const listed = async (): Promise<readonly string[]> =>
      (await listUndecided(database.db, { account, state: 'pending', nowMs: clock.nowMs })).map(
        (row) => `${row.state} ${row.intentId}`,
      );
    const decide = (decision: ChargeDecision) => ledger.decide({ intentId, decision, by: 'ana' });
    return { ...made, account, request, intentId, buy, listed, decide };
  }

  test('is listed, and keeps its reserve until a person decides', async () => {
    const { account, ledger, clock, intentId, buy, listed, decide } = await overdueWork();
    expect(await listed()).toEqual([`pending ${intentId}`]);
    // The service has accepted it, so it is not listed among the unknown charges.
    expect(await listUndecided(database.db, { account, nowMs: clock.nowMs })).toEqual([]);
    expect(await countUndecided(database.db, { account, nowMs: clock.nowMs })).toEqual([
      { state: 'pending', age: 'over 7 days', count: 1, reserved: 5_000 },
    ]);
    expect(await buy()).toBe('over budget');
    await decide('not-charged');
    expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', reserved: 0, charged: null });
    expect(await listed()).toEqual([]);
    expect(await buy()).toBe('send');
  });

  test('counts at its reserve after "abandon", until a later balance may contain it', async () => {
    const { ledger, clock, request, intentId, buy, decide } = await overdueWork();
    clock.nowMs += MINUTE_MS;
    await decide('abandon');
    expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', reserved: 5_000, charged: null });
    expect(await spentOf(database.db, request)).toEqual({ known: 0, unknown: 1 });
    expect(await buy()).toBe('over budget');
    clock.nowMs += MINUTE_MS;
    // As if another machine had made a call whose answer reports the balance.
    await sql`update tramita.intent set balance_at = ${new Date(clock.nowMs)} where account = ${request.account}
      and balance_after is not null`.execute(database.db);
    expect(await buy()).toBe('send');
  });

  test('stays pending and decidable after "charged"', async () => {
    const { account, ledger, clock, intentId, listed, decide } = await overdueWork();
    await decide('charged');
    expect(await ledger.find(intentId)).toMatchObject({ state: 'pending', reserved: 5_000 });
    expect(await listed()).toEqual([`pending ${intentId}`]);
    // A person has decided, so it raises no alarm.
    expect(await countUndecided(database.db, { account, nowMs: clock.nowMs })).toEqual([]);
    await ledger.settle(intentId, { state: 'done', charged: amount(700), finalState: 'done' });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 700, reserved: 0 });
  });

  test('does not take a late answer that contradicts the decision', async () => {
    const { ledger, intentId, decide } = await overdueWork();
    await decide('not-charged');
    expect(await ledger.settle(intentId, { state: 'done', charged: amount(700) })).toMatchObject({ applied: false });
  });

  test('cannot be decided a day before it is overdue', async () => {
    const { listed, decide } = await overdueWork(OVERDUE_MS - 86_400_000);
    expect(await listed()).toEqual([]);
    await expect(decide('not-charged')).rejects.toThrow('or whose charge was not reported for 31 days');
  });

  test('wakes a flow that joined it when a person decides', async () => {
    const { ledger, clock, request, intentId, decide } = await overdueWork(OVERDUE_MS - 86_400_000);
    const joiner = elsewhere(request);
    expect(intentOf(await ledger.openIntent(joiner))).toMatchObject({ state: 'pending', joined: intentId });
    clock.nowMs += 86_400_000;
    expect(flowsOf((await decide('not-charged')).wakes)).toContain(joiner.workflowId);
  });
});
