/** The files in `tramita ledger check`: which files that were paid for are missing in the file store. */
import { withoutPrefix } from '../../contract/values/index.js';
import type { Config } from '../../config/index.js';
import { createFiles } from '../../files/index.js';
import type { AccountCheck, GoneFiles } from '../../ledger/index.js';
import { createRecords, type DocumentFile } from '../../records/index.js';
import type { Database } from '../../store/index.js';

export interface FilesCheck {
  readonly gone: GoneFiles;
  /** Ids of documents of an account whose file is gone, at most 100. */
  lostDocuments(account: string): Promise<readonly string[]>;
  /** Why the store could not be asked; no file counts as gone then. */
  problem(): string | undefined;
}

const BATCH = 1_000;
const MOST_IDS = 100;

/** Without `asks` the store is not asked, and no file counts as gone. */
export function createFilesCheck(db: Database, config: Config, asks: boolean): FilesCheck {
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
    problem: () => problem,
    async lostDocuments(account) {
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

export interface CheckFinding {
  /** A person has to act; otherwise the finding is for information. */
  readonly act: boolean;
  readonly text: string;
}

/** Counts the rows and names the first ids; no finding without rows. Pure. */
export function rowsFinding(ids: readonly string[], text: string, act = true): readonly CheckFinding[] {
  return ids.length === 0 ? [] : [{ act, text: `${ids.length} ${text}: ${ids.slice(0, 3).join(', ')}` }];
}

/** Without a file store nobody has to act: the directory of one machine says nothing about files of other machines. Pure. */
export function fileFindings(
  { lostFiles, lostDocuments }: Pick<AccountCheck, 'lostFiles'> & { readonly lostDocuments: readonly string[] },
  { filesDir, fileStore }: Pick<Config, 'filesDir' | 'fileStore'>,
): readonly CheckFinding[] {
  const act = fileStore !== undefined;
  const where = act ? 'gone from the file store' : `not in ${filesDir} of this machine; another worker may have them`;
  return [
    ...rowsFinding(lostFiles, `paid files ${where}`, act),
    ...rowsFinding(lostDocuments, `files of documents ${where}`, act),
  ];
}
