/** Cleans up after killed hosts: stops their servers and removes their folders. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanLeftovers, readStack, removePrivateFolder } from '../../local/index.js';
import { FOLDER_PREFIX } from '../stack/messages.js';

/** A younger folder without a record may still be set up by its host. */
const SETUP_WITHIN_MS = 3_600_000;

export async function removeAbandoned(own: string): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const root = join(tmpdir(), name);
    if (root === own || !isAbandoned(root)) continue;
    try {
      await cleanLeftovers({ root, onProgress: () => undefined });
      removePrivateFolder(join(root, '.tramita', 'postgres'));
      rmSync(root, { recursive: true, force: true });
    } catch {
      // another host cleans it at the same time, or it belongs to another user
    }
  }
}

function isAbandoned(root: string): boolean {
  const record = readStack(root);
  if (record !== undefined) return !record.isRunning;
  const changedAtMs = statSync(root, { throwIfNoEntry: false })?.mtimeMs;
  return changedAtMs !== undefined && Date.now() - changedAtMs > SETUP_WITHIN_MS;
}
