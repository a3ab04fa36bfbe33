/** Files in a directory: the worker's own, and one that several machines mount at different paths. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { shaOf } from '../../src/files/address.js';
import { createFileStore, createFiles, probeStore } from '../../src/files/index.js';
import { until } from '../support/until.js';
import { land, newDirectory, PDF, shaOfBytes } from './support.js';

const RELATIVE = `sha256/${shaOfBytes(PDF).slice(0, 2)}/${shaOfBytes(PDF).slice(2, 4)}/${shaOfBytes(PDF)}`;

describe("the worker's own directory", () => {
  test('is the store by default: a file is stored once it has landed', async () => {
    const filesDir = newDirectory();
    const files = createFiles({ filesDir });
    const { sha256, stored } = await land(files, PDF);
    expect(stored).toBe(RELATIVE);
    expect(files.elsewhere).toBe(false);
    expect(await files.keep(sha256)).toBe('kept');
    expect(await files.bringOwed()).toBe(0);
    expect(existsSync(join(filesDir, stored))).toBe(true);
    const bytes = await files.open(stored);
    expect(bytes && (await buffer(bytes)).equals(PDF)).toBe(true);
  });

  test('is recognised when the store is set to the same directory', () => {
    const filesDir = newDirectory();
    expect(createFiles({ filesDir, fileStore: { kind: 'directory', path: `${filesDir}/.` } }).elsewhere).toBe(false);
  });

  test('is recognised through a symbolic link, so that its only copy stays', async () => {
    const shared = newDirectory();
    const filesDir = join(newDirectory(), 'own');
    symlinkSync(shared, filesDir);
    const files = createFiles({ filesDir, fileStore: { kind: 'directory', path: shared } });
    const { sha256, stored } = await land(files, PDF);
    expect(await files.keep(sha256)).toBe('kept');
    expect(await files.bringOwed()).toBe(0);
    expect(existsSync(join(shared, stored))).toBe(true);
  });
});

afterEach(() => jest.restoreAllMocks());

describe('a directory that two workers mount at different paths', () => {
  const shared = (): { readonly directory: string; readonly link: string } => {
    const directory = newDirectory();
    const link = join(newDirectory(), 'mounted-here');
    symlinkSync(directory, link);
    return { directory, link };
  };
  const worker = (path: string) => createFiles({ filesDir: newDirectory(), fileStore: { kind: 'directory', path } });

  test('a file of one worker is read by the other under the same stored name', async () => {
    const { directory, link } = shared();
    const [mine, theirs] = [worker(directory), worker(link)];
    const { sha256, stored } = await land(mine, PDF);
    expect(stored).toBe(RELATIVE);
    expect(await theirs.keep(sha256)).toBe('not here');
    expect(await mine.keep(sha256)).toBe('kept');
    expect(readdirSync(join(mine.landing.directory, RELATIVE, '..'))).toEqual([]);
    expect(statSync(join(directory, stored)).mode & 0o777).toBe(0o600);
    expect(await theirs.keep(sha256)).toBe('kept');
    const bytes = await theirs.open(stored);
    expect(bytes && (await buffer(bytes)).equals(PDF)).toBe(true);
  });

  test('a missing mount is an error, not an absent file, and nothing is written in its place', async () => {
    const { directory, link } = shared();
    const files = worker(link);
    const { sha256, stored } = await land(files, PDF);
    rmSync(directory, { recursive: true });
    await expect(files.keep(sha256)).rejects.toMatchObject({ name: 'FileStoreError', code: 'ENOENT' });
    await expect(files.missing([RELATIVE.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])).rejects.toThrow(
      /ENOENT/,
    );
    expect(existsSync(directory)).toBe(false);
    const bytes = await files.open(stored);
    expect(bytes && (await buffer(bytes)).equals(PDF)).toBe(true);
    mkdirSync(directory);
    expect(await files.bringOwed()).toBe(1);
    expect(existsSync(join(directory, stored))).toBe(true);
  });

  test('a file that is removed while it is uploaded is gone: its upload does not bring it back', async () => {
    const { directory } = shared();
    const files = worker(directory);
    const { sha256, stored } = await land(files, Buffer.alloc(32_000_000, 'x'));
    const uploading = files.keep(sha256);
    const parts = (): string[] => (existsSync(join(directory, 'sha256')) ? readdirSync(join(directory, 'sha256')) : []);
    await until(() => parts().some((name) => name.startsWith('.part-')), { everyMs: 1, what: 'the upload' });
    await files.remove(sha256);
    await uploading;
    expect(existsSync(join(directory, stored))).toBe(false);
    expect(await files.open(stored)).toBeUndefined();
  });

  test('files of another process are found every hour, although the clock is set back by a day meanwhile', async () => {
    const { directory } = shared();
    const files = worker(directory);
    // Without fractions of a millisecond, which would not always add up to an hour.
    const now = { wall: Date.now(), monotonic: Math.floor(performance.now()) };
    jest.spyOn(Date, 'now').mockImplementation(() => now.wall);
    jest.spyOn(performance, 'now').mockImplementation(() => now.monotonic);
    expect(await files.bringOwed()).toBe(0);
    await land(createFiles({ filesDir: files.landing.directory }), PDF);
    expect(await files.bringOwed()).toBe(0);
    now.monotonic += 3_600_000;
    now.wall += 3_600_000 - 86_400_000;
    expect(await files.bringOwed()).toBe(1);
    expect(existsSync(join(directory, RELATIVE))).toBe(true);
  });

  test('files that can never be stored do not block the others, and stay', async () => {
    const { directory } = shared();
    const files = worker(directory);
    const bad = await Promise.all([1, 2, 3, 4, 5].map((byte) => land(files, Buffer.alloc(100, byte))));
    for (const { stored } of bad) writeFileSync(join(files.landing.directory, stored), Buffer.alloc(100, 'x'));
    const { stored } = await land(files, PDF);
    await expect(files.bringOwed()).rejects.toMatchObject({ name: 'FileStoreError' });
    await expect(files.bringOwed()).rejects.toMatchObject({ name: 'FileStoreError' });
    expect(existsSync(join(directory, stored))).toBe(true);
    for (const { stored: name } of bad) expect(existsSync(join(files.landing.directory, name))).toBe(true);
    expect(readdirSync(join(directory, 'sha256')).filter((name) => name.startsWith('.part-'))).toEqual([]);
  });

  test('a partial file of a killed worker is not stored, and is removed once it is old', async () => {
    const { directory } = shared();
    const files = worker(directory);
    for (const folder of [directory, files.landing.directory]) {
      mkdirSync(join(folder, 'sha256'), { recursive: true });
      writeFileSync(join(folder, 'sha256', '.part-x'), '%PDF-1.7 half');
    }
    expect(await files.bringOwed()).toBe(0);
    expect(await files.sweepParts(3_600_000)).toBe(0);
    expect(await files.sweepParts(-1)).toBe(2);
  });
});

test.each([
  ['a relative path', RELATIVE, true],
  ['an S3 URI', `s3://bucket/pre/fix/${RELATIVE}`, true],
  ['a file URI', `file:///mnt/files/${RELATIVE}`, true],
  ['a path whose folders are those of another hash', RELATIVE.replace(/^sha256\/../, 'sha256/00'), false],
  ['a path that continues after the hash', `${RELATIVE}/more`, false],
  ['any other path', '/etc/passwd', false],
])('shaOf returns a hash only for names of stored files: %s', (_name, stored, isFile) => {
  expect(shaOf(stored)).toBe(isFile ? shaOfBytes(PDF) : undefined);
});

test('the probe of a directory leaves no file, and fails when the directory is missing', async () => {
  const path = newDirectory();
  expect(await probeStore(createFileStore({ kind: 'directory', path }))).toEqual({ leaves: false });
  rmSync(path, { recursive: true });
  expect(await probeStore(createFileStore({ kind: 'directory', path }))).toEqual({
    problem: { step: 'ask', code: 'ENOENT' },
    leaves: false,
  });
});
