/** A repeated step: a call that was paid, or may have been, is never sent again. */
import { randomUUID } from 'node:crypto';
import { readFigures } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { amount, closeStep, intentOf, jsonBody, makeLedger, openCall, refreshRequest } from './support.js';

const database = withDatabase();

describe('the next ordinal of a step', () => {
  test.each(['done', 'pending', 'charged_lost'] as const)(
    'takes the answer of an earlier ordinal that is %s',
    async (state) => {
      const { ledger, request: first, intentId } = await openCall(database.db);
      await ledger.settle(intentId, { state, charged: amount(500), requestId: randomUUID(), body: jsonBody({}) });
      const again = await ledger.openIntent({ ...first, ordinal: 2, attemptToken: randomUUID() });
      expect(again).toMatchObject({ kind: 'stored', intent: { intentId, state } });
    },
  );

  test.each(['open', 'unknown'] as const)(
    'sends nothing while an earlier ordinal is %s, and closing it returns the earlier row',
    async (state) => {
      const { ledger, clock, request: first, intentId } = await openCall(database.db);
      if (state === 'unknown') await ledger.settle(intentId, { state });
      const again = await ledger.openIntent({ ...first, ordinal: 2, attemptToken: randomUUID() });
      expect(again).toMatchObject({ kind: 'ambiguous', intent: { intentId } });
      clock.nowMs += 66_000;
      const closed = await closeStep(ledger, first, { ordinal: 2, deadlineMs: 65_000 });
      expect(closed).toMatchObject({ intentId, state: 'unknown' });
    },
  );

  test.each(['not_sent', 'rejected'] as const)('is sent when the earlier ordinal was %s', async (state) => {
    const { ledger } = makeLedger(database.db);
    const first = refreshRequest();
    await ledger.settle(intentOf(await ledger.openIntent(first)).intentId, { state });
    expect((await ledger.openIntent({ ...first, ordinal: 2, attemptToken: randomUUID() })).kind).toBe('send');
  });
});

test('a step whose arguments have changed sends nothing', async () => {
  const { ledger } = makeLedger(database.db);
  const first = refreshRequest();
  await ledger.settle(intentOf(await ledger.openIntent(first)).intentId, { state: 'done', charged: amount(500) });
  const other = refreshRequest({ workflowId: first.workflowId, firstRunId: first.firstRunId });
  for (const ordinal of [1, 2]) {
    expect(await ledger.openIntent({ ...other, ordinal, attemptToken: randomUUID() })).toMatchObject({
      kind: 'step conflict',
      problem: expect.stringMatching(/^step "refresh" #1 .* start a new run$/) as string,
    });
  }
});

test('a late answer replaces a lost charge that only the balance proved, unless a person has decided', async () => {
  const { ledger } = makeLedger(database.db);
  const lostByBalance = async (): Promise<string> => {
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
    await ledger.settle(intentId, { state: 'unknown' });
    const evidence = { proof: 'balance', by: 'tramita (evidence)' };
    await ledger.settle(intentId, { state: 'charged_lost', charged: amount(500), evidence });
    return intentId;
  };
  const answer = { state: 'done', httpStatus: 200, charged: amount(500), body: jsonBody({ data: {} }) } as const;
  const late = await ledger.settle(await lostByBalance(), answer);
  expect([late.applied, late.intent.state]).toEqual([true, 'done']);
  const decided = await lostByBalance();
  await ledger.decide({ intentId: decided, decision: 'abandon', by: 'ana' });
  expect((await ledger.settle(decided, answer)).applied).toBe(false);
});

describe('the charges between two balance readings', () => {
  test.each([amount(500), null])(
    'are not known when work, accepted for %p, was refused in the end',
    async (charged) => {
      const account = `a-${randomUUID().slice(0, 8)}`;
      const { ledger } = makeLedger(database.db);
      const judged = async () => intentOf(await ledger.openIntent(refreshRequest({ account }))).intentId;
      const refused = await judged();
      await ledger.settle(refused, { state: 'pending', charged, requestId: randomUUID() });
      await ledger.settle(refused, {
        state: 'rejected',
        httpStatus: 422,
        charged: charged === null ? null : amount(0),
      });
      const { intentId } = await ledger.settle(await judged(), { state: 'unknown' }).then(({ intent }) => intent);
      expect(await ledger.chargedSince(account, { sinceSeq: 0, except: intentId })).toBeNull();
    },
  );

  test('are not known when accepted work was refused in the end or a free read was charged', async () => {
    const account = `a-${randomUUID().slice(0, 8)}`;
    const { ledger } = makeLedger(database.db);
    const judged = async () => intentOf(await ledger.openIntent(refreshRequest({ account }))).intentId;
    const refused = await judged();
    await ledger.settle(refused, { state: 'pending', charged: amount(500), requestId: randomUUID() });
    await ledger.settle(refused, { state: 'rejected', httpStatus: 422, charged: amount(0) });
    expect(await ledger.chargedSince(account, { sinceSeq: 0, except: await judged() })).toBeNull();
    expect(await ledger.chargedSince(account, { sinceSeq: 0, except: refused })).toBeNull();

    const other = `b-${randomUUID().slice(0, 8)}`;
    const { workflowId, firstRunId } = refreshRequest();
    await ledger.bookUnexpected({
      account: other,
      operation: 'getBalance',
      workflowId,
      firstRunId,
      workflowType: 'refreshCase',
      charged: amount(500),
      balanceAfter: null,
      metaRequestId: null,
      searchLogId: null,
      httpStatus: 200,
    });
    expect(await ledger.chargedSince(other, { sinceSeq: 0, except: randomUUID() })).toBeNull();
  });
});

test('the balance of a polled final answer is as old as its 202 and lets no call pass the floor', async () => {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const accounts = { [account]: { minBalance: amount(50_000) } };
  const { ledger, clock } = makeLedger(database.db, { settings: { accounts } });
  const open = async () => ledger.openIntent(refreshRequest({ account }));
  const slow = intentOf(await open()).intentId;
  const accepted = { requestId: randomUUID(), charged: amount(500), balanceAfter: amount(100_000) };
  await ledger.settle(slow, { state: 'pending', ...accepted });
  clock.nowMs += 1_000;
  await ledger.settle(intentOf(await open()).intentId, {
    state: 'done',
    charged: amount(50_000),
    balanceAfter: amount(50_000),
  });
  expect((await open()).kind).toBe('over budget');
  clock.nowMs += 1_000;
  await ledger.settle(slow, { state: 'done', finalState: 'done', balanceAfter: amount(100_000) });
  expect((await open()).kind).toBe('over budget');
});

describe('a balance reported only by a polled final answer', () => {
  const withFloor = () => {
    const account = `a-${randomUUID().slice(0, 8)}`;
    const accounts = { [account]: { minBalance: amount(50_000) } };
    const { ledger, clock } = makeLedger(database.db, { settings: { accounts } });
    const open = async () => ledger.openIntent(refreshRequest({ account }));
    const accept = async (): Promise<string> => {
      const { intentId } = intentOf(await open());
      await ledger.settle(intentId, { state: 'pending', requestId: randomUUID() });
      clock.nowMs += 1_000;
      return intentId;
    };
    const end = (intentId: string, balance: number) =>
      ledger.settle(intentId, {
        state: 'done',
        finalState: 'done',
        charged: amount(500),
        balanceAfter: amount(balance),
      });
    const buy = async (balance: number) =>
      ledger.settle(intentOf(await open()).intentId, {
        state: 'done',
        charged: amount(500),
        balanceAfter: amount(balance),
      });
    return { account, clock, open, accept, end, buy };
  };

  test('is older than the balance of a later answer, and lets no call pass the floor', async () => {
    const { account, clock, open, accept, end, buy } = withFloor();
    const slow = await accept();
    await buy(50_000);
    clock.nowMs += 1_000;
    await end(slow, 100_000);
    expect((await open()).kind).toBe('over budget');
    const { balances } = await readFigures(database.db, { accounts: [account], nowMs: clock.nowMs });
    expect(balances).toEqual([{ account, amount: 50_000 }]);
  });

  test('stops no call when a later answer reported a higher balance', async () => {
    const { clock, open, accept, end, buy } = withFloor();
    const slow = await accept();
    await buy(900_000);
    clock.nowMs += 1_000;
    await end(slow, 50_000);
    expect((await open()).kind).toBe('send');
  });

  test('enforces the floor when no other balance is known', async () => {
    const { open, accept, end } = withFloor();
    await end(await accept(), 50_000);
    expect((await open()).kind).toBe('over budget');
  });
});
