/** Reads what `tramita ledger check` judges: the ledger, the file store and this machine's spool. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, type Config } from '../../config/index.js';
import {
  FILE_OPEN_AT_MOST_MS,
  MINUTE_MS,
  OPEN_AT_MOST_MS,
  OPERATIONS,
  withExtraOperations,
} from '../../contract/index.js';
import { withoutPrefix } from '../../contract/values/index.js';
import { createFiles } from '../../files/index.js';
import { checkLedger, createSpool, unknownIntents, type AccountCheck, type GoneFiles } from '../../ledger/index.js';
import { createRecords, type DocumentFile } from '../../records/index.js';
import type { Database } from '../../store/index.js';
import { checkLife } from '../doctor/check-database.js';

/** The sweeper takes rows after 5 minutes, calls for files after 15; one minute more for its round. */
const STUCK_AFTER_MS = OPEN_AT_MOST_MS + MINUTE_MS;
const FILE_STUCK_AFTER_MS = FILE_OPEN_AT_MOST_MS + MINUTE_MS;
const BATCH = 1_000;
const MOST_IDS = 100;

export interface LedgerState {
  readonly checks: readonly (AccountCheck & {
    /** Ids of documents whose file is gone. */
    readonly lostDocuments: readonly string[];
  })[];
  readonly spooledWithoutRow: readonly string[];
  /** What was not looked at because this machine has no folder of a worker. */
  readonly folder: string | undefined;
  /** Why the spool could not be read. */
  readonly spool: string | undefined;
  /** Problems of the ledger as a whole. */
  readonly ledger: readonly string[];
  /** Why the store could not be asked. */
  readonly fileStore: string | undefined;
}

interface CheckOptions {
  readonly accounts: readonly string[];
  readonly nowMs: number;
  readonly sinceMs: number;
  readonly asksFiles: boolean;
}

export async function readState(
  db: Database,
  config: Config,
  { asksFiles, ...options }: CheckOptions,
): Promise<LedgerState> {
  const { operations } = withExtraOperations(OPERATIONS, config.operations);
  const fileCalls = operations.filter(({ answer }) => answer === 'pdf').map(({ id }) => id);
  const noFolder = await isMissing(config.filesDir);
  const asks = asksFiles && !(noFolder && config.fileStore === undefined);
  const files = createFilesCheck(db, config, asks);
  const life = await checkLife(db);
  const accounts = await checkLedger(db, {
    ...options,
    openAtMostMs: STUCK_AFTER_MS,
    slow: { operations: fileCalls, olderThanMs: FILE_STUCK_AFTER_MS },
    goneFiles: files.gone,
  });
  const checks = await Promise.all(
    accounts.map(async (check) => ({ ...check, lostDocuments: await files.lostDocuments(check.account) })),
  );
  return {
    checks,
    ...(await orphansOf(db, config)),
    folder: noFolder ? noFolderText(config.filesDir, asks === asksFiles ? [] : ['paid files']) : undefined,
    ledger: life.map(({ text }) => text),
    fileStore: files.problem(),
  };
}

function isMissing(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => false,
    (error: unknown) => errorCode(error) === 'ENOENT',
  );
}

function noFolderText(filesDir: string, others: readonly string[]): string {
  const what = [...others, 'spooled answers'].join(' and ');
  return `${what} were not looked for: this machine has no folder ${filesDir}; set TRAMITA_FILES_DIR to the folder of a worker, on its machine`;
}

/**
 * Which files that were paid for are missing in the file store. Without `asks`, or with a `problem`, the store is not asked, and no
 * file counts as gone.
 */
function createFilesCheck(db: Database, config: Config, asks: boolean) {
  const files = createFiles(config);
  const records = createRecords({ db });
  let problem: string | undefined;
  const gone: GoneFiles = async (stored) => {
    if (!asks || problem !== undefined) return new Set();
    return files.missing(stored).catch((error: unknown) => {
      problem = withoutPrefix((error as Error).message);
      return new Set<string>();
    });
  };
  return {
    gone,
    /** Why the store could not be asked. */
    problem: () => problem,
    /** Ids of documents of an account whose file is gone, at most 100. */
    async lostDocuments(account: string): Promise<readonly string[]> {
      const lost: string[] = [];
      let after: DocumentFile | undefined;
      while (lost.length < MOST_IDS) {
        const documents = await records.listFiles({ account, after, limit: BATCH });
        const missing = await gone(documents.map(({ stored }) => stored));
        lost.push(...documents.flatMap(({ id, stored }) => (missing.has(stored) ? [id] : [])));
        after = documents.at(-1);
        if (documents.length < BATCH) break;
      }
      return lost.slice(0, MOST_IDS);
    },
  };
}

/**
 * Answers in this machine's spool that have no row in the ledger; workers of other machines have their own spools. A call that
 * was not sent has cost nothing and needs no row: workers drop it after a while.
 */
async function orphansOf(db: Database, config: Config): Promise<Pick<LedgerState, 'spooledWithoutRow' | 'spool'>> {
  const directory = join(config.filesDir, 'spool');
  const spool = createSpool(directory);
  let problem: string | undefined;
  const unlessUnreadable = (error: unknown): undefined => {
    problem ??= `${directory} cannot be read (${errorCode(error)}); run this as the user of the worker, with its TRAMITA_FILES_DIR`;
  };
  const spooled = (await spool.list().catch(unlessUnreadable)) ?? [];
  const orphans = spooled.length === 0 ? [] : await unknownIntents(db, spooled);
  const settlements = await Promise.all(orphans.map((intentId) => spool.peek(intentId).catch(unlessUnreadable)));
  const spooledWithoutRow = orphans.filter((_intentId, index) => settlements[index]?.state !== 'not_sent');
  return { spooledWithoutRow, spool: problem };
}
