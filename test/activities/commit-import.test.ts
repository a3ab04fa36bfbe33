/** What keeps a finished reading of a lawyer's list from becoming the list that readers see. */
import { randomUUID } from 'node:crypto';
import { commitImport } from '../../src/activities/lawyers/import-steps.js';
import type { CommitImportInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { withActivities } from './with-activities.js';

const OLD = '2026-03-01T10:00:00Z';
const NEW = '2026-03-01T07:00:01.000-04:00';

describe('commitImport', () => {
  const world = withActivities();
  let oab = '';
  beforeEach(() => (oab = `SP:${Math.floor(Math.random() * 1_000_000) + 1}`));

  /** Stages pages of these lengths and commits them. */
  const commit = async (lengths: readonly number[], more: Partial<CommitImportInput> = {}) => {
    const { lawyers } = world.deps();
    const setId = randomUUID();
    for (const [index, length] of lengths.entries()) {
      const records = Array.from({ length }, () => {
        const cnj = newCase();
        return {
          cnj,
          classification: null,
          court: null,
          lastPublicationOn: null,
          sensitivity: 'PERSONAL',
          data: { cnj },
        };
      });
      await lawyers.stage(setId, { targetHash: `page ${index + 1}`, page: index + 1, records: records as never });
    }
    const pages = lengths.length;
    return commitImport(world.deps(), { account: 'default', oab, setId, version: OLD, pages, ...more });
  };
  const end = { start: randomUUID(), restarts: 0, paidChecks: 1 };

  it('refuses a short list whose later pages are larger than page 1: the cases between were skipped', async () => {
    const doubts = { firstPageItems: 20, mayBeOld: false };
    // 200 cases: page 1 of 20, then pages 2 to 4 of 50.
    const asked = { doubts, end: { ...end, available: 200 } };
    expect(await commit([20, 50, 50, 50], asked)).toEqual({ lost: true, readAgain: true });
    expect(await commit([20, 50, 50, 50], { end: { ...end, available: 200 } })).toBe(170);
  });

  it.each([
    ['is as long as announced', [20, 50], 70],
    ['is short, and no page is larger than page 1', [20, 20, 10], 70],
    ['has no announced length', [20, 50], undefined],
  ] as const)('commits a list that %s', async (_what, lengths, available) => {
    const asked = { doubts: { firstPageItems: 20, mayBeOld: false }, end: { ...end, ...(available && { available }) } };
    expect(await commit(lengths, asked)).toBe(lengths.reduce((sum: number, length) => sum + length, 0));
  });

  it('refuses a list from an older answer than the one that readers see', async () => {
    const doubts = { firstPageItems: 2, mayBeOld: true };
    expect(await commit([3], { version: NEW })).toBe(3);
    expect(await commit([2], { version: OLD, doubts })).toEqual({ lost: true, readAgain: true });
    expect(await commit([2], { version: NEW, doubts })).toBe(2);
    expect(await commit([2], { version: null, doubts })).toBe(2);
    expect(await commit([2], { version: OLD, doubts: { ...doubts, mayBeOld: false } })).toBe(2);
  });
});
