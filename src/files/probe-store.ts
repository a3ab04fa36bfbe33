/** Tries out with one small object whether the store can be written, read, and asked for a file that it does not have. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemCode, type FileStore } from './file-store.js';

/** Always the same, so that a store which forbids deletion keeps only one. */
const PROBE = 'tramita doctor was here\n';
const NOBODY_HAS = createHash('sha256').update('tramita: a file that nobody has').digest('hex');

/** `problem`: the step that failed, with its code. `leaves`: the probe was not deleted, which by itself is no problem. */
export interface StoreProbe {
  readonly problem?: { readonly step: 'ask' | 'write' | 'read'; readonly code: string };
  readonly leaves: boolean;
}

export async function probeStore(store: FileStore): Promise<StoreProbe> {
  const sha256 = createHash('sha256').update(PROBE).digest('hex');
  const folder = await mkdtemp(join(tmpdir(), 'tramita-probe-'));
  let step: 'ask' | 'write' | 'read' = 'ask';
  try {
    await store.sizeOf(NOBODY_HAS);
    step = 'write';
    const path = join(folder, 'probe');
    await writeFile(path, PROBE);
    await store.put({ sha256, bytes: PROBE.length, path });
    step = 'read';
    const bytes = await store.open(sha256);
    if (bytes === undefined || (await text(bytes)) !== PROBE)
      return { problem: { step, code: 'not what was written' }, leaves: true };
    return {
      leaves: await store.remove(sha256).then(
        () => false,
        () => true,
      ),
    };
  } catch (error) {
    return { problem: { step, code: systemCode(error) }, leaves: false };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
