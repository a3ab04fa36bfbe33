/** The spool: a paid answer stays on disk, intact or set aside, until the ledger has it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNew } from '../../src/ledger/journal/durable-file.js';
import {
  createSpool,
  settleSpooled,
  toLedgerRow,
  type Settled,
  type Spool,
  type Settlement,
} from '../../src/ledger/index.js';
import { until } from '../support/until.js';
import { withDatabase } from '../support/database.js';
import { amount, intentOf, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();
let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tramita-spool-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const bytes = Buffer.from([0x7b, 0x0a, 0x00, 0xff, 0x7d]);
/** Spools that stand for processes of their own, which may have been killed. */
const opened: Spool[] = [];
const openSpool = (folder: string): Spool => {
  const spool = createSpool(folder);
  opened.push(spool);
  return spool;
};
afterAll(() => Promise.all(opened.map((spool) => spool.close())));
const large = Buffer.concat([bytes, randomBytes(70_000)]);
const fileOf = (intentId: string): string => join(directory, `${intentId}.spool`);

test.each([
  ['small', bytes],
  ['text', Buffer.from('{"nome":"Lúcia \\n é"}\n')],
  ['large', large],
])('a %s answer comes back from the spool byte for byte, with its settlement', async (size, body) => {
  const folder = join(directory, `whole-${size}`);
  const spool = openSpool(folder);
  const intentId = randomUUID();
  const before = Date.now();
  await spool.write(intentId, { state: 'done', charged: amount(700), contentType: 'application/json' }, body);
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  const settlement = { state: 'done', charged: 700, body: { bytes: body, contentType: 'application/json' } };
  for (const reader of [spool, openSpool(folder)]) {
    expect(await reader.list()).toEqual([intentId]);
    expect(await reader.read(intentId)).toEqual({ kind: 'found', settlement });
    expect(await reader.peek(intentId)).toEqual(settlement);
    expect(await reader.writtenAtMs(intentId)).toBeGreaterThanOrEqual(before - 10);
  }
  await spool.remove(intentId);
  await spool.remove(intentId);
  expect(await spool.read(intentId)).toEqual({ kind: 'missing' });
});

test('an outcome without a body is spooled, and a second write replaces its file', async () => {
  const spool = openSpool(join(directory, 'new', 'folder'));
  const intentId = randomUUID();
  await spool.write(intentId, { state: 'unknown', reason: 'cut' }, null);
  await spool.write(intentId, { state: 'unknown', reason: 'cut again' }, null);
  expect(await spool.read(intentId)).toMatchObject({ settlement: { reason: 'cut again' } });
  expect(await readdir(join(directory, 'new', 'folder'))).toHaveLength(1);
});

test('a failed write leaves no file, and partial files of a killed worker are removed by age', async () => {
  const folder = join(directory, 'partial');
  const spool = openSpool(folder);
  const intentId = randomUUID();
  // A folder is in the place of the file, so the rename fails.
  await mkdir(join(folder, `${intentId}.spool`, 'in-the-way'), { recursive: true });
  await expect(spool.write(intentId, { state: 'done' }, large)).rejects.toThrow();
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
  const spool = openSpool(directory);
  const { ledger } = makeLedger(database.db);
  const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
  await spool.write(intentId, { state: 'done' }, large);
  await damage(fileOf(intentId));
  const read = await settleSpooled(spool, intentId, (settlement) => ledger.settle(intentId, settlement));
  if (read.kind !== 'corrupt') throw new Error(`expected a corrupt file, got ${read.kind}`);
  expect((await stat(read.setAside)).isFile()).toBe(true);
  expect(await spool.list()).not.toContain(intentId);
  expect(await ledger.find(intentId)).toMatchObject({ state: 'open' });
});

test('a spooled answer settles its row once, and only then leaves the spool', async () => {
  const spool = openSpool(directory);
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

test.each([
  ['small', bytes],
  ['large', large],
])('removed folders are made again for the next %s answer and for a kept one', async (size, body) => {
  const folder = join(directory, `taken-${size}`);
  const spool = openSpool(folder);
  for (const taken of [folder, join(folder, 'settled')]) {
    await rm(taken, { recursive: true, force: true });
    const intentId = randomUUID();
    await spool.write(intentId, { state: 'done', charged: amount(700) }, body);
    await spool.keep(intentId);
    await spool.keep(intentId);
    expect([await spool.list(), (await spool.readKept(intentId, Date.now())).kind]).toEqual([[], 'found']);
  }
});

describe('the log of small answers', () => {
  const NOTHING = Buffer.alloc(0);
  const settlement = { state: 'done' } as const;
  const logOf = async (folder: string): Promise<string> =>
    join(folder, (await readdir(folder)).find((name) => name.startsWith('answers-')) ?? '');
  /** The spool soon notes that the ledger has an answer. Then the next process knows it too. */
  const untilNoted = (folder: string, open: number): Promise<unknown> =>
    until(async () => (await openSpool(folder).list()).length === open, { what: 'the notes' });
  const freshFolder = (): Promise<string> => mkdtemp(join(directory, 'log-'));

  test('takes concurrent answers in one file, and the next process finds those that the ledger lacks', async () => {
    const folder = await freshFolder();
    const spool = openSpool(folder);
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await Promise.all(ids.map((id) => spool.write(id, settlement, Buffer.from(id))));
    for (const id of ids.slice(5)) await spool.keep(id);
    expect(new Set(await spool.list())).toEqual(new Set(ids.slice(0, 5)));
    expect((await readdir(folder)).filter((name) => name !== 'settled')).toHaveLength(1);
    await untilNoted(folder, 5);

    // As if the first process was killed.
    const next = openSpool(folder);
    expect(new Set(await next.list())).toEqual(new Set(ids.slice(0, 5)));
    for (const id of ids.slice(0, 5)) {
      expect(await next.read(id)).toMatchObject({ kind: 'found', settlement: { body: { bytes: Buffer.from(id) } } });
      await next.keep(id);
      expect(await next.read(id)).toEqual({ kind: 'missing' });
    }
    expect(await openSpool(folder).list()).toEqual([]);
    expect(await next.readKept(ids[0] ?? '', Date.now())).toMatchObject({ kind: 'found' });
  });

  test('shows an answer that was settled without a note as open to the next process', async () => {
    const folder = await freshFolder();
    const spool = openSpool(folder);
    const [noted, late] = [randomUUID(), randomUUID()];
    await spool.write(noted, settlement, NOTHING);
    await spool.keep(noted);
    await spool.write(late, settlement, NOTHING);
    await spool.keep(late);
    expect(await openSpool(folder).list()).toEqual([late]);
    await untilNoted(folder, 0);
    expect(await spool.list()).toEqual([]);
    expect(await openSpool(folder).list()).toEqual([]);
  });

  test('is put away when it is closed and the ledger has all its answers, not before', async () => {
    const folder = await freshFolder();
    const spool = openSpool(folder);
    const [kept, open] = [randomUUID(), randomUUID()];
    for (const id of [kept, open]) await spool.write(id, settlement, bytes);
    await spool.keep(kept);
    await spool.close();
    expect(await openSpool(folder).list()).toEqual([open]);
    await spool.keep(open);
    expect((await readdir(folder)).filter((name) => name !== 'settled')).toEqual([]);
    for (const id of [kept, open]) {
      expect(await openSpool(folder).readKept(id, Date.now())).toMatchObject({
        kind: 'found',
        settlement: { body: { bytes } },
      });
    }
    // It is not read for calls of another day.
    expect(await spool.readKept(kept, Date.now() - 86_400_000)).toEqual({ kind: 'missing' });
    await spool.rotate({ olderThanMs: Date.now() + 86_400_000, maxBytes: 1_000_000 });
    expect(await spool.readKept(kept, Date.now())).toEqual({ kind: 'missing' });
  });

  test('is put away a day after its process ended, and stays while it has an open answer', async () => {
    const folder = await freshFolder();
    const [done, waits] = [randomUUID(), randomUUID()];
    const day = String(Date.now() - 86_400_000 - 60_000);
    for (const [id, isKept] of [
      [done, true],
      [waits, false],
    ] as const) {
      const spool = openSpool(folder);
      await spool.write(id, settlement, bytes);
      const file = (await readdir(folder)).find(
        (name) => name.includes(String(Date.now()).slice(0, 6)) && !name.includes(day),
      );
      if (isKept) await spool.keep(id);
      // The log of the process before is still in the folder.
      await untilNoted(folder, isKept ? 0 : 1);
      await rename(join(folder, file ?? ''), join(folder, (file ?? '').replace(/\d{13}/, day)));
    }
    const janitor = openSpool(folder);
    await janitor.rotate({ olderThanMs: 0, maxBytes: 1_000_000 });
    expect((await readdir(folder)).filter((name) => name.startsWith('answers-'))).toHaveLength(1);
    expect(await janitor.list()).toEqual([waits]);
    expect(await janitor.readKept(done, Number(day))).toMatchObject({ kind: 'found' });
  });

  test('skips a line that was cut by the end of its process, and reads the lines before and after it', async () => {
    const folder = await freshFolder();
    const [first, cut] = [randomUUID(), randomUUID()];
    const spool = openSpool(folder);
    await spool.write(first, settlement, bytes);
    await spool.write(cut, settlement, bytes);
    const file = await logOf(folder);
    await truncate(file, (await stat(file)).size - 10);
    const next = openSpool(folder);
    expect(await next.list()).toEqual([first]);
    await next.keep(first);
    expect(await openSpool(folder).read(first)).toEqual({ kind: 'missing' });
    expect(await next.readKept(first, Date.now())).toMatchObject({ kind: 'found' });
  });

  test('sets a changed answer aside and keeps it', async () => {
    const folder = await freshFolder();
    const [damaged, whole] = [randomUUID(), randomUUID()];
    const spool = openSpool(folder);
    for (const id of [damaged, whole]) await spool.write(id, settlement, Buffer.from('the words'));
    const file = await logOf(folder);
    await writeFile(file, (await readFile(file, 'utf8')).replace('the words', 'the wards'));
    for (const reader of [spool, openSpool(folder)]) {
      const read = await reader.read(damaged);
      if (reader !== spool) {
        expect(read).toEqual({ kind: 'missing' });
        continue;
      }
      if (read.kind !== 'corrupt') throw new Error(`expected a corrupt answer, got ${read.kind}`);
      expect(await readFile(read.setAside, 'utf8')).toContain('the wards');
      expect(await reader.list()).toEqual([whole]);
      await untilNoted(folder, 1);
    }
  });

  test('loses erased words of open, kept and set-aside answers while another process writes to it', async () => {
    const folder = await freshFolder();
    const worker = openSpool(folder);
    const [open, kept, damaged, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const id of [open, kept, damaged]) await worker.write(id, settlement, Buffer.from(`about LUCIA ${id}`));
    await worker.write(other, settlement, Buffer.from('about nobody'));
    await worker.keep(kept);
    await untilNoted(folder, 3);
    const file = await logOf(folder);
    await writeFile(file, (await readFile(file, 'utf8')).replace(`LUCIA ${damaged}`, `LUCIA_${damaged}`));

    const erase = (text: Buffer): Buffer => Buffer.from(text.toString().replaceAll('LUCIA', 'somebody else'));
    const command = openSpool(folder);
    expect(await command.rewrite(erase, { write: false })).toBe(3);
    expect(await command.rewrite(erase)).toBe(3);
    expect(await command.rewrite(erase)).toBe(0);
    const behind = randomUUID();
    await worker.write(behind, settlement, bytes);
    for (const name of await readdir(folder, { recursive: true })) {
      const text = (await stat(join(folder, name))).isFile() ? await readFile(join(folder, name), 'utf8') : '';
      expect(text).not.toContain('LUCIA');
    }
    for (const reader of [worker, openSpool(folder)]) {
      expect(await reader.read(damaged)).toEqual({ kind: 'missing' });
      expect(await reader.read(open)).toMatchObject({
        settlement: { body: { bytes: Buffer.from(`about somebody else ${open}`) } },
      });
      expect(await reader.readKept(kept, Date.now())).toMatchObject({
        settlement: { body: { bytes: Buffer.from(`about somebody else ${kept}`) } },
      });
      expect(await reader.read(other)).toMatchObject({ kind: 'found' });
      expect(await reader.read(behind)).toMatchObject({ kind: 'found' });
      expect(new Set(await reader.list())).toEqual(new Set([open, other, behind]));
    }
  });
});

test('an id that is not a UUID never becomes a path', async () => {
  await chmod(directory, 0o700);
  await expect(openSpool(directory).read('../../etc/passwd')).rejects.toThrow(/^tramita: .*not an intent id/);
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
  const fdInfo = process.platform === 'linux' ? await readFile(`/proc/self/fdinfo/${journal.fd}`, 'utf8') : '';
  await journal.close();
  const flags = parseInt(/flags:\s*(\d+)/.exec(fdInfo)?.[1] ?? '0', 8);
  expect(flags & constants.O_DSYNC).toBe(fdInfo === '' ? 0 : constants.O_DSYNC);
});
