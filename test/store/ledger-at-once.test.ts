/** Openings and settlements in one round trip do what those of two do, and write nothing when a precondition fails. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createLifeMemory, type IntentVerdict, type Ledger, type OpenIntent } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  REQUEST_ID,
  amount,
  countRoundTrips,
  elsewhere,
  intentOf,
  jsonBody,
  makeLedger,
  refreshRequest,
  setClock,
} from './support.js';

const database = withDatabase();

/** A ledger that has opened a call of this kind before, so it knows the highest charge. */
async function warm(settings: Parameters<typeof makeLedger>[1] = {}): Promise<ReturnType<typeof makeLedger>> {
  const made = makeLedger(database.db, settings);
  await made.ledger.openIntent(refreshRequest());
  return made;
}

const knownRow = (verdict: IntentVerdict) => {
  if (verdict.kind !== 'send' || verdict.row === undefined) throw new Error(`no row was written: ${verdict.kind}`);
  return verdict.row;
};

describe('an opening without an obstacle', () => {
  test('takes one round trip, and writes the same row and waiters as in two', async () => {
    const { ledger, clock } = await warm();
    const request = refreshRequest();
    const twin = refreshRequest();
    let verdict: IntentVerdict | undefined;
    const sent = await countRoundTrips(async () => (verdict = await ledger.openIntent(request)));
    expect(sent).toHaveLength(1);
    const byLook = await makeLedger(database.db, { clock }).ledger.openIntent(twin);
    const rows = await Promise.all([request, twin].map(rowOf));
    const own = (row: object) => ({ ...row, seq: 0, intent_id: '', workflow_id: '', first_run_id: '', subject: '' });
    const bare = (row: object) => ({ ...own(row), attempt_token: '', waiter_keys: [], locks: [] });
    expect(bare(rows[0] as object)).toEqual(bare(rows[1] as object));
    expect(await ledger.find(request.attemptToken)).toEqual(intentOf(verdict as IntentVerdict));
    expect(intentOf(byLook).state).toBe('open');
    expect(await waitersOf(request)).toHaveLength((await waitersOf(twin)).length);
  });

  test('takes one round trip also under caps and a floor', async () => {
    const limits = { maxSpendPerDay: amount(9e9), maxSpendPerFlow: amount(9e9), minBalance: amount(1) };
    const { ledger } = await warm({ settings: { accounts: { default: limits } } });
    const sent = await countRoundTrips(() => ledger.openIntent(refreshRequest({ once: randomUUID() })));
    expect(sent).toHaveLength(1);
  });

  test('is sent once when eight flows open the same call at once', async () => {
    const { ledger } = await warm();
    const request = refreshRequest();
    const verdicts = await Promise.all(
      Array.from({ length: 8 }, (_none, at) => ledger.openIntent(at === 0 ? request : elsewhere(request))),
    );
    expect(verdicts.map(({ kind }) => kind).sort()).toEqual([...Array<string>(7).fill('open elsewhere'), 'send']);
  });

  test('is sent for three of eight calls at once under a cap with room for three', async () => {
    const account = randomUUID();
    const capped = { settings: { accounts: { [account]: { maxSpendPerDay: amount(15_000) } } } };
    const { ledger } = makeLedger(database.db, capped);
    const first = await ledger.openIntent(refreshRequest({ account }));
    const verdicts = await Promise.all(Array.from({ length: 7 }, () => ledger.openIntent(refreshRequest({ account }))));
    expect([first, ...verdicts].filter(({ kind }) => kind === 'send')).toHaveLength(3);
  });
});

describe('an opening with an obstacle ends the same in one round trip as in two:', () => {
  type Prepare = (request: OpenIntent, ledger: Ledger) => Promise<Partial<OpenIntent>>;
  const cases: readonly (readonly [string, Prepare, IntentVerdict['kind']])[] = [
    [
      'its own row',
      async (request, ledger) => ({ attemptToken: intentOf(await ledger.openIntent(request)).intentId }),
      'send',
    ],
    [
      'its own row, of another attempt',
      async (request, ledger) => {
        await ledger.openIntent({ ...request, attemptToken: randomUUID() });
        return {};
      },
      'ambiguous',
    ],
    ['a later attempt without a row', () => Promise.resolve({ attempt: 2 }), 'ambiguous'],
    [
      'an equal call on its way',
      async (request, ledger) => ({ flags: intentOf(await ledger.openIntent(elsewhere(request))).flags }),
      'open elsewhere',
    ],
    [
      'an equal call that is unknown',
      async (request, ledger) => {
        const { intentId } = intentOf(await ledger.openIntent(elsewhere(request)));
        await ledger.settle(intentId, { state: 'unknown' });
        return {};
      },
      'unknown elsewhere',
    ],
    [
      'a pending equal call',
      async (request, ledger) => {
        const { intentId } = intentOf(await ledger.openIntent(elsewhere(request)));
        await ledger.settle(intentId, { state: 'pending', requestId: randomUUID() });
        return {};
      },
      'stored',
    ],
    [
      'an answer that is young enough',
      async (request, ledger) => {
        const { intentId } = intentOf(await ledger.openIntent(elsewhere(request)));
        await ledger.settle(intentId, { state: 'done', httpStatus: 200, body: jsonBody({}) });
        return { maxAgeMs: MINUTE_MS };
      },
      'stored',
    ],
    [
      'a row under the same `once`',
      async (request, ledger) => {
        const once = randomUUID();
        await ledger.openIntent(elsewhere(request, { once, params: refreshRequest().params }));
        return { once };
      },
      'once conflict',
    ],
    [
      'a later ordinal of the step',
      async (request, ledger) => {
        await ledger.openIntent({ ...request, ordinal: 2, attemptToken: randomUUID() });
        return {};
      },
      'closed',
    ],
    ['a cap of the flow', () => Promise.resolve({ maxSpend: amount(4_999) }), 'over budget'],
    ['a shared budget', () => Promise.resolve({ budget: { key: randomUUID(), limit: amount(4_999) } }), 'over budget'],
  ];
  test.each(cases)('%s', async (_name, prepare, kind) => {
    for (const ledger of [(await warm()).ledger, makeLedger(database.db).ledger]) {
      const request = refreshRequest();
      const changes = await prepare(request, ledger);
      expect((await ledger.openIntent({ ...request, ...changes })).kind).toBe(kind);
    }
  });

  test('an account that is held', async () => {
    const account = randomUUID();
    const { ledger, clock } = makeLedger(database.db, { settings: { accounts: { [account]: { outageAfter: 1 } } } });
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account })));
    await ledger.settle(intentId, { state: 'unknown' });
    expect(await ledger.openIntent(refreshRequest({ account }))).toMatchObject({ because: 'outage' });
    await ledger.releaseHold(account);
    const throttledUntilMs = clock.nowMs + MINUTE_MS;
    const sent = intentOf(await ledger.openIntent(refreshRequest({ account })));
    await ledger.settle(sent.intentId, { state: 'rejected', httpStatus: 429, throttledUntilMs });
    expect(await ledger.openIntent(refreshRequest({ account }))).toMatchObject({ because: 'throttled' });
    clock.nowMs = throttledUntilMs;
    expect(await countRoundTrips(() => ledger.openIntent(refreshRequest({ account })))).toHaveLength(1);
  });

  test('a life of the database that its worker does not know', async () => {
    const memory = createLifeMemory();
    const { ledger } = await warm({ memory });
    memory.heardIn(randomUUID());
    expect(await ledger.openIntent(refreshRequest())).toMatchObject({ kind: 'account held', because: 'ledger' });
  });

  test('a committed row that is missing', async () => {
    const memory = createLifeMemory();
    const { ledger } = await warm({ memory });
    memory.committed(randomUUID());
    expect(await ledger.openIntent(refreshRequest())).toMatchObject({ kind: 'account held', because: 'ledger' });
  });

  test('a higher charge than before, which is reserved', async () => {
    const account = randomUUID();
    const { ledger } = makeLedger(database.db);
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account })));
    await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(7_000) });
    expect(intentOf(await ledger.openIntent(refreshRequest({ account }))).reserved).toBe(7_000);
    expect(await countRoundTrips(() => ledger.openIntent(refreshRequest({ account })))).toHaveLength(1);
  });

  test('a server with repeatable read as default, which takes two round trips', async () => {
    const url = new URL(database.directUrl);
    url.searchParams.set('options', '-c default_transaction_isolation=repeatable\\ read');
    const { ledger } = makeLedger(database.connect({ url: url.href }));
    await ledger.openIntent(refreshRequest());
    expect((await ledger.openIntent(refreshRequest())).kind).toBe('send');
    const row = knownRow(await ledger.openIntent(refreshRequest()));
    const settled = await ledger.settle(row.kept.intent.intentId, { state: 'done', httpStatus: 200 }, { row });
    expect(settled).toMatchObject({ applied: true, intent: { state: 'done' } });
  });
});

describe('a settlement of a known row', () => {
  test('takes one round trip, and wakes and stores the same as in two', async () => {
    const { ledger } = await warm();
    const request = refreshRequest();
    const row = knownRow(await ledger.openIntent(request));
    const { intentId } = row.kept.intent;
    const waiting = elsewhere(request);
    expect((await ledger.openIntent(waiting)).kind).toBe('open elsewhere');
    const body = jsonBody({ data: 1 });
    const done = { state: 'done', httpStatus: 200, charged: amount(900), balanceAfter: amount(5), body } as const;
    let settled: Awaited<ReturnType<Ledger['settle']>> | undefined;
    const sent = await countRoundTrips(async () => (settled = await ledger.settle(intentId, done, { row })));
    expect(sent).toHaveLength(1);
    expect(settled).toMatchObject({ applied: true, wakes: [{ workflowId: waiting.workflowId }] });
    expect(await ledger.find(intentId)).toEqual(settled?.intent);
    expect((await ledger.answerBytes(intentId))?.bytes).toEqual(body.bytes);
    expect(await waitersOf(request)).toEqual([]);
  });

  test('takes one round trip after a look for a poll', async () => {
    const { ledger } = await warm();
    const row = knownRow(await ledger.openIntent(refreshRequest()));
    const { intentId } = row.kept.intent;
    await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID }, { row });
    const look = await ledger.lookForPoll({ intentId, account: 'default', read: 'getRefreshStatus' });
    expect(look).toMatchObject({ own: { state: 'pending' }, original: { intentId }, isBarred: false });
    const sent = await countRoundTrips(async () => {
      await ledger.settle(intentId, { state: 'done', finalState: 'done' }, look);
    });
    expect(sent).toHaveLength(1);
    expect(await ledger.find(intentId)).toMatchObject({ state: 'done', requestId: REQUEST_ID });
  });

  test('that has changed since uses its current state and writes nothing twice', async () => {
    const { ledger } = await warm();
    const request = refreshRequest();
    const row = knownRow(await ledger.openIntent(request));
    const { intentId } = row.kept.intent;
    await ledger.settle(intentId, { state: 'done', charged: amount(700), httpStatus: 200 });
    const before = await traces(intentId, request);
    const late = await ledger.settle(
      intentId,
      { state: 'rejected', httpStatus: 422, body: jsonBody({ late: 1 }) },
      { row },
    );
    expect(late).toMatchObject({ applied: false, intent: { state: 'done', charged: 700 } });
    expect(await traces(intentId, request)).toEqual({ ...before, conflicts: 1 });
    const again = await ledger.settle(intentId, { state: 'done', charged: amount(700), httpStatus: 200 }, { row });
    expect(again).toMatchObject({ applied: true, wakes: [] });
    expect(await traces(intentId, request)).toEqual({ ...before, conflicts: 1 });
  });

  test('settles the original of a joined row, which has the charge', async () => {
    const { ledger } = await warm();
    const request = refreshRequest();
    const row = knownRow(await ledger.openIntent(request));
    const { intentId } = row.kept.intent;
    await ledger.settle(intentId, { state: 'pending', requestId: randomUUID() }, { row });
    const copy = intentOf(await ledger.openIntent(elsewhere(request)));
    const look = await ledger.lookForPoll({ intentId: copy.intentId, account: 'default', read: 'getRefreshStatus' });
    expect(look).toMatchObject({ own: { intentId: copy.intentId }, original: { intentId }, row: undefined });
    await ledger.settle(copy.intentId, { state: 'done', finalState: 'done', charged: amount(3) }, look);
    expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 3 });
    expect(await ledger.find(copy.intentId)).toMatchObject({ state: 'done', charged: 0 });
  });

  test('applies one of two settlements at once, and records the other as a conflict', async () => {
    const { ledger } = await warm();
    const row = knownRow(await ledger.openIntent(refreshRequest()));
    const { intentId } = row.kept.intent;
    const settle = (charged: number) =>
      ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(charged) }, { row });
    const [first, second] = await Promise.all([settle(10), settle(20)]);
    expect([first.applied, second.applied].sort()).toEqual([false, true]);
    const conflicts = await sql`select from tramita.settlement_conflict where intent_id = ${intentId}`.execute(
      database.db,
    );
    expect(conflicts.rows).toHaveLength(1);
  });
});

test('lookForPoll reports a hold, a barred read and a missing row', async () => {
  const account = randomUUID();
  const clock = setClock();
  const { ledger } = makeLedger(database.db, { clock });
  const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account })));
  const poll = { intentId, account, read: 'getRefreshStatus' };
  expect(await ledger.lookForPoll(poll)).toMatchObject({
    hold: undefined,
    isBarred: false,
    row: { kept: { intent: { intentId } } },
  });
  await ledger.throttle(account, clock.nowMs + MINUTE_MS);
  await ledger.bookUnexpected({
    account,
    operation: 'getRefreshStatus',
    workflowId: 'w',
    firstRunId: randomUUID(),
    workflowType: 'refreshCase',
    charged: amount(5),
    balanceAfter: null,
    metaRequestId: null,
    searchLogId: null,
    httpStatus: 200,
  });
  expect(await ledger.lookForPoll(poll)).toMatchObject({ hold: { because: 'throttled' }, isBarred: true });
  expect(await ledger.lookForPoll({ ...poll, intentId: randomUUID() })).toMatchObject({
    own: undefined,
    row: undefined,
  });
});

async function rowOf({ attemptToken }: OpenIntent): Promise<unknown> {
  return database.db.selectFrom('tramita.intent').selectAll().where('intent_id', '=', attemptToken).executeTakeFirst();
}

async function waitersOf({ workflowId }: OpenIntent): Promise<readonly unknown[]> {
  return database.db.selectFrom('tramita.waiter').selectAll().where('workflow_id', '=', workflowId).execute();
}

async function traces(intentId: string, request: OpenIntent): Promise<object> {
  const { rows } =
    await sql`select (select count(*) from tramita.settlement_conflict where intent_id = ${intentId})::int as conflicts,
    (select count(*) from tramita.event_wake where event_key = ${`intent:${intentId}`})::int as wakes,
    (select count(*) from tramita.answer_body)::int as bodies`.execute(database.db);
  const { conflicts, wakes } = rows[0] as { conflicts: number; wakes: number };
  return { conflicts, wakes, waiters: await waitersOf(request), row: await rowOf(request) };
}
