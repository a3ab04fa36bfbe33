/** Writes what is held about a subject as JSON. */
import { open, rm } from 'node:fs/promises';
import { errorCode } from '../../config/index.js';
import { EXPORT_VERSION, held, seekNumber, type Subject } from '../../privacy/index.js';
import { failure } from '../exit-codes.js';
import { harmlessJson } from '../output/harmless.js';
import type { Stores } from './with-holdings.js';

type Write = (text: string) => Promise<unknown>;

export async function intoNewFile(file: string, use: (write: Write) => Promise<number>): Promise<number> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw failure(`${file} cannot be written (${errorCode(error)}); name a new file`);
  });
  try {
    return await use((text) => handle.appendFile(text));
  } catch (error) {
    // Half an export is personal data that nobody asked for, and the next try could not use the name.
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Writes item by item, so that an export of any size fits into memory. */
export async function writeExport(stores: Stores, subject: Subject, write: Write): Promise<number> {
  const head = { version: EXPORT_VERSION, subject, exportedAt: new Date().toISOString() };
  await write(`${harmlessJson(head).slice(0, -1)},"held":[`);
  let items = 0;
  for await (const item of held(stores, seekNumber(stores.token, subject))) {
    await write(`${items === 0 ? '\n' : ',\n'}${harmlessJson(item)}`);
    items += 1;
  }
  await write('\n]}\n');
  return items;
}
