/**
 * A log of one process in append-only files, one at a time. Each text is on the disk before its writer goes on; concurrent texts
 * share a write.
 */
import { createGrowingFile, type LogFiles } from './growing-file.js';

export interface AppendLog {
  /** Returns the name of the file that has the text, once it is on the disk. */
  append(text: string): Promise<string>;
  /** Writes the text with the next one, or alone a little later. Nobody waits for it, and a crash may lose it. */
  later(text: string): void;
  /** Name of the file that is being written. */
  current(): string | undefined;
  /** Ends the current file. The next text begins another. */
  close(): Promise<void>;
}

/** While texts keep coming, a text that goes `later` costs no write of its own. */
const LATER_MS = 100;

interface Waiting {
  readonly text: string;
  readonly done?: (name: string) => void;
  readonly failed?: (error: unknown) => void;
}

export function createAppendLog(files: LogFiles): AppendLog {
  const file = createGrowingFile(files);
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const name = await file.append(batch.map(({ text }) => text).join(''));
        for (const { done } of batch) done?.(name);
      } catch (error) {
        for (const { failed } of batch) failed?.(error);
      }
    }
    writing = undefined;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= writeWaiting();
  };

  return {
    append: (text) =>
      new Promise((done, failed) => {
        waiting.push({ text, done, failed });
        writing ??= writeWaiting();
      }),
    later: (text) => {
      waiting.push({ text });
      timer ??= setTimeout(flush, LATER_MS).unref();
    },
    current: file.current,
    close: async () => {
      flush();
      // The check and the end happen in one turn of the event loop, so no write begins in a file that is being closed.
      while (writing !== undefined) await writing;
      await file.close();
    },
  };
}
