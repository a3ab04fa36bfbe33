/** The log of answers and the journal when the disk, the clock or another process fails: no paid answer is lost. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import fs, { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settleAnswer, type Answered } from '../../src/activities/charged/settle-answer.js';
import { createJournal, createSpool, type JournalEntry, type Spool } from '../../src/ledger/index.js';
import { openOwnDisk } from '../../src/privacy/own-disk.js';
import { until } from '../support/until.js';
import { newDirectory } from './support.js';

const settlement = { state: 'done' } as const;
const DAY_MS = 86_400_000;
const opened: { close(): Promise<void> }[] = [];
const closeLater = <T extends { close(): Promise<void> }>(resource: T): T => {
  opened.push(resource);
  return resource;
};
/** Opens the spool as a separate process would. */
const openSpool = (folder: string): Spool => closeLater(createSpool(folder));
const logsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('answers-'))
    .sort();
afterEach(() => jest.restoreAllMocks());
afterAll(() => Promise.all(opened.map((resource) => resource.close())));

type Write = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/** Replaces every write to an open file until the end of the test. */
async function replaceWrites(write: (real: () => Promise<unknown>) => Promise<unknown>): Promise<jest.SpyInstance> {
  const handle = await open(__filename);
  const methods = Object.getPrototypeOf(handle) as { write: Write };
  await handle.close();
  const real = methods.write;
  return jest.spyOn(methods, 'write').mockImplementation(function (this: unknown, ...args) {
    return write(() => real.apply(this, args));
  });
}

async function textsIn(folder: string): Promise<string> {
  let all = '';
  for (const name of await readdir(folder, { recursive: true })) {
    const file = join(folder, name);
    if ((await stat(file)).isFile()) all += await readFile(file, 'latin1');
  }
  return all;
}

describe('several processes on one folder', () => {
  test('answers written together stay whole when another process writes notes between them', async () => {
    const folder = newDirectory();
    const [worker, other] = [openSpool(folder), openSpool(folder)];
    const noted = Array.from({ length: 100 }, () => randomUUID());
    await Promise.all(noted.map((id) => worker.write(id, settlement, null)));
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const body = Buffer.alloc(65_536, 'x');
    const writing = Promise.all(ids.map((id) => worker.write(id, settlement, body)));
    for (const id of noted) await other.keep(id);
    await writing;
    const next = openSpool(folder);
    for (const id of ids) expect((await next.read(id)).kind).toBe('found');
  });

  test('a note for a file that was archived meanwhile does not create the file again', async () => {
    const folder = newDirectory();
    const [worker, other] = [openSpool(folder), openSpool(folder)];
    const id = randomUUID();
    await worker.write(id, settlement, null);
    await worker.close();
    const append = fs.appendFile;
    jest.spyOn(fs, 'appendFile').mockImplementationOnce(async (...args) => {
      await worker.keep(id);
      await append(...args);
    });
    await other.keep(id);
    expect(logsIn(folder)).toEqual([]);
    expect((await openSpool(folder).readKept(id, Date.now())).kind).toBe('found');
  });

  test('two processes that erase words at once leave the answer whole', async () => {
    const folder = newDirectory();
    const id = randomUUID();
    const body = Buffer.concat([Buffer.from('LUCIA'), Buffer.alloc(1_000_000, 'x')]);
    await openSpool(folder).write(id, settlement, body);
    await Promise.all([openSpool(folder), openSpool(folder)].map((spool) => spool.rewrite(erase)));
    expect(await openSpool(folder).read(id)).toMatchObject({ kind: 'found' });
    expect(await textsIn(folder)).not.toContain('LUCIA');
  });
});

describe('a disk that fails', () => {
  test('an answer whose write failed after its bytes were written is still listed', async () => {
    const folder = newDirectory();
    const worker = openSpool(folder);
    const [before, failed, after] = [randomUUID(), randomUUID(), randomUUID()];
    await worker.write(before, settlement, null);
    const writes = await replaceWrites(async (real) => {
      await real();
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    await expect(worker.write(failed, settlement, Buffer.from('paid'))).rejects.toThrow('EIO');
    writes.mockRestore();
    await worker.write(after, settlement, null);
    for (const id of [before, after]) await worker.keep(id);
    expect(await worker.list()).toEqual([failed]);
    expect(await worker.read(failed)).toMatchObject({ settlement: { body: { bytes: Buffer.from('paid') } } });
    await worker.close();
    expect(await openSpool(folder).list()).toEqual([failed]);
  });

  test('a full disk gets no empty files', async () => {
    const folder = newDirectory();
    const worker = openSpool(folder);
    const writes = await replaceWrites(() => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })));
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(worker.write(randomUUID(), settlement, null)).rejects.toThrow('ENOSPC');
    }
    writes.mockRestore();
    expect(await readdir(folder)).toEqual([]);
    const id = randomUUID();
    await worker.write(id, settlement, null);
    expect(await openSpool(folder).list()).toEqual([id]);
  });

  test('an answer is accepted although an earlier file cannot be archived', async () => {
    const folder = newDirectory();
    const worker = openSpool(folder);
    await writeFile(join(folder, 'settled'), 'in the way');
    const body = Buffer.alloc(65_536, 'x');
    while (logsIn(folder).length < 2) {
      const id = randomUUID();
      await worker.write(id, settlement, body);
      await worker.keep(id);
    }
    await rm(join(folder, 'settled'));
    await worker.rotate({ olderThanMs: 0, maxBytes: 10_000_000 });
    expect(logsIn(folder)).toHaveLength(1);
  });

  test('an answer that disk and ledger refused goes to the first of them that accepts it', async () => {
    const spool = openSpool(newDirectory());
    const [intentId, body] = [randomUUID(), Buffer.from('paid')];
    const write = jest.fn(spool.write).mockRejectedValueOnce(new Error('ENOSPC'));
    let looks = 0;
    const settled = await settleAnswer(
      {
        log: { error: jest.fn(), warn: jest.fn() },
        ledger: { settle: () => Promise.reject(new Error('away')) },
        wake: jest.fn(),
        spool: { ...spool, write },
      } as unknown as Parameters<typeof settleAnswer>[0],
      {
        intent: { intentId },
        settlement: { state: 'done', body: { bytes: body, contentType: null } },
        age: () => (looks += 1),
        untilAgeMs: 3,
      } as unknown as Answered,
    );
    expect(settled).toBeUndefined();
    expect(await spool.read(intentId)).toMatchObject({ kind: 'found', settlement: { body: { bytes: body } } });
  });
});

describe('close() while answers are written', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 8, 10, 12])(
    'refuses no answer that is written %i microtasks later',
    async (turns) => {
      const folder = newDirectory();
      const spool = openSpool(folder);
      const ids = [randomUUID(), randomUUID()];
      await spool.write(ids[0] ?? '', settlement, null);
      const closing = spool.close();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await spool.write(ids[1] ?? '', settlement, null);
      await closing;
      expect(new Set(await openSpool(folder).list())).toEqual(new Set(ids));
    },
  );
});

describe('a wrong clock', () => {
  const at = (ms: number): jest.SpyInstance => jest.spyOn(Date, 'now').mockReturnValue(ms);

  test('hides no answer when it is before 2001', async () => {
    const folder = newDirectory();
    const id = randomUUID();
    at(5_000);
    await openSpool(folder).write(id, settlement, null);
    expect(await openSpool(folder).list()).toEqual([id]);
  });

  test('begins a new file when it is turned back, so that settled answers are found by the time of their call', async () => {
    const folder = newDirectory();
    const spool = openSpool(folder);
    const [now, id] = [Date.now(), randomUUID()];
    await spool.write(randomUUID(), settlement, null);
    at(now - DAY_MS);
    await spool.write(id, settlement, null);
    await spool.keep(id);
    expect(await spool.readKept(id, now - DAY_MS)).toMatchObject({ kind: 'found' });
  });
});

const erase = (text: Buffer): Buffer => Buffer.from(text.toString('latin1').replaceAll('LUCIA', 'nobody'), 'latin1');

describe('words that are erased', () => {
  const aboutLucia = Buffer.from('about LUCIA');

  test.each([
    ['another file', 1],
    ['the file that is read', 0],
  ])('are removed when %s is archived meanwhile to a new day folder', async (_which, index) => {
    const folder = newDirectory();
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids) {
      const spool = openSpool(folder);
      await spool.write(id, settlement, aboutLucia);
      await spool.close();
    }
    const name = logsIn(folder)[index] ?? '';
    const day = join(folder, 'settled', '2026-01-01');
    let isMoved = false;
    await openSpool(folder).rewrite((text) => {
      if (!isMoved) {
        mkdirSync(day, { recursive: true });
        renameSync(join(folder, name), join(day, name));
      }
      isMoved = true;
      return erase(text);
    });
    expect(await textsIn(folder)).not.toContain('LUCIA');
  });

  test('do not settle an answer that is still being written', async () => {
    const folder = newDirectory();
    const worker = openSpool(folder);
    const [before, id] = [randomUUID(), randomUUID()];
    await worker.write(before, settlement, null);
    let reached = (): void => undefined;
    const disk = new Promise<void>((resolve) => (reached = resolve));
    const writes = await replaceWrites(async (real) => {
      const written = await real();
      writes.mockRestore();
      await disk;
      return written;
    });
    const writing = worker.write(id, settlement, aboutLucia);
    await until(async () => (await textsIn(folder)).includes('LUCIA'), { what: 'the text', everyMs: 5 });
    await worker.rewrite(erase);
    const erased = { kind: 'found', settlement: { body: { bytes: Buffer.from('about nobody') } } };
    expect(new Set(await openSpool(folder).list())).toEqual(new Set([before, id]));
    reached();
    await writing;
    for (const reader of [worker, openSpool(folder)]) expect(await reader.read(id)).toMatchObject(erased);
  });

  test('are removed from a line whose blanking was interrupted by a power cut', async () => {
    const folder = newDirectory();
    const spool = openSpool(folder);
    await spool.write(randomUUID(), settlement, aboutLucia);
    const file = join(folder, logsIn(folder)[0] ?? '');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^.{60}/, ' '.repeat(60)));
    expect(await openSpool(folder).rewrite(erase)).toBe(1);
    expect(await textsIn(folder)).not.toContain('LUCIA');
  });

  test('are removed with the partial file of an answer that is being written', async () => {
    const folder = newDirectory();
    const [file, id] = [join(folder, 'writing'), randomUUID()];
    await mkdir(folder, { recursive: true });
    const partial = join(folder, `${id}.spool.1.partial`);
    await writeFile(partial, 'half of what is about LUCIA');
    expect(await openSpool(folder).rewrite(erase)).toBe(1);
    await expect(rename(partial, file)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await textsIn(folder)).not.toContain('LUCIA');
  });

  test('are remembered although a crash cut the list of them', async () => {
    const folder = newDirectory();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'erasures.jsonl'), '{"kind":"cpf","tok');
    const token = { kind: 'cpf', token: 'abc' } as const;
    await openOwnDisk(folder).remember(token);
    expect(await openOwnDisk(folder).remembered()).toEqual([token]);
  });
});

test('an answer that is written again after it was settled is open again, also for the next process', async () => {
  const folder = newDirectory();
  const spool = openSpool(folder);
  const id = randomUUID();
  await spool.write(id, settlement, null);
  await spool.keep(id);
  await spool.write(id, settlement, Buffer.from('again'));
  for (const reader of [spool, openSpool(folder)]) expect(await reader.list()).toEqual([id]);
});

test('a file with many open answers is read once, not again for each settled answer', async () => {
  const folder = newDirectory();
  const worker = openSpool(folder);
  const ids = Array.from({ length: 50 }, () => randomUUID());
  await Promise.all(ids.map((id) => worker.write(id, settlement, null)));
  const reads = jest.spyOn(fs, 'readFile');
  const next = openSpool(folder);
  for (const id of await next.list()) {
    await next.writtenAtMs(id);
    expect((await next.read(id)).kind).toBe('found');
    await next.keep(id);
  }
  expect(await next.list()).toEqual([]);
  const logReads = reads.mock.calls.filter(([file]) => typeof file === 'string' && file.includes('answers-'));
  expect(logReads).toHaveLength(1);
});

describe('the journal', () => {
  const entryOf = (workflowId: string): JournalEntry => ({
    intentId: randomUUID(),
    account: 'default',
    operation: 'getCase',
    subject: 's',
    workflowType: 'readCase',
    workflowId,
    firstRunId: randomUUID(),
    step: 'case',
    ordinal: 1,
    once: null,
    budgetKey: null,
    flags: [],
    webhookExpected: false,
    waiterKeys: [],
    reserved: 0 as JournalEntry['reserved'],
    openedAtMs: 1,
  });

  test('can still be read when another process deletes a file meanwhile', async () => {
    const folder = newDirectory();
    const entries = [entryOf('one'), entryOf('two')];
    for (const entry of entries) {
      const journal = createJournal(folder);
      await journal.append(entry);
      await journal.close();
    }
    const workflowIds: string[] = [];
    for await (const { workflowId } of createJournal(folder).entries()) {
      if (workflowIds.length === 0) await rm(join(folder, readdirSync(folder).sort()[1] ?? ''));
      workflowIds.push(workflowId);
    }
    expect(workflowIds).toHaveLength(1);
  });

  test('keeps the lines after a corrupt one when words are erased', async () => {
    const folder = newDirectory();
    const journal = closeLater(createJournal(folder));
    const entries = [entryOf('rotten LUCIA'), entryOf('LUCIA'), entryOf('behind')];
    for (const entry of entries) await journal.append(entry);
    const file = join(folder, readdirSync(folder)[0] ?? '');
    const content = await readFile(file);
    content.fill(0xff, 20, 24);
    await writeFile(file, content);
    const change = (json: string): string => json.replaceAll('LUCIA', 'xxxxx');
    expect(await journal.rewrite(change)).toBe(2);
    expect(await journal.rewrite(change)).toBe(0);
    expect(await readFile(file, 'latin1')).not.toContain('LUCIA');
    const left: string[] = [];
    for await (const { workflowId } of journal.entries()) left.push(workflowId);
    expect(left).toEqual(['xxxxx', 'behind']);
  });
});
