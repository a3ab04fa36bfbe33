/** Retention drops old data by its settings, in batches. What a flow may need stays, and dropped data is never given out. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { storedOutcome, withoutWebhook, type OutcomeDeps } from '../../src/activities/charged/stored-outcome.js';
import { DEFAULT_GAPS, OPERATIONS, withExtraOperations } from '../../src/contract/index.js';
import { createFiles, type Files } from '../../src/files/index.js';
import { createInbox } from '../../src/inbox/index.js';
import { archiveIntents, checkLedger, dropAnswers } from '../../src/ledger/index.js';
import { createKeeping, findOverdue, recordAccess } from '../../src/privacy/index.js';
import { createRecords } from '../../src/records/index.js';
import { land, newDirectory } from '../files/support.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { BEFORE_MS, DAY_MS, LONG_AGO_MS, NOW_MS, oldCalls } from './old-calls.js';
import {
  amount,
  documentsOf,
  elsewhere,
  incomingEvent,
  intentOf,
  jsonBody,
  makeLedger,
  randomCase,
  setClock,
} from './support.js';

const FOREVER = {
  answers: null,
  records: null,
  events: null,
  eventKeys: null,
  files: null,
  archive: null,
  accessLog: null,
};

const database = withDatabase();

function book() {
  const calls = oldCalls(database.db);
  const { account, clock, ledger } = calls;
  return {
    ...calls,
    drop: (batch?: number) => {
      clock.nowMs = NOW_MS;
      return dropAnswers(database.db, {
        beforeMs: BEFORE_MS,
        nowMs: NOW_MS,
        ...(batch === undefined ? {} : { batch }),
      });
    },
    hasAnswer: async (intentId: string) => (await ledger.answerBytes(intentId)) !== undefined,
    check: async () => {
      const range = { accounts: [account], nowMs: NOW_MS, sinceMs: 0, openAtMostMs: 1 };
      return (await checkLedger(database.db, range))[0];
    },
  };
}

describe('answers', () => {
  test('older than the setting are dropped in batches, also archived ones, and their rows keep their charges', async () => {
    const { ledger, clock, request, buy, drop, hasAnswer, check } = book();
    const archived = await buy(request());
    clock.nowMs = NOW_MS;
    await buy(request());
    await archiveIntents(database.db, { beforeMs: BEFORE_MS, nowMs: NOW_MS });
    clock.nowMs = LONG_AGO_MS;
    const old = [await buy(request()), await buy(request({ once: randomUUID() })), await buy(request())];
    clock.nowMs = BEFORE_MS + 1;
    const young = await buy(request());
    expect(await drop(1)).toBeGreaterThanOrEqual(4);
    for (const intentId of [archived, ...old]) {
      expect(await hasAnswer(intentId)).toBe(false);
      expect(await ledger.find(intentId)).toMatchObject({
        state: 'done',
        charged: 1_000,
        bodySha256: null,
        evidence: { answerDropped: new Date(NOW_MS).toISOString() },
      });
    }
    expect(await hasAnswer(young)).toBe(true);
    expect(await check()).toMatchObject({ lostBodies: [], droppedBodies: 4, wrongSums: [], chain: { charged: 6_000 } });
    expect(await drop()).toBe(0);
  });

  test('that were lost without retention are still reported by the check', async () => {
    const { request, buy, check } = book();
    const lost = await buy(request());
    await sql`update tramita.intent set body_sha256 = null where intent_id = ${lost}::uuid`.execute(database.db);
    expect(await check()).toMatchObject({ lostBodies: [lost], droppedBodies: 0 });
  });

  test('stay while a younger row has the same bytes, and are stored again when they are bought again', async () => {
    const { clock, request, buy, drop, hasAnswer } = book();
    const empty = { items: [], n: randomUUID() };
    const old = await buy(request(), { body: empty });
    clock.nowMs = NOW_MS - 10 * DAY_MS;
    const young = await buy(request(), { body: empty });
    await drop();
    expect([await hasAnswer(old), await hasAnswer(young)]).toEqual([true, true]);
    const once = { only: randomUUID() };
    clock.nowMs = LONG_AGO_MS;
    const dropped = await buy(request(), { body: once });
    await drop();
    const again = await buy(request(), { body: once });
    expect([await hasAnswer(dropped), await hasAnswer(again)]).toEqual([false, true]);
  });

  test('stay while their run goes on or waits', async () => {
    const { ledger, inbox, clock, request, buy, drop, hasAnswer } = book();
    const [paid, waiting, joined] = [request(), request(), request()];
    const first = await buy(paid);
    const parked = await buy(waiting);
    const original = await buy(joined);
    const copy = intentOf(await ledger.openIntent(elsewhere(joined, { maxAgeMs: DAY_MS })));
    clock.nowMs = NOW_MS - 10 * DAY_MS;
    const later = { ...paid, step: 'documents', params: { cnj: randomCase() }, attemptToken: randomUUID() };
    intentOf(await ledger.openIntent(later));
    await inbox.waitFor({ workflowId: waiting.workflowId, intentId: parked, keys: ['cnj:1'] });
    const own = { ...later, workflowId: copy.workflowId, firstRunId: copy.firstRunId, attemptToken: randomUUID() };
    intentOf(await ledger.openIntent({ ...own, params: { cnj: randomCase() } }));
    await drop();
    expect(await Promise.all([first, parked, original, copy.intentId].map(hasAnswer))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test('that were dropped are not given out, and only a new purchase pays again', async () => {
    const { ledger, request, buy, drop } = book();
    const [plain, keyed] = [request(), request({ once: randomUUID() })];
    const old = await buy(plain);
    const oldKeyed = await buy(keyed);
    await drop();
    // A flow that would take an answer of that age buys a new one.
    expect(await ledger.openIntent(elsewhere(plain, { maxAgeMs: 600 * DAY_MS }))).toMatchObject({ kind: 'send' });
    // Its own step and the same `once` get the old purchase, and never pay a second time.
    const deps: OutcomeDeps = {
      ledger,
      files: createFiles({ filesDir: tmpdir() }),
      accounts: new Map(),
      gaps: DEFAULT_GAPS,
      catalogue: withExtraOperations(OPERATIONS, []),
      pollQueueOf: () => undefined,
    };
    for (const [step, bought] of [
      [{ ...plain, attemptToken: randomUUID() }, old],
      [{ ...plain, ordinal: 2, attemptToken: randomUUID() }, old],
      [elsewhere(keyed, { once: keyed.once! }), oldKeyed],
    ] as const) {
      const verdict = await ledger.openIntent(step);
      expect(verdict).toMatchObject({ kind: 'stored' });
      const intent = intentOf(verdict);
      expect(intent.joined ?? intent.intentId).toBe(bought);
      expect(
        await storedOutcome(deps, intent, withoutWebhook({ account: step.account, params: step.params, view: 'body' })),
      ).toMatchObject({
        outcome: 'CHARGED_LOST',
        reason: expect.stringContaining('retention or an erasure has deleted it') as string,
      });
    }
  });

  test('that a settlement uses at the same moment are not lost', async () => {
    const { ledger, clock, request, buy, hasAnswer } = book();
    const same = { same: randomUUID() };
    await buy(request(), { body: same });
    clock.nowMs = NOW_MS;
    const open = intentOf(await ledger.openIntent(request()));
    const settle = async (): Promise<unknown> =>
      ledger
        .settle(open.intentId, { state: 'done', httpStatus: 200, charged: amount(1), body: jsonBody(same) })
        // As the activity does: what the database refuses is tried again.
        .catch(() => settle());
    await Promise.all([dropAnswers(database.db, { beforeMs: BEFORE_MS, nowMs: NOW_MS }), settle()]);
    expect(await hasAnswer(open.intentId)).toBe(true);
  });
});

describe('files', () => {
  const folder = temporaryFolder('retention');
  const removed: string[] = [];
  const files: Pick<Files, 'remove'> = {
    remove: async (sha256) => {
      removed.push(sha256);
      await createFiles({ filesDir: folder }).remove(sha256);
    },
  };
  const round = (remove = files) =>
    createKeeping(
      {
        db: database.db,
        inbox: makeLedger(database.db).inbox,
        files: { ...createFiles({ filesDir: folder }), elsewhere: true, ...remove },
        clock: () => NOW_MS,
      },
      { ...FOREVER, files: 400 * DAY_MS },
    ).files();
  const hash = (): string => randomUUID().replaceAll('-', '').repeat(2);
  const download = (sha256: string, downloadedAtMs: number) => {
    const document = { account: 'default', cnj: randomCase(), documentId: randomUUID() };
    const records = createRecords({ db: database.db });
    return records
      .saveDownload({
        ...document,
        intentId: randomUUID(),
        sha256,
        bytes: 3,
        stored: `sha256/${sha256}`,
        downloadedAtMs,
      })
      .then(() => async () => (await documentsOf(database.db, document.cnj))[0]);
  };

  test('of documents are removed when no younger record has the same bytes, and the record says so', async () => {
    const [shared, own] = [hash(), hash()];
    const sharedOld = await download(shared, LONG_AGO_MS);
    const sharedYoung = await download(shared, NOW_MS - DAY_MS);
    const ownOld = await download(own, LONG_AGO_MS);
    await round();
    expect(removed).toContain(own);
    expect(removed).not.toContain(shared);
    expect(await ownOld()).toMatchObject({ stored: null, sha256: own });
    expect(await sharedOld()).toMatchObject({ stored: null });
    expect(await sharedYoung()).toMatchObject({ stored: `sha256/${shared}` });
    const { rows } =
      await sql`select from tramita.public_document where sha256 = ${own} and file_dropped_at is not null`.execute(
        database.db,
      );
    expect(rows).toHaveLength(1);
  });

  test('stay when a new record names them while others are removed', async () => {
    const pair = [hash(), hash()];
    for (const sha256 of pair) await download(sha256, LONG_AGO_MS);
    const dropped: string[] = [];
    await round({
      remove: async (sha256) => {
        dropped.push(sha256);
        const [other = ''] = pair.filter((each) => each !== sha256);
        if (dropped.length === 1) await download(other, NOW_MS - DAY_MS);
      },
    });
    expect(dropped).toHaveLength(1);
  });

  test('are removed in a later round when the store was away', async () => {
    const sha256 = hash();
    await download(sha256, LONG_AGO_MS);
    await expect(round({ remove: () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
    await round();
    expect(removed).toContain(sha256);
  });

  test('may be more than one round removes: it asks for the next one until one finds nothing', async () => {
    await round();
    await download(hash(), LONG_AGO_MS);
    expect(await round()).toEqual({ records: 1, files: 1, more: true });
    expect(await round()).toEqual({ records: 0, files: 0, more: false });
  });

  test('of answers are removed too, and the answer is no longer given out', async () => {
    const { ledger, request, check } = book();
    const step = request({ operation: 'getElectoralEditionPdf', params: { id: randomUUID() } });
    const { intentId } = intentOf(await ledger.openIntent(step));
    const file = { stored: `sha256/${hash()}`, sha256: hash(), bytes: 3 };
    await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(800), evidence: { file } });
    await round();
    expect(removed).toContain(file.sha256);
    expect((await ledger.find(intentId))?.evidence).toEqual({ answerDropped: new Date(NOW_MS).toISOString() });
    expect(await check()).toMatchObject({ lostBodies: [], droppedBodies: 1, lostFiles: [] });
    expect(await ledger.openIntent(elsewhere(step, { maxAgeMs: 600 * DAY_MS }))).toMatchObject({ kind: 'send' });
  });
});

test('old events lose bodies and keys and are deleted later, like the access log, and findOverdue counts what is late', async () => {
  const { inbox, clock } = makeLedger(database.db, { clock: setClock(LONG_AGO_MS) });
  const oldest = incomingEvent({ keys: ['cnj:1'] });
  await inbox.record(oldest);
  clock.nowMs = NOW_MS - 200 * DAY_MS;
  const middle = incomingEvent({ keys: ['cnj:1'] });
  await inbox.record(middle);
  clock.nowMs = NOW_MS;
  await recordAccess(database.db, { by: 'ana', via: 'test' });
  await sql`update tramita.access_log set at = ${new Date(LONG_AGO_MS)}`.execute(database.db);
  const settings = { ...FOREVER, events: 90 * DAY_MS, eventKeys: 400 * DAY_MS, accessLog: 183 * DAY_MS };
  const files = createFiles({ filesDir: newDirectory() });
  const keeping = createKeeping({ db: database.db, inbox, files, clock: clock.now }, settings);
  expect(await findOverdue(database.db, settings, NOW_MS)).toEqual([
    { place: 'events', older: 2 },
    { place: 'eventKeys', older: 1 },
    { place: 'accessLog', older: 1 },
  ]);
  await keeping.events();
  await keeping.accessLog();
  expect((await findOverdue(database.db, settings, NOW_MS)).map(({ older }) => older)).toEqual([0, 0, 0]);
  const { events } = await inbox.readFeed({ limit: 10, filter: { ids: [oldest.eventId, middle.eventId] } });
  expect(events).toMatchObject([{ eventId: middle.eventId, bodyDropped: true, keys: [] }]);
});

test('findOverdue counts an old body whose event has lost its keys already', async () => {
  const { inbox, clock } = makeLedger(database.db, { clock: setClock(LONG_AGO_MS) });
  const settings = { ...FOREVER, events: 90 * DAY_MS };
  await inbox.record(incomingEvent({ keys: ['cnj:1'] }));
  await sql`update tramita.event set keys = '{}'`.execute(database.db);
  expect(await findOverdue(database.db, settings, NOW_MS)).toEqual([{ place: 'events', older: 1 }]);
  clock.nowMs = NOW_MS;
  await inbox.forgetOld({ eventBodiesMs: 90 * DAY_MS });
  expect(await findOverdue(database.db, settings, NOW_MS)).toEqual([{ place: 'events', older: 0 }]);
});

test('old events are deleted behind thousands with a time in the future', async () => {
  const { inbox, clock } = makeLedger(database.db, { clock: setClock(NOW_MS) });
  await sql`delete from tramita.event`.execute(database.db);
  await sql`
    insert into tramita.event (account, event_key, event_id, event, body_sha256, conflict, keys, received_at)
    select 'default', 'early' || n, 'early' || n, 'x', 'hash', false, '{}', ${new Date(NOW_MS + DAY_MS)}
    from generate_series(1, 10_000) as n`.execute(database.db);
  clock.nowMs = LONG_AGO_MS;
  await inbox.record(incomingEvent());
  clock.nowMs = NOW_MS;
  const settings = { ...FOREVER, eventKeys: 400 * DAY_MS };
  expect(await findOverdue(database.db, settings, NOW_MS)).toEqual([{ place: 'eventKeys', older: 1 }]);
  expect((await inbox.forgetOld({ eventIdsMs: 400 * DAY_MS })).events).toBe(1);
});

test('without a shared file store, each worker removes its own old files', async () => {
  const clock = setClock(NOW_MS);
  const settings = { ...FOREVER, files: 90 * DAY_MS };
  const workers = [newDirectory(), newDirectory()].map((filesDir) => {
    const files = createFiles({ filesDir });
    const inbox = createInbox({ db: database.db, clock: clock.now });
    return { files, keeping: createKeeping({ db: database.db, inbox, files, clock: clock.now }, settings) };
  });
  const names: string[] = [];
  const contents = workers.map(() => Buffer.from(`%PDF ${randomUUID()}`));
  const landIn = (worker: number) => land(workers[worker]!.files, contents[worker]!);
  for (const worker of workers.keys()) {
    const { sha256, stored, bytes } = await landIn(worker);
    names.push(stored);
    await createRecords({ db: database.db }).saveDownload({
      account: 'default',
      cnj: newCase(),
      documentId: 'd1',
      intentId: randomUUID(),
      sha256,
      bytes,
      stored,
      downloadedAtMs: LONG_AGO_MS,
    });
  }
  const left = async () => await Promise.all(workers.map(async ({ files }) => 2 - (await files.missing(names)).size));
  expect(await left()).toEqual([1, 1]);
  expect(await workers[0]?.keeping.files()).toMatchObject({ records: 2, files: 0 });
  expect(await workers[0]?.keeping.ownFiles()).toEqual({ files: 1, more: false });
  expect(await left()).toEqual([0, 1]);
  expect(await workers[1]?.keeping.ownFiles()).toEqual({ files: 1, more: false });
  expect(await left()).toEqual([0, 0]);
  // Bought again: the record is written after the file.
  await landIn(1);
  expect(await workers[1]?.keeping.ownFiles()).toEqual({ files: 0, more: false });
  expect(await left()).toEqual([0, 1]);
  await sql`update tramita.file_removal set since = now() - interval '31 days'`.execute(database.db);
  expect(await workers[0]?.keeping.ownFiles()).toEqual({ files: 0, more: false });
  expect((await sql`select from tramita.file_removal`.execute(database.db)).rows).toEqual([]);
});
