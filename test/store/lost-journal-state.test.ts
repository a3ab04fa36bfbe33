/** A worker whose journal has lost its state: a later hold of the ledger waits for the old journal and for the new one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createJournal,
  createLifeKeeper,
  createLifeMemory,
  createSpool,
  listJournals,
} from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();
const folder = mkdtempSync(join(tmpdir(), 'tramita-state-'));
const journal = createJournal(join(folder, 'journal'));
afterAll(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const noRowIsLost = (): never => {
  throw new Error('no row is lost');
};
const heard = async (): Promise<ReadonlyMap<string, boolean>> =>
  new Map((await listJournals(database.db)).map(({ journalId, isHeard }) => [journalId, isHeard]));

test.each([
  ['was damaged', (file: string) => writeFileSync(file, '')],
  ['was deleted', (file: string) => rmSync(file)],
])('a state that %s while the worker ran', async (_how, lose) => {
  const keeper = createLifeKeeper({
    db: database.db,
    ledger: { restore: noRowIsLost, settleLost: noRowIsLost },
    journal,
    spool: createSpool(join(folder, 'spool')),
    memory: createLifeMemory(),
    lateCallsMs: 0,
    clock: Date.now,
    wake: () => Promise.resolve(),
    onNews: () => undefined,
  });
  await keeper.keep();
  const before = await journal.state();
  expect((await heard()).get(before.journalId)).toBe(true);
  lose(join(folder, 'journal', 'state.json'));
  await keeper.keep();
  const after = await journal.state();
  expect(after.journalId).not.toBe(before.journalId);
  expect(after.epoch).toBe(before.epoch);
  const now = await heard();
  expect([now.get(before.journalId), now.get(after.journalId)]).toEqual([true, true]);
});
