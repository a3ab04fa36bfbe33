/** A ledger that lost rows: what a worker's journal restores, and that nothing is sent until then. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, appendFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import {
  createJournal,
  createLedger,
  createLifeKeeper,
  createLifeMemory,
  createSpool,
  dismissJournal,
  listJournals,
  readLife,
  type Journal,
  type JournalEntry,
  type OpenIntent,
  type Spool,
} from '../../src/ledger/index.js';
import { DEFAULT_GAPS, OPERATIONS, withExtraOperations } from '../../src/contract/index.js';
import { withDatabase } from '../support/database.js';
import { amount, closeStep, elsewhere, intentOf, jsonBody, refreshRequest, REQUEST_ID } from './support.js';

const HOUR_MS = 3_600_000;
const database = withDatabase();
const folders: string[] = [];
const opened: (Journal | Spool)[] = [];

afterEach(async () => {
  // Every test begins in a life of the database that holds no calls.
  await sql`delete from tramita.ledger_journal`.execute(database.db);
  await sql`update tramita.ledger_life set held_since = null, identity = tramita.ledger_identity()`.execute(
    database.db,
  );
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

/** The parts of a worker that the ledger needs, with a folder of its own. */
function makeWorker(
  folder = mkdtempSync(join(tmpdir(), 'tramita-life-')),
  lateCallsMs = 0,
  clock: () => number = Date.now,
) {
  folders.push(folder);
  const memory = createLifeMemory();
  const ledger = createLedger({
    db: database.db,
    token: (kind, value) => JSON.stringify([kind, value]),
    settings: { accounts: {}, prices: { default: amount(5_000) } },
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps: DEFAULT_GAPS,
    clock: Date.now,
    memory,
  });
  const journal = createJournal(join(folder, 'journal'));
  const spool = createSpool(join(folder, 'spool'));
  opened.push(journal, spool);
  const news: string[] = [];
  const keeper = createLifeKeeper({
    db: database.db,
    ledger,
    journal,
    spool,
    memory,
    lateCallsMs,
    clock,
    wake: () => Promise.resolve(),
    onNews: (_level, text) => void news.push(text),
  });
  /** Intent, journal, and (with an answer) spool and settlement, as the charged call does it. */
  const send = async (request: OpenIntent, answer?: 'done' | 'pending' | 'unknown') => {
    const intent = intentOf(await ledger.openIntent(request));
    const entry: JournalEntry = { ...intent, budgetKey: null, waiterKeys: request.waiterKeys };
    await journal.append(entry);
    memory.committed(intent.intentId);
    if (answer === undefined) return intent;
    const settlement = {
      done: { state: 'done' as const, charged: amount(5_000), httpStatus: 200 },
      pending: { state: 'pending' as const, requestId: REQUEST_ID, httpStatus: 202 },
      unknown: { state: 'unknown' as const, httpStatus: 500 },
    }[answer];
    const body = jsonBody({ answer: intent.intentId });
    await spool.write(intent.intentId, { ...settlement, contentType: body.contentType }, body.bytes);
    const settled = await ledger.settle(intent.intentId, { ...settlement, body });
    await spool.keep(intent.intentId);
    return settled.intent;
  };
  return { ledger, journal, keeper, memory, news, send, folder };
}

const forget = (intentId: string) =>
  sql`delete from tramita.intent where intent_id = ${intentId}::uuid`.execute(database.db);
const forgetUnseen = (intentId: string) =>
  database.db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`delete from tramita.intent where intent_id = ${intentId}::uuid`.execute(trx);
  });
/** As after a restore: another server has these tables. */
const moveServer = () => sql`update tramita.ledger_life set identity = 'another'`.execute(database.db);

describe('the life of the database', () => {
  test('changes when a row is deleted, and then nothing is sent', async () => {
    const worker = makeWorker();
    await worker.keeper.keep();
    const intent = await worker.send(refreshRequest());
    await forget(intent.intentId);
    expect(await worker.ledger.openIntent(refreshRequest())).toMatchObject({
      kind: 'account held',
      because: 'ledger',
    });
    expect(await worker.ledger.holdOf('default', { free: false })).toMatchObject({ because: 'ledger' });
  });

  test('holds the calls of a new worker when the tables are on another server', async () => {
    await moveServer();
    expect(await makeWorker().ledger.openIntent(refreshRequest())).toMatchObject({ because: 'ledger' });
  });

  test('does not change when only a committed call is missing, but calls are held until the keeper runs', async () => {
    const worker = makeWorker();
    await worker.keeper.keep();
    await worker.send(refreshRequest());
    const { epoch, heldSinceMs } = await readLife(database.db);
    worker.memory.committed(randomUUID());
    expect(await worker.ledger.openIntent(refreshRequest())).toMatchObject({ because: 'ledger' });
    expect(await readLife(database.db)).toMatchObject({ epoch, heldSinceMs });
    await worker.keeper.keep();
    expect((await worker.ledger.openIntent(refreshRequest())).kind).toBe('send');
  });

  test('holds an equal call until the lost row is restored, and the call then joins that row', async () => {
    const worker = makeWorker();
    await worker.keeper.keep();
    const request = refreshRequest();
    const pending = await worker.send(request, 'pending');
    await forget(pending.intentId);
    const equal = elsewhere(request);
    expect(await worker.ledger.openIntent(equal)).toMatchObject({ because: 'ledger' });
    await worker.keeper.keep();
    expect(await worker.ledger.openIntent({ ...equal, attemptToken: randomUUID() })).toMatchObject({
      kind: 'stored',
      intent: { state: 'pending', joined: pending.intentId, requestId: REQUEST_ID },
    });
  });
});

describe('hearing a journal', () => {
  test('restores rows with their answers, and changes nothing the second time', async () => {
    const worker = makeWorker();
    await worker.keeper.keep();
    const sent = [
      await worker.send(refreshRequest(), 'done'),
      await worker.send(refreshRequest(), 'pending'),
      await worker.send(refreshRequest()),
    ];
    const before = sent.map(({ state }) => state);
    for (const { intentId } of sent) await forget(intentId);
    await worker.keeper.keep();
    const rows = await Promise.all(sent.map(({ intentId }) => worker.ledger.find(intentId)));
    expect(before).toEqual(['done', 'pending', 'open']);
    expect(rows.map((row) => row?.state)).toEqual(['done', 'pending', 'unknown']);
    expect(rows[0]).toMatchObject({ charged: 5_000, workflowId: sent[0]?.workflowId, subject: sent[0]?.subject });
    expect((await worker.ledger.answerBytes(sent[0]?.intentId ?? ''))?.bytes.toString()).toContain(sent[0]?.intentId);
    expect((await readLife(database.db)).heldSinceMs).toBeNull();
    await worker.keeper.keep();
    expect(await Promise.all(sent.map(({ intentId }) => worker.ledger.find(intentId)))).toEqual(rows);
  });

  test('finds nothing more to restore for a call whose kept answer is unknown', async () => {
    const worker = makeWorker();
    await worker.keeper.keep();
    const { intentId } = await worker.send(refreshRequest(), 'unknown');
    await forget(intentId);
    expect(await worker.keeper.compare()).toMatchObject([{ answer: 'kept', state: 'unknown' }]);
    await worker.keeper.keep();
    expect(await worker.ledger.find(intentId)).toMatchObject({ state: 'unknown', httpStatus: 500 });
    expect(await worker.keeper.compare()).toEqual([]);
  });

  test.each([
    ['not_sent', 'open'],
    ['rejected', 'open'],
    ['done', 'done'],
    ['unknown', 'unknown'],
  ] as const)(
    'with a lost call that ended %s leaves the row of another attempt at its step %s',
    async (state, after) => {
      const worker = makeWorker();
      await worker.keeper.keep();
      const request = refreshRequest();
      const lost = intentOf(await worker.ledger.openIntent(request));
      await forget(lost.intentId);
      await worker.keeper.keep();
      // The flow was reset meanwhile: another attempt at the same step may be paying now.
      const other = intentOf(await worker.ledger.openIntent({ ...request, attemptToken: randomUUID() }));
      await worker.ledger.settleLost({ ...lost, budgetKey: null, waiterKeys: request.waiterKeys }, { state });
      expect(await worker.ledger.find(other.intentId)).toMatchObject({ state: after });
      expect(await worker.ledger.find(lost.intentId)).toBeUndefined();
    },
  );

  test.each([
    ['with its known row', true],
    ['by its id alone', false],
  ])('restores a lost row that is settled %s, with the writes beside it', async (_how, known) => {
    const { ledger, keeper } = makeWorker();
    await keeper.keep();
    const request = refreshRequest();
    const verdict = await ledger.openIntent(request);
    if (verdict.kind !== 'send') throw new Error(`not as expected: ${verdict.kind}`);
    const { intent, row } = verdict;
    await forget(intent.intentId);
    const call = { ...intent, budgetKey: null, waiterKeys: request.waiterKeys };
    const settled = await ledger.settle(
      intent.intentId,
      { state: 'done', httpStatus: 200, charged: amount(700) },
      {
        ...(known ? { row } : {}),
        beside: [
          sql`insert into tramita.ledger_journal (journal_id, label) values (${intent.intentId}::uuid, 'beside')
          on conflict do nothing`,
        ],
        askedBy: request.workflowId,
        callIfLost: () => Promise.resolve(call),
      },
    );
    expect(settled).toMatchObject({ applied: true, wakes: [] });
    expect(await ledger.find(intent.intentId)).toMatchObject({ state: 'done', charged: 700, evidence: { lost: true } });
    expect((await listJournals(database.db)).map(({ journalId }) => journalId)).toContain(intent.intentId);
  });

  test('settles a row that a backup restored as open', async () => {
    const worker = makeWorker();
    await worker.keeper.keep();
    const { intentId } = await worker.send(refreshRequest(), 'done');
    await sql`update tramita.intent set state = 'open', settled_at = null, charged = null where intent_id = ${intentId}::uuid`.execute(
      database.db,
    );
    await moveServer();
    await worker.keeper.keep();
    expect(await worker.ledger.find(intentId)).toMatchObject({ state: 'done', charged: 5_000 });
  });

  test('ends the hold only when no call of the earlier life can still write to the journal', async () => {
    const worker = makeWorker(undefined, 60_000);
    await worker.keeper.keep();
    const early = await worker.send(refreshRequest(), 'done');
    await forget(early.intentId);
    await worker.keeper.keep();
    expect(await worker.ledger.find(early.intentId)).toMatchObject({ state: 'done' });
    expect(await worker.ledger.openIntent(refreshRequest())).toMatchObject({ because: 'ledger' });
    await sql`update tramita.ledger_life set held_since = held_since - interval '2 minutes'`.execute(database.db);
    await worker.keeper.keep();
    expect((await worker.ledger.openIntent(refreshRequest())).kind).toBe('send');
  });

  test.each([
    ['by a clock that is hours ahead', { heldAheadMs: HOUR_MS, turnedBackMs: 0 }],
    ['before this clock was turned back', { heldAheadMs: 0, turnedBackMs: HOUR_MS }],
  ])('ends the hold as soon as usual when the hold began %s', async (_, { heldAheadMs, turnedBackMs }) => {
    let offMs = 0;
    const worker = makeWorker(undefined, 20_000, () => Date.now() + offMs);
    await worker.keeper.keep();
    const lost = await worker.send(refreshRequest(), 'done');
    await forget(lost.intentId);
    await sql`update tramita.ledger_life
      set held_since = held_since + ${heldAheadMs} * interval '1 millisecond'`.execute(database.db);
    await worker.keeper.keep();
    offMs -= turnedBackMs;
    for (let looks = 0; looks < 2; looks += 1) {
      await worker.keeper.keep();
      expect(await worker.ledger.openIntent(refreshRequest())).toMatchObject({ because: 'ledger' });
      offMs += 19_000;
    }
    offMs += 5_000;
    await worker.keeper.keep();
    expect((await worker.ledger.openIntent(refreshRequest())).kind).toBe('send');
  });

  test('restores a lost row also in a process that starts later', async () => {
    const first = makeWorker();
    await first.keeper.keep();
    const intent = await first.send(refreshRequest(), 'done');
    await forget(intent.intentId);
    const again = makeWorker(first.folder);
    await again.keeper.keep();
    expect(await again.ledger.find(intent.intentId)).toMatchObject({ state: 'done' });
    expect((await again.ledger.openIntent(refreshRequest())).kind).toBe('send');
  });

  test('restores a lost row at the start of a process after a snapshot of the same server was put back', async () => {
    const first = makeWorker();
    await first.keeper.keep();
    const request = refreshRequest({ once: randomUUID() });
    const intent = await first.send(request, 'done');
    await first.keeper.keep();
    // As if the disk of the database was put back: same server, same life, and no trigger saw the row go.
    await forgetUnseen(intent.intentId);
    const again = makeWorker(first.folder);
    await again.keeper.keep();
    expect(await again.ledger.find(intent.intentId)).toMatchObject({ state: 'done', charged: 5_000 });
    expect((await again.ledger.openIntent(elsewhere(request))).kind).toBe('stored');
    const { epoch } = await readLife(database.db);
    const later = makeWorker(first.folder);
    await later.keeper.keep();
    expect((await readLife(database.db)).epoch).toBe(epoch);
  });

  test('begins no new life for a call whose row has another id', async () => {
    const first = makeWorker();
    await first.keeper.keep();
    const intent = await first.send(refreshRequest(), 'done');
    await sql`update tramita.intent set intent_id = gen_random_uuid() where intent_id = ${intent.intentId}::uuid`.execute(
      database.db,
    );
    const { epoch } = await readLife(database.db);
    await makeWorker(first.folder).keeper.keep();
    expect((await readLife(database.db)).epoch).toBe(epoch);
  });

  test('ends the hold only when every other journal was heard or a person dismissed it', async () => {
    const here = makeWorker();
    const away = makeWorker();
    for (const worker of [here, away]) await worker.keeper.keep();
    const lost = await away.send(refreshRequest(), 'pending');
    await moveServer();
    await here.keeper.keep();
    await here.keeper.keep();
    expect(await here.ledger.openIntent(refreshRequest())).toMatchObject({ because: 'ledger' });
    const waiting = (await listJournals(database.db)).filter(({ isHeard }) => !isHeard);
    expect(waiting).toMatchObject([{ label: away.journal.label }]);
    await dismissJournal(database.db, { journalId: waiting[0]?.journalId ?? '', by: 'ana' });
    expect((await here.ledger.openIntent(refreshRequest())).kind).toBe('send');
    // The dismissed journal comes back: its worker hears it before it sends anything.
    expect(await away.ledger.openIntent(refreshRequest())).toMatchObject({ because: 'ledger' });
    await away.keeper.keep();
    expect(await away.ledger.find(lost.intentId)).toMatchObject({ state: 'pending' });
    expect((await away.ledger.openIntent(refreshRequest())).kind).toBe('send');
  });

  test('tells an emptied database which other journals to wait for', async () => {
    const here = makeWorker();
    const away = makeWorker();
    for (const worker of [here, away, here]) await worker.keeper.keep();
    await here.journal.remember({
      ...(await here.journal.state()),
      peers: Object.fromEntries((await listJournals(database.db)).map(({ journalId, label }) => [journalId, label])),
    });
    await sql`truncate tramita.ledger_journal`.execute(database.db);
    await sql`update tramita.ledger_life set epoch = gen_random_uuid(), held_since = now()`.execute(database.db);
    await here.keeper.keep();
    expect((await readLife(database.db)).heldSinceMs).not.toBeNull();
    await away.keeper.keep();
    expect((await readLife(database.db)).heldSinceMs).toBeNull();
  });
});

describe('the file of a journal', () => {
  const entryOf = (request: OpenIntent): JournalEntry => ({
    ...request,
    intentId: randomUUID(),
    subject: 's',
    once: null,
    budgetKey: null,
    reserved: amount(5_000),
    openedAtMs: 1,
  });

  test('is read up to its last complete line, and only by its owner', async () => {
    const { journal, folder } = makeWorker();
    const entries = Array.from({ length: 40 }, () => entryOf(refreshRequest()));
    await Promise.all(entries.map((entry) => journal.append(entry)));
    const [name = ''] = readdirSync(join(folder, 'journal')).filter((file) => file.startsWith('sends-'));
    const file = join(folder, 'journal', name);
    appendFileSync(file, '0123456789abcdef {"intentId":"cut');
    const read: string[] = [];
    for await (const { intentId } of createJournal(join(folder, 'journal')).entries()) read.push(intentId);
    expect(read).toEqual(entries.map(({ intentId }) => intentId));
    expect(statSync(file).mode & 0o077).toBe(0);
    await journal.close();
  });

  test('is removed when all its calls are over and no backup can be older', async () => {
    const { journal, folder } = makeWorker();
    await journal.append(entryOf(refreshRequest()));
    await journal.close();
    const later = createJournal(join(folder, 'journal'));
    const isOver = jest.fn(() => Promise.resolve(true));
    expect(await later.rotate(Date.now() - 60_000, isOver)).toBe(0);
    expect(await later.rotate(Date.now() + 60_000, () => Promise.resolve(false))).toBe(0);
    expect(await later.rotate(Date.now() + 60_000, isOver)).toBe(1);
    expect(isOver).toHaveBeenCalledTimes(1);
  });
});

describe('a step whose row is missing', () => {
  const known = () => ({ intentId: randomUUID(), isCopy: false });

  test('is unknown when the flow knows of a row', async () => {
    const { ledger } = makeWorker();
    const lost = known();
    const row = await closeStep(ledger, refreshRequest(), { deadlineMs: 0, known: lost });
    expect(row).toMatchObject({ intentId: lost.intentId, state: 'unknown', reserved: 5_000, evidence: { lost: true } });
  });

  test('is unknown when the attempt may have run in an earlier life', async () => {
    const { ledger } = makeWorker();
    const { begunAtMs } = await readLife(database.db);
    for (const askedAtMs of [null, begunAtMs - 1, begunAtMs + 1_000]) {
      expect(await closeStep(ledger, refreshRequest(), { deadlineMs: 0, askedAtMs })).toMatchObject({
        state: 'unknown',
      });
    }
    const row = await closeStep(ledger, refreshRequest(), { deadlineMs: 0, askedAtMs: begunAtMs + 60_000 });
    expect(row).toMatchObject({ state: 'closed' });
  });

  test('costs nothing when its row was a copy of another flow', async () => {
    const { ledger } = makeWorker();
    const row = await closeStep(ledger, refreshRequest(), { deadlineMs: 0, known: { ...known(), isCopy: true } });
    expect(row).toMatchObject({ state: 'closed', reserved: 0 });
  });

  test('is held while journals are heard, until it is overdue', async () => {
    const { ledger } = makeWorker();
    await moveServer();
    const request = refreshRequest();
    const attempt = { ...request, once: null, askedAtMs: Date.now(), deadlineMs: 0 };
    expect(await ledger.closeStep({ ...attempt, isOverdue: false })).toEqual({ kind: 'held' });
    expect(await ledger.closeStep({ ...attempt, isOverdue: true })).toMatchObject({ intent: { state: 'unknown' } });
  });
});
