/** Settling: the new state of a row, the rows that joined it, and answers that come too late. */
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { readFigures, type Ledger } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  NOON_MS,
  REQUEST_ID,
  amount,
  countRoundTrips,
  elsewhere,
  flowsOf,
  incomingEvent,
  intentOf,
  jsonBody,
  makeLedger,
  refreshRequest,
  lastBalance,
  listConflicts,
  spentOf,
} from './support.js';

const database = withDatabase();

async function opened() {
  const made = makeLedger(database.db);
  // An account of its own, because the expected price is learned from earlier charges.
  const request = refreshRequest({ account: randomUUID().slice(0, 8) });
  const { intentId } = intentOf(await made.ledger.openIntent(request));
  return { ...made, request, intentId };
}

const waitersOf = async (workflowId: string): Promise<string[]> =>
  (await database.db.selectFrom('tramita.waiter').select('key').where('workflow_id', '=', workflowId).execute()).map(
    ({ key }) => key,
  );

test('settling takes two round trips', async () => {
  const { ledger, intentId } = await opened();
  const sent = await countRoundTrips(() =>
    ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID, body: jsonBody({ a: 1 }) }),
  );
  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatch(/; commit$/);
});

test('an answer is stored by its hash with all its facts, and the reservation is released', async () => {
  const { ledger, clock, request, intentId } = await opened();
  clock.nowMs += 900;
  const body = jsonBody({ data: 'ção' });
  const settled = await ledger.settle(intentId, {
    state: 'done',
    charged: amount(1_234),
    balanceAfter: amount(99_000),
    metaRequestId: 'm-1',
    searchLogId: 's-1',
    httpStatus: 200,
    body,
  });
  const bodySha256 = createHash('sha256').update(body.bytes).digest('hex');
  expect(settled).toMatchObject({ applied: true, eventSeen: false, wakes: [] });
  expect(settled.intent).toMatchObject({
    state: 'done',
    reserved: 0,
    charged: 1_234,
    bodySha256,
    settledAtMs: clock.nowMs,
  });
  expect(await ledger.find(intentId)).toEqual(settled.intent);
  expect(await ledger.answerBytes(intentId)).toMatchObject({ bytes: body.bytes, sha256: bodySha256 });
  expect(await lastBalance(database.db, request.account)).toBe(99_000);
  expect(await spentOf(database.db, request)).toEqual({ known: 1_234, unknown: 0 });
  expect(await waitersOf(request.workflowId)).toEqual([]);
});

test.each([
  ['pending', null, 5_000, 1],
  ['unknown', null, 5_000, 1],
  ['charged_lost', null, 5_000, 1],
  ['done', null, 5_000, 1],
  ['done', 0, 0, 0],
  ['rejected', null, 0, 0],
  ['not_sent', null, 0, 0],
] as const)('a row settled as %s with the charge %p reserves %d', async (state, charged, reserved, unknown) => {
  const { ledger, request, intentId } = await opened();
  const { intent } = await ledger.settle(intentId, { state, charged: charged as never });
  expect(intent).toMatchObject({ reserved, charged });
  expect((await spentOf(database.db, request)).unknown).toBe(unknown);
});

test('pending work is waited for by its request id until it is final', async () => {
  const { ledger, inbox, request, intentId } = await opened();
  const requestId = randomUUID();
  await ledger.settle(intentId, { state: 'pending', requestId });
  expect((await waitersOf(request.workflowId)).sort()).toEqual(
    [...request.waiterKeys, `intent:${intentId}`, `request:${requestId}`].sort(),
  );
  const { wakes } = await inbox.record(incomingEvent({ keys: [`request:${requestId}`] }));
  expect(wakes.map(({ workflowId }) => workflowId)).toEqual([request.workflowId]);
  await ledger.settle(intentId, { state: 'done', httpStatus: 200 });
  expect(await waitersOf(request.workflowId)).toEqual([]);
  const [row] = await database.db
    .selectFrom('tramita.intent')
    .select('waiter_keys')
    .where('intent_id', '=', intentId)
    .execute();
  expect(row?.waiter_keys).toEqual([]);
});

test('an event from before the answer is seen, an event from before the call is not', async () => {
  const { ledger, inbox, clock } = makeLedger(database.db);
  const early = refreshRequest();
  await inbox.record(incomingEvent({ keys: early.waiterKeys }));
  clock.nowMs += MINUTE_MS;
  const first = intentOf(await ledger.openIntent(early));
  expect((await ledger.settle(first.intentId, { state: 'pending', requestId: randomUUID() })).eventSeen).toBe(false);

  const request = refreshRequest();
  const second = intentOf(await ledger.openIntent(request));
  const requestId = randomUUID();
  await inbox.record(incomingEvent({ keys: [`request:${requestId}`] }));
  expect((await ledger.settle(second.intentId, { state: 'pending', requestId })).eventSeen).toBe(true);
});

test('joined rows follow the original at no cost, and their flows are woken', async () => {
  const { ledger, clock, request, intentId } = await opened();
  await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
  const joiner = elsewhere(request);
  const copy = intentOf(await ledger.openIntent(joiner));
  const body = jsonBody({ data: 1 });
  clock.nowMs += 1_000;
  const { wakes } = await ledger.settle(
    intentId,
    { state: 'done', httpStatus: 200, charged: amount(900), balanceAfter: amount(5), finalState: 'done', body },
    { askedBy: request.workflowId },
  );
  expect(flowsOf(wakes)).toEqual([joiner.workflowId]);
  expect(await ledger.find(copy.intentId)).toMatchObject({
    state: 'done',
    finalState: 'done',
    httpStatus: 200,
    settledAtMs: clock.nowMs,
    reserved: 0,
    charged: 0,
    balanceAfter: null,
  });
  expect((await ledger.answerBytes(copy.intentId))?.bytes).toEqual(body.bytes);
  expect(await waitersOf(joiner.workflowId)).toEqual([]);
});

test('settling a joined row settles the original and wakes its owner', async () => {
  const { ledger, request, intentId } = await opened();
  await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
  const joiner = elsewhere(request);
  const copy = intentOf(await ledger.openIntent(joiner));
  const settled = await ledger.settle(
    copy.intentId,
    { state: 'done', httpStatus: 200, charged: amount(900) },
    { askedBy: joiner.workflowId },
  );
  expect(settled.intent).toEqual(await ledger.find(copy.intentId));
  expect(settled.intent).toMatchObject({ intentId: copy.intentId, state: 'done', charged: 0 });
  expect(flowsOf(settled.wakes)).toEqual([request.workflowId]);
  expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 900 });
});

test('an unconfirmed wake is owed, and the relay sends it', async () => {
  const { ledger, inbox, clock, request, intentId } = await opened();
  const waiting = elsewhere(request);
  await ledger.openIntent(waiting);
  await ledger.settle(intentId, { state: 'done', httpStatus: 200 });
  clock.nowMs += MINUTE_MS;
  const taken: string[] = [];
  await inbox.takeUnwoken({ limit: 100, olderThanMs: 1_000 }, (wakes) => {
    taken.push(
      ...wakes.filter(({ eventKey }) => eventKey === `intent:${intentId}`).map(({ workflowId }) => workflowId),
    );
    return Promise.resolve(wakes);
  });
  expect(taken).toEqual([waiting.workflowId]);
});

test('the same settlement again changes nothing and is no conflict', async () => {
  const { ledger, clock, intentId } = await opened();
  const settlement = { state: 'done', httpStatus: 200, charged: amount(700), body: jsonBody({}) } as const;
  const first = await ledger.settle(intentId, settlement);
  clock.nowMs += 500;
  expect(await ledger.settle(intentId, settlement)).toEqual({ ...first, wakes: [] });
  expect(await ledger.settle(intentId, { state: 'unknown' })).toMatchObject({
    applied: true,
    intent: { state: 'done' },
  });
});

test('a late answer settles an unknown row until a person has decided', async () => {
  const { ledger, intentId } = await opened();
  await ledger.settle(intentId, { state: 'unknown', reason: 'no answer' });
  const late = await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(700) });
  expect(late).toMatchObject({ applied: true, intent: { state: 'done', charged: 700, reserved: 0 } });
});

test('after a decision a late answer is kept as a conflict, with its body, and never applied', async () => {
  const { ledger, intentId } = await opened();
  await ledger.settle(intentId, { state: 'unknown' });
  await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
  const body = jsonBody({ late: true });
  const late = await ledger.settle(intentId, { state: 'done', charged: amount(700), httpStatus: 200, body });
  expect(late).toMatchObject({ applied: false, intent: { state: 'closed', charged: null } });
  const [conflict] = await listConflicts(database.db);
  expect(conflict).toMatchObject({ intent_id: intentId, settlement: { state: 'done', charged: 700 } });
  const sha256 = createHash('sha256').update(body.bytes).digest('hex');
  expect(conflict?.body_sha256).toBe(sha256);
  expect((await ledger.settle(intentId, { state: 'not_sent' })).applied).toBe(true);
});

test('an answer that contradicts a settled row is a conflict', async () => {
  const { ledger, intentId } = await opened();
  await ledger.settle(intentId, { state: 'done', charged: amount(700) });
  expect((await ledger.settle(intentId, { state: 'done', charged: amount(800) })).applied).toBe(false);
  expect((await ledger.settle(intentId, { state: 'rejected', httpStatus: 422 })).applied).toBe(false);
  expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 700 });
});

test('a later answer does not erase the facts that it leaves out', async () => {
  const { ledger, intentId } = await opened();
  await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID, charged: amount(900), searchLogId: 's-1' });
  const { intent } = await ledger.settle(intentId, {
    state: 'done',
    httpStatus: 200,
    charged: null,
    searchLogId: null,
  });
  expect(intent).toMatchObject({ charged: 900, searchLogId: 's-1', requestId: REQUEST_ID, reserved: 0 });
});

test('a lost answer stays lost without evidence, and is pending again when evidence finds its work', async () => {
  const { ledger, intentId } = await opened();
  await ledger.settle(intentId, { state: 'charged_lost', httpStatus: 200 });
  expect((await ledger.settle(intentId, { state: 'done', httpStatus: 200 })).applied).toBe(false);
  const found = { state: 'pending', requestId: REQUEST_ID, evidence: { status: 'running' } } as const;
  expect(await ledger.settle(intentId, found)).toMatchObject({
    applied: true,
    intent: { state: 'pending', settledAtMs: null, evidence: { status: 'running' } },
  });
});

test('the ledger has no row for an id that was never opened', async () => {
  const { ledger } = makeLedger(database.db);
  await expect(ledger.settle(randomUUID(), { state: 'done' })).rejects.toThrow(/^tramita: the ledger has no intent/);
  await expect(ledger.settle("x' or true", { state: 'done' })).rejects.toThrow(/not an intent id/);
});

describe('two calls that the service answers with one request', () => {
  const ofWork = { httpStatus: 200, finalState: 'done', charged: amount(900), searchLogId: 'log-of-the-work' } as const;
  const done = { ...ofWork, state: 'done' } as const;

  /** Two pending calls with one request, and the row of the second as its poll has read it. */
  async function sharing() {
    const { request, ...made } = await opened();
    const { ledger, intentId: first } = made;
    const requestId = randomUUID();
    await ledger.settle(first, { state: 'pending', requestId, httpStatus: 202 });
    const { account } = request;
    const second = intentOf(await ledger.openIntent(refreshRequest({ account })));
    await ledger.settle(second.intentId, { state: 'pending', requestId, httpStatus: 202, charged: amount(0) });
    const { row } = await ledger.lookForPoll({ intentId: second.intentId, account, read: 'getRefreshStatus' });
    if (row === undefined) throw new Error('no row');
    return { ...made, account, first, second: second.intentId, row };
  }
  const charges = (ledger: Ledger, ...ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await ledger.find(id))?.charged));

  test.each([
    ['by the row that the poll has read', true],
    ['under the locks of the row', false],
  ])('book its one charge once, %s', async (_how, isKnown) => {
    const { ledger, account, first, second, row } = await sharing();
    await ledger.settle(first, done);
    const { intent } = await ledger.settle(second, done, isKnown ? { row } : {});
    expect(intent).toMatchObject({ state: 'done', charged: 0, reserved: 0, searchLogId: 'log-of-the-work' });
    expect(await charges(ledger, first, second)).toEqual([900, 0]);
    const { spentToday } = await readFigures(database.db, { accounts: [account], nowMs: NOON_MS });
    expect(spentToday).toEqual([{ account, amount: 900 }]);
    // The same answer again contradicts nothing.
    expect(await ledger.settle(second, done)).toMatchObject({ applied: true });
    expect(await ledger.settle(first, done)).toMatchObject({ applied: true });
    expect(await charges(ledger, first, second)).toEqual([900, 0]);
  });

  test('book it once when both polls end at the same moment, or while the work is pending', async () => {
    const { ledger, first, second, row } = await sharing();
    await Promise.all([ledger.settle(first, done), ledger.settle(second, done, { row })]);
    expect((await charges(ledger, first, second)).sort()).toEqual([0, 900]);

    const other = await sharing();
    const pending = { ...ofWork, state: 'pending', httpStatus: 202 } as const;
    await ledger.settle(other.first, pending);
    await ledger.settle(other.second, pending, { row: other.row });
    expect(await charges(ledger, other.first, other.second)).toEqual([900, null]);
  });

  test('have a charge each if the service logs two', async () => {
    const { ledger, first, second, row } = await sharing();
    await ledger.settle(first, done);
    await ledger.settle(second, { ...done, searchLogId: 'another' }, { row });
    expect(await charges(ledger, first, second)).toEqual([900, 900]);

    // The second 202 has named its own charge; the final answer of the request names that of the first call.
    const other = await sharing();
    await ledger.settle(other.second, { ...done, state: 'pending', httpStatus: 202, searchLogId: 'another' });
    await ledger.settle(other.second, done);
    await ledger.settle(other.first, done);
    expect(await charges(ledger, other.first, other.second)).toEqual([900, 900]);
    expect(await ledger.find(other.second)).toMatchObject({ searchLogId: 'another' });
  });
});

describe('the writes beside a settlement', () => {
  const done = { state: 'done', httpStatus: 200, charged: amount(700) } as const;

  beforeAll(() => sql`create table public.fact (intent_id text)`.execute(database.db));

  /** An open call, and a fact to write beside its settlement. */
  async function sent() {
    const made = makeLedger(database.db);
    const verdict = await made.ledger.openIntent(refreshRequest({ account: randomUUID().slice(0, 8) }));
    if (verdict.kind !== 'send' || verdict.row === undefined) throw new Error(`not as expected: ${verdict.kind}`);
    const { row } = verdict;
    const { intentId } = verdict.intent;
    const fact = sql`insert into public.fact (intent_id) values (${intentId})`;
    const facts = async (): Promise<number> =>
      (await sql`select from public.fact where intent_id = ${intentId}`.execute(database.db)).rows.length;
    return { ...made, intentId, row, beside: [fact], facts };
  }

  test('are one message with it while the row is unchanged', async () => {
    const { ledger, intentId, row, beside, facts } = await sent();
    const messages = await countRoundTrips(() => ledger.settle(intentId, done, { row, beside }));
    expect(messages).toHaveLength(1);
    expect(await facts()).toBe(1);
  });

  test('are made with the expected row, and again with the current row when it has changed', async () => {
    const { ledger, intentId, row, beside, facts } = await sent();
    await ledger.settle(intentId, { state: 'unknown' });
    expect(await ledger.settle(intentId, done, { row, beside })).toMatchObject({
      applied: true,
      intent: { state: 'done', charged: 700 },
    });
    expect(await facts()).toBe(2);
    await ledger.settle(intentId, done, { row, beside });
    expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 700 });
    expect(await listConflicts(database.db)).not.toContainEqual(expect.objectContaining({ intent_id: intentId }));
  });

  test('are not made for a conflict, except with a row that was expected to be open', async () => {
    const { ledger, intentId, row, beside, facts } = await sent();
    await ledger.settle(intentId, { state: 'unknown' });
    await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
    const conflicts = async (): Promise<number> =>
      (await listConflicts(database.db)).filter(({ intent_id: id }) => id === intentId).length;
    expect(await ledger.settle(intentId, done, { beside })).toMatchObject({ applied: false });
    expect([await facts(), await conflicts()]).toEqual([0, 1]);
    expect(await ledger.settle(intentId, done, { row, beside })).toMatchObject({
      applied: false,
      intent: { state: 'closed', charged: null },
    });
    expect([await facts(), await conflicts()]).toEqual([1, 2]);
  });

  test('undo the settlement when they are refused; without them it succeeds', async () => {
    const { ledger, intentId, row, beside, facts } = await sent();
    const refused = { row, beside: [...beside, sql`select 1 / 0`] };
    await expect(ledger.settle(intentId, done, refused)).rejects.toMatchObject({ code: '22012' });
    await expect(ledger.settle(intentId, done, { beside: refused.beside })).rejects.toMatchObject({ code: '22012' });
    expect([await facts(), (await ledger.find(intentId))?.state]).toEqual([0, 'open']);
    const messages = await countRoundTrips(() => ledger.settle(intentId, done, { row }));
    expect(messages).toHaveLength(1);
    expect(await ledger.find(intentId)).toMatchObject({ state: 'done', charged: 700 });
  });
});
