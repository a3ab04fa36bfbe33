/** Answers that the ledger has, kept for as long as a backup may be restored: a folder for each day on which it got them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf, namesIn } from '../journal/durable-file.js';

interface KeptDays {
  /** Folder of today. */
  readonly today: () => string;
  /** Newest first. */
  readonly folders: () => Promise<readonly string[]>;
  /** Deletes days before `olderThanMs`, then the oldest ones until at most `maxBytes` are left. Returns how many of the latter. */
  readonly drop: (kept: { readonly olderThanMs: number; readonly maxBytes: number }) => Promise<number>;
}

export function createKeptDays(directory: string): KeptDays {
  const kept = join(directory, 'settled');
  const days = async (): Promise<readonly string[]> => (await namesIn(kept)).sort().reverse();
  return {
    today: () => join(kept, dayOf(Date.now())),
    folders: async () => (await days()).map((day) => join(kept, day)),
    drop: async ({ olderThanMs, maxBytes }) => {
      const firstKept = dayOf(olderThanMs);
      let bytes = 0;
      let droppedEarly = 0;
      for (const day of await days()) {
        const folder = join(kept, day);
        const isOld = day < firstKept;
        bytes += isOld ? 0 : await bytesIn(folder);
        if (!isOld && bytes <= maxBytes) continue;
        if (!isOld) droppedEarly += 1;
        await rm(folder, { recursive: true, force: true });
      }
      return droppedEarly;
    },
  };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await namesIn(folder)) bytes += await bytesOf(join(folder, name));
  return bytes;
}
