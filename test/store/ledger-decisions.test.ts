/** People, the resolver and the sweeper: how rows are closed that nobody can tell the truth about. */
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
    // A refresh goes by its status, which is free: nothing is lost while it can be read.
    ['charged', undefined, { state: 'pending', requestId: null, reserved: 5_000 }],
    ['abandon', undefined, { state: 'closed', reserved: 5_000 }],
  ] as const)('"%s" with request id %p is written with who, why and when', async (decision, requestId, expected) => {
    const { ledger, clock, intentId } = await settledAs('unknown');
    const asked = { intentId, decision, by: 'ana', note: 'T-1', ...(requestId === undefined ? {} : { requestId }) };
    const { intent } = await ledger.decide(asked);
    const evidence = { decision, by: 'ana', note: 'T-1', at: new Date(clock.nowMs).toISOString() };
    expect(intent).toMatchObject({ ...expected, evidence });
    expect(await ledger.find(intentId)).toEqual(intent);
    expect(await ledger.decide({ ...asked, by: 'bia' })).toMatchObject({ intent, wake: [] });
  });

  test.each([
    ['not-charged', 0],
    ['abandon', 1],
  ] as const)('"%s": %d unknown charges of a round of a portfolio', async (decision, unknown) => {
    const round = randomUUID();
    await sql`insert into tramita.portfolio_round (round, account, list, started_at)
      values (${round}, 'default', 'cases', now())`.execute(database.db);
    const { ledger, intentId } = await settledAs('unknown', { once: `portfolio/${round}/one` });
    await ledger.decide({ intentId, decision, by: 'ana' });
    expect(await createPortfolios({ db: database.db }).spentOf(round)).toEqual({ known: 0, unknown });
  });

  test('another decision about a decided row is refused and says who decided', async () => {
    const { ledger, intentId } = await settledAs('charged_lost');
    await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
    const refusal = await ledger
      .decide({ intentId, decision: 'not-charged', by: 'bia' })
      .catch((error: unknown) => error);
    expect(isDecisionRefused(refusal)).toBe(true);
    expect((refusal as Error).message).toMatch(/^tramita: .*decided before: "abandon" by "ana"/);
  });

  test('the request of a call about another case is refused, in whatever case its letters are; nothing changes', async () => {
    const { ledger, intentId } = await settledAs('unknown');
    const other = intentOf(await ledger.openIntent(refreshRequest()));
    const requestId = randomUUID();
    await ledger.settle(other.intentId, { state: 'pending', requestId });
    const decision = { intentId, decision: 'charged', by: 'ana', requestId: requestId.toUpperCase() } as const;
    await expect(ledger.decide(decision)).rejects.toThrow(`of workflow "${other.workflowId}"`);
    expect((await ledger.find(intentId))?.state).toBe('unknown');
  });

  test('rows that need no decision are refused', async () => {
    const { ledger, intentId, request } = await settledAs('done');
    await expect(ledger.decide({ intentId, decision: 'abandon', by: 'ana' })).rejects.toThrow(/is done; only unknown/);
    const open = intentOf(await ledger.openIntent({ ...request, step: 'other', attemptToken: randomUUID() }));
    await expect(ledger.decide({ intentId: open.intentId, decision: 'abandon', by: 'ana' })).rejects.toThrow(/is open/);
  });

  test('pending work is not decided: the service has accepted it, and its answer is polled', async () => {
    const { ledger, intentId } = await settledAs('pending');
    await expect(ledger.decide({ intentId, decision: 'not-charged', by: 'ana' })).rejects.toThrow(
      /is pending; only unknown/,
    );
  });

  test('a request id that led nowhere may be decided again', async () => {
    const { ledger, intentId } = await settledAs('unknown');
    await ledger.decide({ intentId, decision: 'charged', requestId: REQUEST_ID, by: 'ana' });
    await ledger.settle(intentId, { state: 'unknown', httpStatus: 404 });
    const { intent } = await ledger.decide({ intentId, decision: 'not-charged', by: 'bia' });
    expect(intent).toMatchObject({
      state: 'closed',
      evidence: { decision: 'not-charged', by: 'bia', earlier: [{ decision: 'charged', by: 'ana' }] },
    });
  });

  test('a decision about a joined row decides the original, and every flow is told', async () => {
    const { ledger, intentId, request } = await settledAs('pending');
    const joiner = elsewhere(request);
    const copy = intentOf(await ledger.openIntent(joiner));
    await ledger.settle(intentId, { state: 'unknown', httpStatus: 404 });
    expect(await ledger.find(copy.intentId)).toMatchObject({ state: 'unknown' });
    const { intent, wake } = await ledger.decide({ intentId: copy.intentId, decision: 'abandon', by: 'ana' });
    expect(intent).toMatchObject({ intentId: copy.intentId, state: 'closed', evidence: { decision: 'abandon' } });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', evidence: { decision: 'abandon' } });
    expect([...wake].sort()).toEqual([joiner.workflowId, request.workflowId].sort());
  });
});

describe('the closed door', () => {
  const closing = { deadlineMs: 65_000 };

  test('a step without a row is closed, and an attempt that comes late sends nothing', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    expect(await closeStep(ledger, request, closing)).toMatchObject({ state: 'closed', reserved: 0, charged: null });
    expect((await ledger.openIntent(request)).kind).toBe('closed');
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('send');
  });

  test('an open row stays as it is until its call must be over, then it is unknown', async () => {
    const { ledger, clock } = makeLedger(database.db);
    const request = refreshRequest();
    const opened = intentOf(await ledger.openIntent(request));
    clock.nowMs += 64_999;
    expect(await closeStep(ledger, request, closing)).toEqual(opened);
    clock.nowMs += 1;
    expect(await closeStep(ledger, request, closing)).toMatchObject({ state: 'unknown', reserved: 5_000 });
    expect((await closeStep(ledger, request, closing)).state).toBe('unknown');
  });

  test('closing and opening at once: either the door is shut or the call is open, never both', async () => {
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

test('the sweeper makes old open rows unknown, once, and tells whom to wake', async () => {
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
  expect([...found[0]!.wake].sort()).toEqual([request.workflowId, waiting.workflowId].sort());
});

describe('work that was only taken for accepted', () => {
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
    'by %s stays decidable, is found, and wakes the flows that joined it',
    async (_by, settlement) => {
      const { ledger, intentId, request } = await adopted(settlement);
      const joiner = elsewhere(request);
      const copy = intentOf(await ledger.openIntent(joiner));
      expect(copy).toMatchObject({ state: 'pending', joined: intentId });
      expect(await isListed(intentId)).toBe(true);
      expect(await isListed(intentId, 'pending')).toBe(true);
      const { wake } = await ledger.decide({ intentId: copy.intentId, decision: 'not-charged', by: 'ana' });
      expect([...wake].sort()).toEqual([joiner.workflowId, request.workflowId].sort());
      expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', reserved: 0 });
      expect(await isListed(intentId)).toBe(false);
    },
  );

  test('by a person may be decided again until it is final, never after', async () => {
    const { ledger, intentId } = await settledAs('unknown');
    await ledger.decide({ intentId, decision: 'charged', by: 'ana' });
    expect(await isListed(intentId)).toBe(true);
    await ledger.decide({ intentId, decision: 'charged', requestId: REQUEST_ID, by: 'bia' });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'pending', requestId: REQUEST_ID });
    await ledger.settle(intentId, { state: 'done', finalState: 'done' });
    expect(await isListed(intentId)).toBe(false);
    await expect(ledger.decide({ intentId, decision: 'abandon', by: 'ana' })).rejects.toThrow(/decided before/);
  });

  test('is unknown again when nothing confirms it, with all who joined it; a 202 of its own is not', async () => {
    const { ledger, intentId, request } = await adopted({ state: 'pending', evidence: { adopted: 'own time' } });
    const copy = intentOf(await ledger.openIntent(elsewhere(request)));
    const doubted = await ledger.doubt({ intentId, doubt: 'unconfirmed', askedBy: request.workflowId });
    expect(doubted).toMatchObject({ intent: { state: 'unknown', reserved: 5_000 }, wake: [copy.workflowId] });
    expect(await ledger.find(copy.intentId)).toMatchObject({ state: 'unknown' });

    const own = await settledAs('pending');
    const order = { intentId: own.intentId, askedBy: '' };
    expect((await ledger.doubt({ ...order, doubt: 'unconfirmed' })).intent.state).toBe('pending');
    // Nothing can be asked about it: neither its status nor a request.
    expect((await ledger.doubt({ ...order, doubt: 'unreadable' })).intent.state).toBe('unknown');
  });

  test.each([
    ['pending', { state: 'pending' }],
    ['paid and lost', { state: 'charged_lost' }],
  ] as const)('%s by the balance was charged: "not-charged" is refused, "abandon" is not', async (_name, state) => {
    const proof = { charged: amount(5_000), evidence: { proof: 'balance' } };
    const { ledger, intentId } = await settledAs('unknown');
    await ledger.settle(intentId, { ...state, ...proof });
    await expect(ledger.decide({ intentId, decision: 'not-charged', by: 'ana' })).rejects.toThrow(
      /the balance has proved it, so "not-charged" would pay twice/,
    );
    await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', evidence: { decision: 'abandon' } });
  });
});

describe('work that is pending for longer than any flow waits, and of which nothing tells what it costs', () => {
  const OVERDUE_MS = 31 * 86_400_000;
  /** The floor leaves room for one call beside the price that is reserved for the work. */
  async function forgotten(ageMs = OVERDUE_MS) {
    const account = randomUUID();
    const made = makeLedger(database.db, { settings: { accounts: { [account]: { minBalance: amount(10_000) } } } });
    const { ledger, clock } = made;
    const request = refreshRequest({ account });
    const { intentId } = intentOf(await ledger.openIntent(request));
    await ledger.settle(intentId, { state: 'pending', httpStatus: 202, requestId: randomUUID(), charged: amount(0) });
    clock.nowMs += ageMs;
    /** Another call; its answer tells the balance. */
    const buy = async (): Promise<string> => {
      const verdict = await ledger.openIntent(refreshRequest({ account }));
      if (verdict.kind !== 'send') return verdict.kind;
      clock.nowMs += MINUTE_MS;
      const told = { charged: amount(0), balanceAfter: amount(15_000) };
      await ledger.settle(verdict.intent.intentId, { state: 'done', ...told });
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

  test('is told, keeps its reserve for as long as nobody decides, and no longer', async () => {
    const { account, ledger, clock, intentId, buy, listed, decide } = await forgotten();
    expect(await listed()).toEqual([`pending ${intentId}`]);
    // The service has accepted it: who decides about what is unknown does not decide about this.
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

  test('given up, its price goes on counting as unknown, and the next balance may contain it', async () => {
    const { ledger, clock, request, intentId, buy, decide } = await forgotten();
    clock.nowMs += MINUTE_MS;
    await decide('abandon');
    expect(await ledger.find(intentId)).toMatchObject({ state: 'closed', reserved: 5_000, charged: null });
    expect(await spentOf(database.db, request)).toEqual({ known: 0, unknown: 1 });
    expect(await buy()).toBe('over budget');
    clock.nowMs += MINUTE_MS;
    // As after a call of another machine, whose answer tells it.
    await sql`update tramita.intent set balance_at = ${new Date(clock.nowMs)} where account = ${request.account}
      and balance_after is not null`.execute(database.db);
    expect(await buy()).toBe('send');
  });

  test('called charged it stays pending, to be asked for and decided again', async () => {
    const { account, ledger, clock, intentId, listed, decide } = await forgotten();
    await decide('charged');
    expect(await ledger.find(intentId)).toMatchObject({ state: 'pending', reserved: 5_000 });
    expect(await listed()).toEqual([`pending ${intentId}`]);
    // A person has looked: it alarms nobody any more.
    expect(await countUndecided(database.db, { account, nowMs: clock.nowMs })).toEqual([]);
    await ledger.settle(intentId, { state: 'done', charged: amount(700), finalState: 'done' });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 700, reserved: 0 });
  });

  test('a late answer contradicts the decision: it is kept, and not applied', async () => {
    const { ledger, intentId, decide } = await forgotten();
    await decide('not-charged');
    expect(await ledger.settle(intentId, { state: 'done', charged: amount(700) })).toMatchObject({ applied: false });
  });

  test('a day earlier it is waited for, and not decided', async () => {
    const { listed, decide } = await forgotten(OVERDUE_MS - 86_400_000);
    expect(await listed()).toEqual([]);
    await expect(decide('not-charged')).rejects.toThrow('or whose charge nothing has reported for 31 days');
  });

  test('a flow that took it over is told', async () => {
    const { ledger, clock, request, intentId, decide } = await forgotten(OVERDUE_MS - 86_400_000);
    const joiner = elsewhere(request);
    expect(intentOf(await ledger.openIntent(joiner))).toMatchObject({ state: 'pending', joined: intentId });
    clock.nowMs += 86_400_000;
    expect((await decide('not-charged')).wake).toContain(joiner.workflowId);
  });
});
