/** Folders of a test file, removed at its end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tramita-${name}-`));
  made.push(folder);
  return folder;
}
