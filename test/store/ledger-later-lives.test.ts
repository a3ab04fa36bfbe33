/** Resets, recoveries and dependents: an answer that was paid for once is found again, whatever way leads back to it. */
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

test('a reset that comes back to an ordinal without a row finds the door shut, not a second send', async () => {
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

test('maxAge takes a refresh that was recovered by its status, though no 2xx of it was ever read', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'unknown', httpStatus: 502 });
  await ledger.decide({ intentId, decision: 'charged', by: 'ana' });
  await ledger.settle(intentId, { state: 'done', finalState: 'done' });
  expect(await ledger.openIntent(elsewhere(request, { maxAgeMs: MINUTE_MS }))).toMatchObject({
    kind: 'stored',
    reused: true,
  });
});

test('maxAge takes no refresh that ended empty or failed', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'done', httpStatus: 200, finalState: 'failed' });
  expect((await ledger.openIntent(elsewhere(request, { maxAgeMs: MINUTE_MS }))).kind).toBe('send');
});

test('of many flows that waited for a call decided as not charged, one sends and the others take its answer', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'unknown' });
  await ledger.decide({ intentId, decision: 'not-charged', by: 'ana' });
  const sender = intentOf(await ledger.openIntent(elsewhere(request, { joinIntent: intentId })));
  expect(sender.state).toBe('open');
  await ledger.settle(sender.intentId, { state: 'done', httpStatus: 200, finalState: 'done' });
  const late = await ledger.openIntent(elsewhere(request, { joinIntent: intentId }));
  expect(late).toMatchObject({ kind: 'stored', intent: { joined: sender.intentId } });
});

test('pending work that no living flow can still wait for is not adopted', async () => {
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

test('a late answer of a row that was closed as unknown wakes the flow that is parked on it', async () => {
  const { ledger, clock, request, intentId } = await openCall(database.db);
  clock.nowMs += 70_000;
  expect(await closeStep(ledger, request, { deadlineMs: 65_000 })).toMatchObject({ state: 'unknown' });
  const settled = await ledger.settle(intentId, { state: 'done', httpStatus: 200, finalState: 'done' });
  expect(settled).toMatchObject({ applied: true, wake: [request.workflowId] });
});
