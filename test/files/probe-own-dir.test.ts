/** A worker's folder that cannot be written is reported before anything is paid. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { probeOwnDir } from '../../src/files/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder('files-dir');

it('probeOwnDir makes the folder, for its user alone, and leaves nothing in it', async () => {
  const filesDir = join(folder, 'a', 'b');
  expect(await probeOwnDir(filesDir)).toBeUndefined();
  expect(await probeOwnDir(filesDir)).toBeUndefined();
  expect(readdirSync(filesDir)).toEqual([]);
  expect(statSync(filesDir).mode & 0o777).toBe(0o700);
});

it('probeOwnDir returns the error code when the folder cannot be made', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await probeOwnDir(file)).toBe('EEXIST');
  expect(await probeOwnDir(join(file, 'below'))).toBe('ENOTDIR');
  // Here Node's own `recursive` option would never end: no folder can be made, and the reason is ENOENT.
  if (existsSync('/proc/self')) expect(await probeOwnDir('/proc/tramita/files')).toBe('ENOENT');
});

it.each([0, 40_960])(
  'probeOwnDir reports a disk that is full after %d bytes, and leaves nothing there',
  async (bytesWritten) => {
    const filesDir = join(folder, `full-${bytesWritten}`);
    const handle = await open(__filename);
    const methods = Object.getPrototypeOf(handle) as { write: () => Promise<unknown> };
    await handle.close();
    const write = jest.spyOn(methods, 'write').mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    // A disk with some room left writes a part and reports no error.
    if (bytesWritten > 0) write.mockResolvedValueOnce({ bytesWritten });
    expect(await probeOwnDir(filesDir)).toBe('ENOSPC');
    write.mockRestore();
    expect(readdirSync(filesDir)).toEqual([]);
  },
);
