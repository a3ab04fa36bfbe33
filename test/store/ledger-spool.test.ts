/** The spool: an answer that was paid for survives on disk, whole or set aside, until the ledger has it. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNew } from '../../src/ledger/journal/durable-file.js';
import { createSpool, settleSpooled, toLedgerRow, type Settled, type Settlement } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { amount, intentOf, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();
let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tramita-spool-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const bytes = Buffer.from([0x7b, 0x0a, 0x00, 0xff, 0x7d]);
const fileOf = (intentId: string): string => join(directory, `${intentId}.spool`);

test('an answer comes back from the spool byte for byte, with its settlement', async () => {
  const spool = createSpool(directory);
  const intentId = randomUUID();
  await spool.write(intentId, { state: 'done', charged: amount(700), contentType: 'application/json' }, bytes);
  expect((await stat(fileOf(intentId))).mode & 0o777).toBe(0o600);
  expect(await spool.list()).toEqual([intentId]);
  expect(await spool.read(intentId)).toEqual({
    kind: 'found',
    settlement: { state: 'done', charged: 700, body: { bytes, contentType: 'application/json' } },
  });
  await spool.remove(intentId);
  await spool.remove(intentId);
  expect(await spool.read(intentId)).toEqual({ kind: 'missing' });
});

test('an outcome without a body is spooled too, and nothing is left beside the files', async () => {
  const spool = createSpool(join(directory, 'new', 'folder'));
  const intentId = randomUUID();
  await spool.write(intentId, { state: 'unknown', reason: 'cut' }, null);
  await spool.write(intentId, { state: 'unknown', reason: 'cut again' }, null);
  expect(await spool.read(intentId)).toMatchObject({ settlement: { reason: 'cut again' } });
  expect(await readdir(join(directory, 'new', 'folder'))).toEqual([`${intentId}.spool`]);
});

test('a write that fails leaves nothing behind, and what a killed worker left goes with its day', async () => {
  const folder = join(directory, 'partial');
  const spool = createSpool(folder);
  const intentId = randomUUID();
  // A folder in the place of the file: it cannot be renamed to it.
  await mkdir(join(folder, `${intentId}.spool`, 'in-the-way'), { recursive: true });
  await expect(spool.write(intentId, { state: 'done' }, bytes)).rejects.toThrow();
  expect(await readdir(folder)).toEqual([`${intentId}.spool`]);

  const [old, fresh] = [`${randomUUID()}.spool.4711.partial`, `${randomUUID()}.spool.4712.partial`];
  for (const name of [old, fresh]) await writeFile(join(folder, name), bytes);
  await utimes(join(folder, old), 0, Date.now() / 1_000 - 40 * 86_400);
  await spool.rotate({ olderThanMs: Date.now() - 35 * 86_400_000, maxBytes: 1_000_000 });
  const left = await readdir(folder);
  expect(left).toContain(fresh);
  expect(left).not.toContain(old);
});

test.each([
  ['cut', (file: string) => truncate(file, 120)],
  ['changed', async (file: string) => writeFile(file, Buffer.concat([await readFile(file), Buffer.from('x')]))],
  ['empty', (file: string) => truncate(file, 0)],
])('a file that was %s is set aside and kept', async (_how, damage) => {
  const spool = createSpool(directory);
  const { ledger } = makeLedger(database.db);
  const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
  await spool.write(intentId, { state: 'done' }, bytes);
  await damage(fileOf(intentId));
  const read = await settleSpooled(spool, intentId, (settlement) => ledger.settle(intentId, settlement));
  if (read.kind !== 'corrupt') throw new Error(`expected a corrupt file, got ${read.kind}`);
  expect((await stat(read.setAside)).isFile()).toBe(true);
  expect(await spool.list()).not.toContain(intentId);
  expect(await ledger.find(intentId)).toMatchObject({ state: 'open' });
});

test('a spooled answer settles its row, once, and only then leaves the spool', async () => {
  const spool = createSpool(directory);
  const { ledger } = makeLedger(database.db);
  const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
  await spool.write(intentId, { state: 'done', charged: amount(700), httpStatus: 200, contentType: null }, bytes);
  await expect(settleSpooled(spool, intentId, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await spool.list()).toContain(intentId);
  const settle = (settlement: Settlement): Promise<Settled> => ledger.settle(intentId, settlement);
  expect(await settleSpooled(spool, intentId, settle)).toMatchObject({ kind: 'settled', settled: { applied: true } });
  expect((await ledger.answerBytes(intentId))?.bytes).toEqual(bytes);
  expect(await settleSpooled(spool, intentId, settle)).toEqual({ kind: 'missing' });
});

test('folders that were taken away are made again, for the next answer and for one that is kept', async () => {
  const folder = join(directory, 'taken');
  const spool = createSpool(folder);
  for (const taken of [folder, join(folder, 'settled')]) {
    await rm(taken, { recursive: true, force: true });
    const intentId = randomUUID();
    await spool.write(intentId, { state: 'done', charged: amount(700) }, bytes);
    await spool.keep(intentId);
    await spool.keep(intentId);
    expect([await spool.list(), (await spool.readKept(intentId)).kind]).toEqual([[], 'found']);
  }
});

test('an id that is no UUID never becomes a path', async () => {
  await chmod(directory, 0o700);
  await expect(createSpool(directory).read('../../etc/passwd')).rejects.toThrow(/^tramita: .*not an intent id/);
});

test('a ledger row shows exactly the members of the public form, as decimal strings and ISO times', async () => {
  const { ledger, clock } = makeLedger(database.db);
  const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account: 'rows' })));
  const { intent } = await ledger.settle(intentId, { state: 'done', charged: amount(1_250), httpStatus: 200 });
  const row = toLedgerRow(intent);
  expect(Object.keys(row).sort()).toEqual(
    (
      'intentId account workflowId firstRunId step ordinal once operation subject state joined reserved charged amountSource ' +
      'balanceAfter requestId metaRequestId searchLogId httpStatus bodySha256 openedAt settledAt evidence'
    )
      .split(' ')
      .sort(),
  );
  expect(row).toMatchObject({ reserved: '0', charged: '0.125', balanceAfter: null, httpStatus: 200 });
  expect(row.openedAt).toBe(new Date(clock.nowMs).toISOString());
});

test('on Linux a write to the journal ends when it is on the disk', async () => {
  const journal = await openNew(join(directory, 'sends.jsonl'));
  const told = process.platform === 'linux' ? await readFile(`/proc/self/fdinfo/${journal.fd}`, 'utf8') : '';
  await journal.close();
  const flags = parseInt(/flags:\s*(\d+)/.exec(told)?.[1] ?? '0', 8);
  expect(flags & constants.O_DSYNC).toBe(told === '' ? 0 : constants.O_DSYNC);
});
