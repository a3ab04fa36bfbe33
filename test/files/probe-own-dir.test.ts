/** A worker's folder that cannot be written is said before anything is paid. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeOwnDir } from '../../src/files/index.js';

const folder = mkdtempSync(join(tmpdir(), 'tramita-files-dir-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes the folder, for its user alone, and leaves nothing in it', async () => {
  const filesDir = join(folder, 'a', 'b');
  expect(await probeOwnDir(filesDir)).toBeUndefined();
  expect(await probeOwnDir(filesDir)).toBeUndefined();
  expect(readdirSync(filesDir)).toEqual([]);
  expect(statSync(filesDir).mode & 0o777).toBe(0o700);
});

it('gives the reason', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await probeOwnDir(file)).toBe('EEXIST');
  expect(await probeOwnDir(join(file, 'below'))).toBe('ENOTDIR');
  // Node's own `recursive` tries for good where no folder can be made and ENOENT is the reason.
  if (existsSync('/proc/self')) expect(await probeOwnDir('/proc/tramita/files')).toBe('ENOENT');
});
