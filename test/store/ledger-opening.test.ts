/** Opening an intent: which calls may be sent, which have an answer, and which are ambiguous. */
import { randomUUID } from 'node:crypto';
import type { OpenIntent } from '../../src/ledger/index.js';
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
  openCall,
  refreshRequest,
} from './support.js';

const database = withDatabase();

describe('opening a step:', () => {
  test('a first call may be sent, and its row is open, reserved and free of personal data', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    const verdict = await ledger.openIntent(request);
    expect(verdict.kind).toBe('send');
    const row = await ledger.find(intentOf(verdict).intentId);
    expect(row).toEqual(intentOf(verdict));
    expect(row).toMatchObject({ state: 'open', reserved: 5_000, charged: null, joined: null, ordinal: 1 });
    expect(row?.subject).not.toContain(String(request.params['cnj']));
  });

  test('every opening takes two round trips', async () => {
    const limits = { maxSpendPerDay: amount(9e9), maxSpendPerFlow: amount(9e9), minBalance: amount(1) };
    const { ledger } = makeLedger(database.db, { settings: { accounts: { default: limits } } });
    const request = refreshRequest({ once: randomUUID(), maxAgeMs: MINUTE_MS, joinIntent: randomUUID() });
    const sent = await countRoundTrips(() => ledger.openIntent(request));
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatch(/^begin.*pg_advisory_xact_lock/s);
    expect(sent[1]).toMatch(/pg_advisory_xact_lock.*insert into.*; commit$/s);
    expect(await countRoundTrips(() => ledger.openIntent(elsewhere(request, { once: randomUUID() })))).toHaveLength(2);
  });

  test('the same attempt may send after a lost commit acknowledgement', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    await ledger.openIntent(request);
    const again = await ledger.openIntent(request);
    expect(again.kind).toBe('send');
    expect(await ledger.list({ workflowId: request.workflowId })).toHaveLength(1);
  });

  test('another attempt at an open step is ambiguous and changes nothing', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    const first = intentOf(await ledger.openIntent(request));
    const second = await ledger.openIntent({ ...request, attemptToken: randomUUID(), attempt: 2 });
    expect(second).toEqual({ kind: 'ambiguous', intent: first });
    expect(await ledger.find(first.intentId)).toEqual(first);
  });

  test('a later attempt without any row is ambiguous and writes none', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest({ attempt: 2 });
    expect(await ledger.openIntent(request)).toEqual({ kind: 'ambiguous' });
    expect(await ledger.list({ workflowId: request.workflowId })).toEqual([]);
  });

  test.each(['pending', 'done', 'rejected', 'not_sent', 'charged_lost'] as const)(
    'a step that ended as %s gives its stored result, also to attempt 1 of a reset run',
    async (state) => {
      const { ledger, request, intentId } = await openCall(database.db);
      const { intent } = await ledger.settle(intentId, { state, requestId: REQUEST_ID });
      const again = await ledger.openIntent({ ...request, attemptToken: randomUUID() });
      expect(again).toEqual({ kind: 'stored', intent, eventSeen: false });
    },
  );

  test('an unknown step stays ambiguous, and a closed step sends nothing', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'unknown' });
    const late = { ...request, attemptToken: randomUUID() };
    expect((await ledger.openIntent(late)).kind).toBe('ambiguous');
    await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
    expect((await ledger.openIntent(late)).kind).toBe('closed');
    expect((await ledger.openIntent({ ...late, ordinal: 2 })).kind).toBe('send');
  });

  test('a step that was used for another call is refused with an explanation', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    await ledger.openIntent(request);
    const other = refreshRequest({ workflowId: request.workflowId, firstRunId: request.firstRunId });
    expect(await ledger.openIntent(other)).toMatchObject({
      kind: 'step conflict',
      problem: expect.stringMatching(/^step "refresh" #1 .*another call/) as string,
    });
  });

  test('a call has the same subject however its arguments are spelled', async () => {
    const { ledger } = makeLedger(database.db);
    const bare = refreshRequest({ params: { cnj: '10000015120268260100' } });
    const masked = refreshRequest({ params: { cnj: '1000001-51.2026.8.26.0100' } });
    const first = intentOf(await ledger.openIntent(bare));
    expect(await ledger.openIntent(masked)).toMatchObject({
      kind: 'open elsewhere',
      intent: { subject: first.subject },
    });
  });
});

describe('equal calls of other runs:', () => {
  test('pending work is joined with its request id, and nothing is reserved or sent', async () => {
    const { ledger, clock, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID, serviceOpenedAtMs: clock.nowMs - 70 });
    await ledger.markRunningSeen(intentId);
    const verdict = await ledger.openIntent(elsewhere(request));
    expect(verdict).toMatchObject({ kind: 'stored', eventSeen: false, intent: { joined: intentId } });
    expect(intentOf(verdict)).toMatchObject({
      state: 'pending',
      joined: intentId,
      requestId: REQUEST_ID,
      reserved: 0,
      charged: 0,
      runningSeen: true,
      serviceOpenedAtMs: clock.nowMs - 70,
    });
    expect(await ledger.find(intentOf(verdict).intentId)).toEqual(intentOf(verdict));
  });

  test('a call that joins pending work sees an earlier event', async () => {
    const { ledger, inbox, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
    await inbox.record(incomingEvent({ keys: request.waiterKeys }));
    expect(await ledger.openIntent(elsewhere(request))).toMatchObject({ kind: 'stored', eventSeen: true });
    expect(await ledger.openIntent(request)).toMatchObject({ kind: 'stored', eventSeen: true });
  });

  test('an answer that another run bought since this run asked is shared; an older answer or its own is not', async () => {
    const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
    clock.nowMs += 1_000;
    const answeredAtMs = clock.nowMs;
    await ledger.settle(intentId, { state: 'done', finalState: 'failed', charged: amount(5_000) });
    clock.nowMs += 1_000;
    const openedBy = async (changes: Partial<OpenIntent>) =>
      (await ledger.openIntent(elsewhere(request, changes))).kind;
    expect(await openedBy({ askedAtMs: answeredAtMs })).toBe('stored');
    const taken = await ledger.openIntent(elsewhere(request, { askedAtMs: answeredAtMs - 1 }));
    expect(taken).toMatchObject({ kind: 'stored', intent: { joined: intentId, charged: 0 } });
    const again = { ...request, step: 'again', attemptToken: randomUUID() };
    expect((await ledger.openIntent(again)).kind).toBe('send');
    await ledger.settle(again.attemptToken, { state: 'rejected', httpStatus: 400 });
    // A flow that buys again on purpose accepts only what is newer than its last purchase.
    expect(await openedBy({ askedAtMs: 0, notBeforeMs: answeredAtMs + 1 })).toBe('send');
  });

  test('a lost charge of another run since this run asked is shared until a person decides it', async () => {
    const { ledger, clock } = makeLedger(database.db);
    const askedAtMs = clock.nowMs;
    const request = refreshRequest({ askedAtMs });
    const { intentId } = intentOf(await ledger.openIntent(request));
    clock.nowMs += 1_000;
    await ledger.settle(intentId, { state: 'charged_lost', httpStatus: 200, charged: amount(5_000) });
    clock.nowMs += 1_000;
    const openedBy = async (changes: Partial<OpenIntent>) => ledger.openIntent(elsewhere(request, changes));
    expect(await openedBy({})).toMatchObject({
      kind: 'stored',
      intent: { state: 'charged_lost', joined: intentId, charged: 0, reserved: 0 },
    });
    const later = await openedBy({ askedAtMs: clock.nowMs });
    expect(later.kind).toBe('send');
    await ledger.settle(intentOf(later).intentId, { state: 'not_sent' });
    await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
    expect((await openedBy({})).kind).toBe('send');
  });

  test('a lost charge that a history proved is not shared, because its time is not known', async () => {
    const { ledger, clock, request, intentId } = await openCall(database.db, { askedAtMs: NOON_MS });
    clock.nowMs += 1_000;
    await ledger.settle(intentId, { state: 'charged_lost', httpStatus: 200, evidence: { proof: 'history' } });
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('send');
  });

  test.each([
    ['after the answer', { askedAtMs: NOON_MS + 2 }],
    ['at an unknown time', {}],
  ])('a run that was started %s buys for itself', async (_name, asked) => {
    const { ledger, clock, request, intentId } = await openCall(database.db);
    clock.nowMs += 1;
    await ledger.settle(intentId, { state: 'done', finalState: 'done' });
    expect((await ledger.openIntent(elsewhere(request, asked))).kind).toBe('send');
  });

  test('a third run joins the original, never a copy', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
    await ledger.openIntent(elsewhere(request));
    expect(intentOf(await ledger.openIntent(elsewhere(request))).joined).toBe(intentId);
  });

  test('an open call is waited for without a row, and its settlement wakes the waiting flow', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    const waiting = elsewhere(request);
    expect(await ledger.openIntent(waiting)).toMatchObject({ kind: 'open elsewhere', intent: { intentId } });
    expect(await ledger.list({ workflowId: waiting.workflowId })).toEqual([]);
    const { wakes } = await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(1_200) });
    expect(flowsOf(wakes)).toEqual([waiting.workflowId]);
    const joined = await ledger.openIntent({ ...waiting, attemptToken: randomUUID(), joinIntent: intentId });
    expect(joined).toMatchObject({ kind: 'stored', intent: { state: 'done', joined: intentId } });
  });

  test('an unknown call is waited for, and its decision wakes the waiting flow', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'unknown' });
    const waiting = elsewhere(request);
    expect(await ledger.openIntent(waiting)).toMatchObject({ kind: 'unknown elsewhere', intent: { intentId } });
    const { wakes } = await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
    expect(flowsOf(wakes)).toContain(waiting.workflowId);
    expect((await ledger.openIntent({ ...waiting, joinIntent: intentId })).kind).toBe('send');
  });

  test('a run that waited for an abandoned call ends with that decision', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'unknown' });
    await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
    const verdict = await ledger.openIntent(elsewhere(request, { joinIntent: intentId }));
    expect(verdict).toMatchObject({
      kind: 'closed',
      intent: { evidence: { decision: 'abandon' }, joined: intentId },
    });
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('send');
  });

  test.each([
    ['rejected', 'send'],
    ['not_sent', 'send'],
    ['charged_lost', 'stored'],
    ['pending', 'stored'],
  ] as const)('a run that waited for a row that became %s gets the verdict %s', async (state, expected) => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state, requestId: REQUEST_ID });
    const verdict = await ledger.openIntent(elsewhere(request, { joinIntent: intentId }));
    expect(verdict.kind).toBe(expected);
    if (expected === 'stored') expect(intentOf(verdict)).toMatchObject({ state, joined: intentId });
  });

  test('work without documents does not answer a call that wants them; work with documents answers both', async () => {
    const { ledger } = makeLedger(database.db);
    const plain = refreshRequest();
    await ledger.openIntent(plain);
    const full = elsewhere(plain, { flags: ['documents'] });
    expect((await ledger.openIntent(full)).kind).toBe('send');
    await ledger.settle(intentOf(await ledger.openIntent(full)).intentId, { state: 'pending', requestId: REQUEST_ID });
    expect(intentOf(await ledger.openIntent(elsewhere(plain))).requestId).toBe(REQUEST_ID);
  });

  test('another account, and another step of the same run, never join', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
    expect((await ledger.openIntent(elsewhere(request, { account: 'other' }))).kind).toBe('send');
    expect((await ledger.openIntent({ ...request, step: 'another', attemptToken: randomUUID() })).kind).toBe('send');
  });

  test('a new run of the same workflow id joins the pending work of the run before', async () => {
    const { ledger, request, intentId } = await openCall(database.db);
    await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
    const nextRun = elsewhere(request, { workflowId: request.workflowId });
    expect(intentOf(await ledger.openIntent(nextRun)).joined).toBe(intentId);
  });
});

describe('maxAge', () => {
  const maxAgeMs = 10 * MINUTE_MS;

  test('a successful answer is reused up to maxAge, and not a millisecond longer', async () => {
    const { ledger, clock, request, intentId } = await openCall(database.db);
    const body = jsonBody({ data: { id: 1 } });
    await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(1_200), body });
    clock.nowMs += maxAgeMs;
    const young = await ledger.openIntent(elsewhere(request, { maxAgeMs }));
    expect(young).toMatchObject({ kind: 'stored', intent: { joined: intentId, charged: 0 } });
    expect((await ledger.answerBytes(intentOf(young).intentId))?.bytes).toEqual(body.bytes);
    clock.nowMs += 1;
    expect((await ledger.openIntent(elsewhere(request, { maxAgeMs }))).kind).toBe('send');
  });

  test('an answer from before notBeforeMs is not reused', async () => {
    const { ledger, clock } = makeLedger(database.db);
    const request = refreshRequest();
    await ledger.settle(intentOf(await ledger.openIntent(request)).intentId, { state: 'done', httpStatus: 200 });
    const later = elsewhere(request, { maxAgeMs, notBeforeMs: clock.nowMs + 1 });
    expect((await ledger.openIntent(later)).kind).toBe('send');
  });

  test.each([
    { state: 'done', httpStatus: 404 },
    { state: 'done', httpStatus: 200, finalState: 'failed' },
    { state: 'done', httpStatus: 200, finalState: 'empty' },
    { state: 'rejected', httpStatus: 422 },
    { state: 'charged_lost', httpStatus: 200 },
  ] as const)('an answer that is not a success is not reused: %p', async (settlement) => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest();
    await ledger.settle(intentOf(await ledger.openIntent(request)).intentId, settlement);
    expect((await ledger.openIntent(elsewhere(request, { maxAgeMs }))).kind).toBe('send');
  });
});

describe('once', () => {
  const paid = async (state: 'done' | 'pending' | 'charged_lost') => {
    const made = makeLedger(database.db);
    const request = refreshRequest({ once: randomUUID() });
    const { intentId } = intentOf(await made.ledger.openIntent(request));
    await made.ledger.settle(intentId, { state, requestId: REQUEST_ID, httpStatus: 200, charged: amount(700) });
    return { ...made, request, intentId };
  };

  test.each(['done', 'pending', 'charged_lost'] as const)(
    'a step that is %s is shared with every later run, also after years',
    async (state) => {
      const { ledger, clock, request, intentId } = await paid(state);
      clock.nowMs += 3 * 365 * 24 * 60 * MINUTE_MS;
      for (const run of [elsewhere(request), elsewhere(request, { workflowId: request.workflowId })]) {
        const verdict = await ledger.openIntent(run);
        expect(verdict).toMatchObject({
          kind: 'stored',
          intent: { state, joined: intentId, charged: 0 },
        });
      }
    },
  );

  test('open and unknown steps of another run are waited for', async () => {
    const { ledger, request, intentId } = await openCall(database.db, { once: randomUUID() });
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('open elsewhere');
    await ledger.settle(intentId, { state: 'unknown' });
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('unknown elsewhere');
  });

  test('a step that cost nothing may be sent again', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest({ once: randomUUID() });
    await ledger.settle(intentOf(await ledger.openIntent(request)).intentId, { state: 'rejected', httpStatus: 422 });
    const second = elsewhere(request);
    await ledger.settle(intentOf(await ledger.openIntent(second)).intentId, { state: 'not_sent' });
    const third = elsewhere(request);
    const { intentId } = intentOf(await ledger.openIntent(third));
    await ledger.settle(intentId, { state: 'unknown' });
    await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('send');
  });

  test('a step that was charged and refused in the end is not bought again under its key', async () => {
    const { ledger, request, intentId } = await openCall(database.db, { once: randomUUID() });
    await ledger.settle(intentId, { state: 'pending', charged: amount(2000), requestId: randomUUID() });
    await ledger.settle(intentId, { state: 'rejected', httpStatus: 404 });
    for (const again of [elsewhere(request), elsewhere(request)]) {
      expect(await ledger.openIntent(again)).toMatchObject({
        kind: 'stored',
        intent: { state: 'rejected', httpStatus: 404, joined: intentId, charged: 0 },
      });
    }
  });

  test('an abandoned step is never bought again under its key', async () => {
    const { ledger, request, intentId } = await openCall(database.db, { once: randomUUID() });
    await ledger.settle(intentId, { state: 'unknown' });
    await ledger.decide({ intentId, decision: 'abandon', by: 'ana' });
    expect(await ledger.openIntent(elsewhere(request))).toMatchObject({
      kind: 'closed',
      intent: { evidence: { decision: 'abandon' } },
    });
  });

  test('a key with other arguments, or with more flags than were paid for, is a conflict', async () => {
    const { ledger, request } = await paid('done');
    const other = refreshRequest({ once: request.once! });
    expect(await ledger.openIntent(other)).toMatchObject({
      kind: 'once conflict',
      problem: expect.stringContaining('with other arguments') as string,
    });
    const more = elsewhere(request, { flags: ['documents'] });
    expect(await ledger.openIntent(more)).toMatchObject({
      kind: 'once conflict',
      problem: expect.stringContaining('without "documents"') as string,
    });
  });

  test('the key belongs to one account, type and step', async () => {
    const { ledger, request } = await paid('done');
    for (const change of [{ account: 'other' }, { workflowType: 'callOperation' }, { step: 'again' }]) {
      const verdict = await ledger.openIntent(elsewhere(request, change));
      expect(verdict.kind).toBe('send');
      await ledger.settle(intentOf(verdict).intentId, { state: 'rejected', httpStatus: 422 });
    }
  });
});
