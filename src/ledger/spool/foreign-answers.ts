/** The open answers of other processes in the same folder, known by reading their files. */
import { join } from 'node:path';
import type { LogFile, LogReader } from './log-reader.js';

interface ForeignAnswers {
  /** Oldest first. */
  readonly files: () => Promise<readonly LogFile[]>;
  readonly ids: () => Promise<readonly string[]>;
  /** The file of an open answer, and when it was written, epoch ms; 0 if it is damaged. */
  readonly find: (intentId: string) => Promise<{ readonly file: string; readonly atMs: number } | undefined>;
  readonly hasOpen: (file: string) => Promise<boolean>;
}

export function createForeignAnswers(
  directory: string,
  { filesIn, indexOf }: LogReader,
  isOwn: (file: string) => boolean,
): ForeignAnswers {
  /** The file in which each was last seen. */
  const seenIn = new Map<string, string>();
  const files = async (): Promise<readonly LogFile[]> => (await filesIn(directory)).filter(({ name }) => !isOwn(name));
  const openIn = async (file: string): Promise<ReadonlyMap<string, number>> =>
    (await indexOf(join(directory, file))).open;
  return {
    files,
    ids: async () => {
      seenIn.clear();
      for (const { name } of await files()) {
        for (const intentId of (await openIn(name)).keys()) seenIn.set(intentId, name);
      }
      return [...seenIn.keys()];
    },
    find: async (intentId) => {
      const names = (await files()).map(({ name }) => name);
      const last = seenIn.get(intentId);
      // The last known file comes first: with more files than cached indexes, a search would read every file again.
      for (const file of last === undefined ? names : [last, ...names]) {
        const atMs = (await openIn(file)).get(intentId);
        if (atMs !== undefined) return { file, atMs };
      }
      return undefined;
    },
    hasOpen: async (file) => (await openIn(file)).size > 0,
  };
}
