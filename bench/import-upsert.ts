/**
 * The rows of an import compared with COPY, alternating: pages of 100 staged as the import stages them, the same pages by
 * COPY from the worker, and by raw COPY from a file at the server, the fastest possible way. The tables are empty and have
 * the same indexes; each page is one transaction.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { createTokens } from '../src/config/index.js';
import { readLawyerCases, type LawyerCase } from '../src/contract/index.js';
import { createLawyerCollections } from '../src/records/index.js';
import type { Database } from '../src/store/index.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { lawyerItem } from '../soak/lawyer-service.js';
import { median } from '../soak/numbers.js';
import { copyPages } from './import-copy.js';
import { timed } from './run-bench.js';

const ROWS = 100;
const PAGES = 100;
const ROUNDS = 7;

interface UpsertFigures {
  /** Rows per second: staged ÷ copied from the worker, and ÷ copied from a file. Medians over the rounds. */
  readonly ratio: number;
  readonly ratioToFile: number;
  readonly stagedPerSecond: number;
  readonly copiedPerSecond: number;
  readonly copiedFromFilePerSecond: number;
}

/** Needs a database that a worker has migrated. */
export async function measureUpserts(db: Database, databaseUrl: string): Promise<UpsertFigures> {
  await sql`create table copied (like tramita.lawyer_case including all)`.execute(db);
  await sql`create table copied_page (like tramita.lawyer_page including all)`.execute(db);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const collections = createLawyerCollections({ db, token: createTokens('0'.repeat(32)).token });
  // The server reads and writes the files, under its own user.
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
  const copyFiles = async (): Promise<void> => {
    for (const page of pages.keys()) await sql.raw(`copy copied from '${fileOf(page)}' (format csv)`).execute(db);
  };
  const perSecondOf = async (run: () => Promise<unknown>): Promise<number> => {
    await sql`truncate copied, copied_page, tramita.lawyer_case, tramita.lawyer_page`.execute(db);
    return (ROWS * PAGES) / (await timed(run)).seconds;
  };
  const rounds: { readonly staged: number; readonly copied: number; readonly fromFile: number }[] = [];
  try {
    const first = await stage();
    for (const page of pages.keys()) {
      const rows = `select * from tramita.lawyer_case where set_id = '${first}' order by row_key limit ${ROWS} offset ${page * ROWS}`;
      await sql.raw(`copy (${rows}) to '${fileOf(page)}' (format csv)`).execute(db);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const fromFile = await perSecondOf(copyFiles);
      const copied = await perSecondOf(() => copyPages(client, pages));
      rounds.push({ fromFile, copied, staged: await perSecondOf(stage) });
    }
  } finally {
    await client.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    ratio: median(rounds.map(({ staged, copied }) => staged / copied)),
    ratioToFile: median(rounds.map(({ staged, fromFile }) => staged / fromFile)),
    stagedPerSecond: median(rounds.map(({ staged }) => staged)),
    copiedPerSecond: median(rounds.map(({ copied }) => copied)),
    copiedFromFilePerSecond: median(rounds.map(({ fromFile }) => fromFile)),
  };
}

function pageOf(page: number): readonly LawyerCase[] {
  const items = Array.from({ length: ROWS }, (_none, row) => lawyerItem(caseNumberOf(2_000_000 + page * ROWS + row)));
  return readLawyerCases({ data: { items } }, { classificationField: ['classificacao'] })?.records ?? [];
}
