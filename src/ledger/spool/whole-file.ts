/** Files of single answers, each written whole or not at all: first under a partial name, which a killed worker may leave behind. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { absent, namesIn, writeWhole } from '../journal/durable-file.js';
import { changeAnswerFile } from './answer-file.js';

const PARTIAL = '.partial';

/** Its name is durable only once its folder is on the disk too. */
export async function putWhole(file: string, content: Buffer): Promise<void> {
  const partial = partialOf(file);
  await inFolder(dirname(file), () => writeWhole(partial, content, () => rename(partial, file)));
}

/** Creates the folder if it is missing; almost always it exists. */
export async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    absent(error);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await write();
  }
}

/** True if `change` changes the answer in the file. With `write: false` it only looks. */
export async function rewriteWhole(
  file: string,
  change: (text: Buffer) => Buffer,
  { write }: { readonly write: boolean },
): Promise<boolean> {
  const content = await readFile(file).catch(absent);
  const rewritten = content && changeAnswerFile(content, change);
  if (rewritten === undefined) return false;
  if (!write) return true;
  if (file.endsWith(PARTIAL)) {
    // No write of a partial file was confirmed. Its writer finds it missing and writes it again; half of it must not take its
    // place.
    await rm(file, { force: true });
    return true;
  }
  const partial = partialOf(file);
  await writeWhole(partial, rewritten, async () => {
    // Kept meanwhile: the ledger has it, and it is found again among the kept ones.
    if ((await stat(file).catch(absent)) === undefined) await rm(partial, { force: true });
    else await rename(partial, file).catch(absent);
  });
  return true;
}

/** Deletes partial files that killed workers left behind. */
export async function dropPartials(directory: string, olderThanMs: number): Promise<void> {
  for (const name of (await namesIn(directory)).filter((each) => each.endsWith(PARTIAL))) {
    const file = join(directory, name);
    const left = await stat(file).catch(absent);
    if (left !== undefined && left.mtimeMs < olderThanMs) await rm(file, { force: true });
  }
}

function partialOf(file: string): string {
  return `${file}.${randomUUID()}${PARTIAL}`;
}
