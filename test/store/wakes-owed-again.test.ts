/** A wake that is owed again while its signal is on its way stays owed: the flow that was signalled saw the state before. */
import { intentKey, type Wake } from '../../src/inbox/index.js';
import { createWaker } from '../../src/wakes/index.js';
import { withDatabase } from '../support/database.js';
import { MINUTE_MS, elsewhere, flowsOf, incomingEvent, jsonBody, openCall } from './support.js';

const database = withDatabase();

const nothing = (): undefined => undefined;

/** A waker whose signals end when the test says so. */
function wakerOf({ inbox, clock }: Pick<Awaited<ReturnType<typeof openCall>>, 'inbox' | 'clock'>) {
  const { promise: signalled, resolve: signal } = deferred();
  const waker = createWaker({
    inbox,
    clock: clock.now,
    signalWake: () => signalled,
    log: { warn: nothing, error: nothing },
    count: nothing,
  });
  return { waker, signal };
}

function deferred() {
  let resolve: () => void = nothing;
  const promise = new Promise<void>((resolved) => (resolve = resolved));
  return { promise, resolve: () => resolve() };
}

async function owedOf({ inbox }: Pick<Awaited<ReturnType<typeof openCall>>, 'inbox'>, eventKey: string) {
  const owed: Wake[] = [];
  await inbox.takeUnwoken({ limit: 1_000, olderThanMs: 0 }, (wakes) => {
    owed.push(...wakes.filter((wake) => wake.eventKey === eventKey));
    return Promise.resolve([]);
  });
  return flowsOf(owed);
}

test('a wake for a row that moves again before its first signal is marked stays owed', async () => {
  const call = await openCall(database.db);
  const { ledger, clock, request, intentId } = call;
  const waiting = elsewhere(request);
  expect((await ledger.openIntent(waiting)).kind).toBe('open elsewhere');
  clock.nowMs += 6 * MINUTE_MS;
  const swept = (await ledger.sweep(5 * MINUTE_MS)).find(({ intent }) => intent.intentId === intentId);
  expect(flowsOf(swept?.wakes ?? [])).toContain(waiting.workflowId);

  const eventKey = intentKey(intentId);
  const { waker, signal } = wakerOf(call);
  const waking = waker.wakeNow(swept?.wakes ?? [], { reason: 'settled' });
  // The flow that waits has got its signal: it looks again, and waits again. A signal beside it takes long.
  clock.nowMs += 1_000;
  expect((await ledger.openIntent({ ...waiting, joinIntent: intentId })).kind).toBe('unknown elsewhere');
  clock.nowMs += 1_000;
  // The row moves again in a worker that dies before it signals.
  const { wakes } = await ledger.settle(intentId, { state: 'done', httpStatus: 200, body: jsonBody({ ok: true }) });
  expect(flowsOf(wakes)).toContain(waiting.workflowId);
  signal();
  await waking;
  await waker.idle();
  expect(await owedOf(call, eventKey)).toContain(waiting.workflowId);
});

test('a wake that is signalled once is not owed any more', async () => {
  const call = await openCall(database.db);
  const { inbox, request } = call;
  const event = incomingEvent({ keys: request.waiterKeys });
  const { wakes } = await inbox.record(event);
  const { waker, signal } = wakerOf(call);
  signal();
  await waker.wakeNow(wakes, {});
  await waker.idle();
  expect(await owedOf(call, `default/${event.eventId}`)).toEqual([]);
});

test('an event that is replayed while its first signal is on its way stays owed', async () => {
  const call = await openCall(database.db);
  const { inbox, request, clock } = call;
  const event = incomingEvent({ keys: request.waiterKeys });
  const { wakes } = await inbox.record(event);
  const { waker, signal } = wakerOf(call);
  const waking = waker.wakeNow(wakes, {});
  clock.nowMs += 1_000;
  await inbox.oweReplay({ filter: { ids: [event.eventId] } });
  signal();
  await waking;
  await waker.idle();
  expect(await owedOf(call, `default/${event.eventId}`)).toEqual([request.workflowId]);
});

test('a row that moves again while the relay signals does not wait for the relay, and its new wake stays owed', async () => {
  const call = await openCall(database.db);
  const { ledger, inbox, clock, request, intentId } = call;
  const waiting = elsewhere(request);
  expect((await ledger.openIntent(waiting)).kind).toBe('open elsewhere');
  clock.nowMs += 6 * MINUTE_MS;
  await ledger.sweep(5 * MINUTE_MS);
  expect((await ledger.openIntent({ ...waiting, joinIntent: intentId })).kind).toBe('unknown elsewhere');
  const owed = await relayed(inbox, async () => {
    clock.nowMs += 1_000;
    await ledger.settle(intentId, { state: 'done', httpStatus: 200, body: jsonBody({ ok: true }) });
  });
  expect(flowsOf(owed.filter(({ eventKey }) => eventKey === intentKey(intentId)))).toContain(waiting.workflowId);
  expect(await owedOf(call, intentKey(intentId))).toContain(waiting.workflowId);
});

/** A round of the relay that delivers all it takes, after `meanwhile`. */
async function relayed(
  inbox: Pick<Awaited<ReturnType<typeof openCall>>['inbox'], 'takeUnwoken'>,
  meanwhile: () => Promise<void>,
): Promise<readonly Wake[]> {
  const taken: Wake[] = [];
  await inbox.takeUnwoken({ limit: 1_000, olderThanMs: 0 }, async (wakes) => {
    taken.push(...wakes);
    await meanwhile();
    return wakes;
  });
  return taken;
}
