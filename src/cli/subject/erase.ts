/** Erases a subject, or repeats the erasures of all. */
import { probeOwnDir } from '../../files/index.js';
import { journalsNamed, listJournals } from '../../ledger/index.js';
import {
  SUBJECT_KINDS,
  erasedTokens,
  eraseSubject,
  recordAccess,
  seekNumber,
  seekToken,
  tokenOfSubject,
  type Erased,
  type Sought,
  type Subject,
  type SubjectKind,
} from '../../privacy/index.js';
import { present } from '../../contract/values/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { EXIT, usageError, type ExitCode } from '../exit-codes.js';
import { oneJournal } from '../input/one-journal.js';
import { formatTable, print, type JsonFlag } from '../output/output.js';
import { countHeld } from './count-held.js';
import { linesOf, planLines, publicResult } from './report.js';
import { withHoldings, type Stores, type SubjectFlags } from './with-holdings.js';

export interface EraseFlags extends SubjectFlags, JsonFlag {
  readonly yes?: boolean;
  readonly cancel?: boolean;
  readonly again?: boolean;
  readonly without?: string;
}

/** Without `--yes` it only counts. */
export async function eraseOne(
  context: CliContext,
  flags: EraseFlags,
  stores: Stores,
  subject: Subject,
): Promise<ExitCode> {
  const sought = seekNumber(stores.token, subject);
  const token = tokenOfSubject(stores.token, subject);
  const without = await journalNamed(stores.db, flags.without);
  if (flags.yes !== true) {
    const counted = await countHeld(stores, sought);
    print(context, flags.json, { dryRun: true, token, ...counted }, planLines(counted, flags.cancel));
    return EXIT.needsPerson;
  }
  const erased = await erase(context, stores, { ...flags, without, sought, kind: subject.kind, token });
  print(context, flags.json, publicResult(erased), linesOf(erased));
  return erased.kind === 'running' ? EXIT.needsPerson : EXIT.ok;
}

/** Repeats every erasure by its token: from the database, and from the list on this disk, which no restore takes back. */
export async function eraseAgain(context: CliContext, flags: EraseFlags): Promise<ExitCode> {
  if (SUBJECT_KINDS.some((kind) => flags[kind] !== undefined)) throw usageError('--again takes no number');
  return withHoldings(context, flags, async (stores) => {
    await recordAccess(stores.db, { by: flags.by, via: 'subject erase --again', reason: flags.reason });
    const without = await journalNamed(stores.db, flags.without);
    const all = [...(await erasedTokens(stores.db)), ...(await stores.disk.remembered())];
    const unique = new Map(all.map((erased) => [`${erased.kind} ${erased.token}`, erased]));
    if (flags.yes !== true) {
      const erasures = [...unique.values()].map(({ kind, token }) => ({ kind, token }));
      const rows = erasures.map(({ kind, token }) => [kind, token]);
      print(context, flags.json, { dryRun: true, erasures }, [
        ...(rows.length === 0 ? [] : [formatTable(['KIND', 'TOKEN'], rows)]),
        `${rows.length} erasures would be repeated${rows.length === 0 ? '' : ': add --yes'}`,
      ]);
      return rows.length === 0 ? EXIT.ok : EXIT.needsPerson;
    }
    const results: Erased[] = [];
    for (const { kind, token } of unique.values()) {
      const sought = seekToken(stores.token, kind, token);
      results.push(await erase(context, stores, { ...flags, without, sought, kind, token }));
    }
    const left = results.filter(({ kind }) => kind === 'running').length;
    print(context, flags.json, results.map(publicResult), [
      ...results.flatMap(linesOf),
      `${results.length - left} of ${results.length} erasures were repeated`,
    ]);
    return left === 0 ? EXIT.ok : EXIT.needsPerson;
  });
}

async function erase(
  { err }: CliContext,
  stores: Stores,
  options: Pick<EraseFlags, 'by' | 'reason' | 'cancel'> & {
    readonly without: string | undefined;
    readonly sought: Sought;
    readonly kind: SubjectKind;
    readonly token: string;
  },
): Promise<Erased> {
  // An erasure that cannot be recorded there would never be complete.
  const { filesDir } = stores.config;
  const code = await probeOwnDir(filesDir);
  if (code !== undefined) {
    throw usageError(
      `TRAMITA_FILES_DIR: ${filesDir} cannot be written (${code}), and the list of what was erased is kept there; name a folder of this machine`,
    );
  }
  const { sought, kind, token, by, reason, cancel = false, without } = options;
  // A round begins with a search, which changes nothing.
  const onStep = (place: string, count: number): void => {
    err(count === 0 ? 'everything was searched\n' : `${place}: ${count}\n`);
  };
  const request = { sought, kind, token, by, reason, cancel, ...present({ without }) };
  return eraseSubject(stores, { ...request, clock: Date.now, onStep });
}

/** The id of the journal that `--without` names, if one is waited for. */
async function journalNamed(db: Database, named: string | undefined): Promise<string | undefined> {
  if (named === undefined) return undefined;
  const journals = await listJournals(db);
  const found = journalsNamed(journals, named);
  if (found.length === 0) {
    const known = journals.map(({ label }) => label).join(', ');
    throw usageError(`--without: seen "${named}"; expected a worker as listed: ${known || 'there is none'}`);
  }
  return oneJournal(found.filter(({ dismissedBy }) => dismissedBy === null))?.journalId;
}
