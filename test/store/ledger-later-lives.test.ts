/** Resets, recoveries and dependent flows: a paid answer is found again. */
import { randomUUID } from 'node:crypto';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  closeStep,
  elsewhere,
  intentOf,
  jsonBody,
  makeLedger,
  openCall,
  refreshRequest,
} from './support.js';

const database = withDatabase();

test('a reset that returns to an ordinal without a row finds it closed and sends nothing', async () => {
  const { ledger } = makeLedger(database.db);
  const first = refreshRequest();
  const second = { ...first, ordinal: 2, attemptToken: randomUUID() };
  await ledger.settle(intentOf(await ledger.openIntent(second)).intentId, {
    state: 'done',
    httpStatus: 200,
    body: jsonBody({}),
  });
  expect(await ledger.openIntent(first)).toMatchObject({ kind: 'closed', intent: { ordinal: 1, state: 'closed' } });
  expect(await ledger.openIntent({ ...second, attemptToken: randomUUID() })).toMatchObject({
    kind: 'stored',
    intent: { state: 'done' },
  });
});

test('maxAge accepts a refresh that was recovered by its status without any 2xx', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'unknown', httpStatus: 502 });
  await ledger.decide({ intentId, decision: 'charged', by: 'ana' });
  await ledger.settle(intentId, { state: 'done', finalState: 'done' });
  expect(await ledger.openIntent(elsewhere(request, { maxAgeMs: MINUTE_MS }))).toMatchObject({
    kind: 'stored',
    intent: { joined: intentId },
  });
});

test('maxAge accepts no refresh that failed', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'done', httpStatus: 200, finalState: 'failed' });
  expect((await ledger.openIntent(elsewhere(request, { maxAgeMs: MINUTE_MS }))).kind).toBe('send');
});

test('when a call is decided as not charged, one waiting flow sends and the others take its answer', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'unknown' });
  await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
  const sender = intentOf(await ledger.openIntent(elsewhere(request, { joinIntent: intentId })));
  expect(sender.state).toBe('open');
  await ledger.settle(sender.intentId, { state: 'done', httpStatus: 200, finalState: 'done' });
  const late = await ledger.openIntent(elsewhere(request, { joinIntent: intentId }));
  expect(late).toMatchObject({ kind: 'stored', intent: { joined: sender.intentId } });
});

test('pending work that no living flow can still wait for is not joined', async () => {
  const { ledger, clock } = makeLedger(database.db);
  const request = refreshRequest();
  await ledger.settle(intentOf(await ledger.openIntent(request)).intentId, {
    state: 'pending',
    requestId: randomUUID(),
  });
  expect((await ledger.openIntent(elsewhere(request))).kind).toBe('stored');
  clock.nowMs += 32 * 86_400_000;
  expect((await ledger.openIntent(elsewhere(request))).kind).toBe('send');
});

test('a late answer to an unknown call wakes the flow that is parked on it', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db);
  clock.nowMs += 70_000;
  expect(await closeStep(ledger, request, { deadlineMs: 65_000 })).toMatchObject({ state: 'unknown' });
  const settled = await ledger.settle(intentId, { state: 'done', httpStatus: 200, finalState: 'done' });
  expect(settled).toMatchObject({ applied: true, wakes: [{ workflowId: request.workflowId }] });
});
