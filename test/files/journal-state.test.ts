/** The state of a journal that a cut copy of the folder, or a disk, has damaged: the worker goes on under a new id. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { createJournal } from '../../src/ledger/index.js';
import { newDirectory } from './support.js';

/** Two processes over one folder, whose state has this text. */
function damagedBy(text: string) {
  const folder = newDirectory();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'state.json'), text);
  const setAside: string[] = [];
  const journal = createJournal(folder, (file) => void setAside.push(file));
  return { journal, other: createJournal(folder), setAside, folder };
}

test.each(['', '{"journalId":"8', '\0\0\0\0', 'null', '{}', '{"journalId":"x","epoch":null,"peers":null}'])(
  'the state %j is set aside, and the journal begins under a new id that it keeps',
  async (text) => {
    const { journal, other, setAside, folder } = damagedBy(text);
    const fresh = await journal.state();
    expect(fresh).toEqual({ journalId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, epoch: null, peers: {} });
    expect(await journal.state()).toEqual(fresh);
    expect(await other.state()).toEqual(fresh);
    expect(setAside).toHaveLength(1);
    expect(readFileSync(setAside[0] ?? '', 'utf8')).toBe(text);
    expect(readdirSync(folder)).toHaveLength(2);
  },
);

test('two processes that find it damaged at once take the same id', async () => {
  const { journal, other } = damagedBy('');
  const [one, two] = await Promise.all([journal.state(), other.state()]);
  expect(two.journalId).toBe(one.journalId);
});

test('a process that has read the damage before another one began a new state leaves that state in its place', async () => {
  const { journal, other, setAside, folder } = damagedBy('');
  const rename = files.rename.bind(files);
  const spy = jest.spyOn(files, 'rename').mockImplementationOnce(async (from, to) => {
    await other.state();
    await rename(from, to);
  });
  try {
    const late = await journal.state();
    expect(late).toEqual(await other.state());
    expect(setAside).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(2);
  } finally {
    spy.mockRestore();
  }
});
