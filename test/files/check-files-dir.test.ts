/** A worker's folder that cannot be written is said before anything is paid. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFilesDir } from '../../src/workers/check-files-dir.js';

const folder = mkdtempSync(join(tmpdir(), 'tramita-files-dir-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes the folder and leaves nothing in it', async () => {
  const filesDir = join(folder, 'a', 'b');
  await checkFilesDir(filesDir);
  await checkFilesDir(filesDir);
  expect(readdirSync(filesDir)).toEqual([]);
});

it('names the variable, the folder and the reason', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(checkFilesDir(file)).rejects.toThrow(
    `tramita: TRAMITA_FILES_DIR: ${file} cannot be written (EEXIST); name a folder of this worker`,
  );
  await expect(checkFilesDir(join(file, 'below'))).rejects.toThrow(/below cannot be written \(ENOTDIR\)/);
});
