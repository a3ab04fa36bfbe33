/**
 * The rows of an import beside the limit of any: pages of 100 that are staged as the import stages them, and the same pages by raw
 * COPY from a file into an empty table with the same indexes, by turns, each page in a transaction of its own.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readLawyerCases, type LawyerCase } from '../src/contract/index.js';
import { createLawyerCollections } from '../src/records/index.js';
import type { Database } from '../src/store/index.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { lawyerItem } from '../soak/lawyer-service.js';
import { median } from '../soak/numbers.js';
import { timed } from './run-bench.js';

const ROWS = 100;
const PAGES = 100;
const ROUNDS = 7;

interface UpsertFigures {
  /** Staged ÷ copied of each round; their median. */
  readonly ratio: number;
  readonly stagedPerSecond: number;
  readonly copiedPerSecond: number;
}

/** On a database that a worker has migrated. */
export async function measureUpserts(db: Database): Promise<UpsertFigures> {
  await sql`create table copied (like tramita.lawyer_case including all)`.execute(db);
  const collections = createLawyerCollections({ db });
  // The server reads and writes the files, as a user of its own.
  const folder = mkdtempSync(join(tmpdir(), 'tramita-copy-'));
  chmodSync(folder, 0o777);
  const fileOf = (page: number): string => join(folder, `${page}.csv`);
  const pages = Array.from({ length: PAGES }, (_none, page) => pageOf(page));
  const stage = async (): Promise<string> => {
    const setId = randomUUID();
    for (const [page, records] of pages.entries()) {
      await collections.stage(setId, { targetHash: `page ${page}`, page, records });
    }
    return setId;
  };
  const copy = async (): Promise<void> => {
    for (const page of pages.keys()) await sql.raw(`copy copied from '${fileOf(page)}' (format csv)`).execute(db);
  };
  const staged: number[] = [];
  const copied: number[] = [];
  try {
    const first = await stage();
    for (const page of pages.keys()) {
      const rows = `select * from tramita.lawyer_case where set_id = '${first}' order by row_key limit ${ROWS} offset ${page * ROWS}`;
      await sql.raw(`copy (${rows}) to '${fileOf(page)}' (format csv)`).execute(db);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      await sql`truncate copied`.execute(db);
      copied.push((ROWS * PAGES) / (await timed(copy)).seconds);
      await sql`truncate tramita.lawyer_case, tramita.lawyer_page`.execute(db);
      staged.push((ROWS * PAGES) / (await timed(stage)).seconds);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const ratio = median(staged.map((perSecond, round) => perSecond / (copied[round] ?? NaN)));
  return { ratio, stagedPerSecond: median(staged), copiedPerSecond: median(copied) };
}

function pageOf(page: number): readonly LawyerCase[] {
  const items = Array.from({ length: ROWS }, (_none, row) => lawyerItem(caseNumberOf(2_000_000 + page * ROWS + row)));
  return readLawyerCases({ data: { items } }, { classificationField: ['classificacao'] })?.records ?? [];
}
