/**
 * `tramita subject find|export|erase`: what is held about a case, a person, a company or a lawyer. The requester's name and reason
 * are in the access log before any data is read.
 */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createTokens, errorCode, type Config } from '../../config/index.js';
import { present } from '../../contract/values/index.js';
import { createFiles, probeOwnDir } from '../../files/index.js';
import {
  EXPORT_VERSION,
  SUBJECT_KINDS,
  erasedTokens,
  eraseSubject,
  held,
  openOwnDisk,
  parseSubject,
  recordAccess,
  seekNumber,
  seekToken,
  tokenOfSubject,
  type Erased,
  type Holdings,
  type Sought,
  type Subject,
  type SubjectKind,
} from '../../privacy/index.js';
import { journalsNamed, listJournals } from '../../ledger/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { EXIT, failure, usageError, type ExitCode } from '../exit-codes.js';
import { harmlessJson } from '../output/harmless.js';
import { formatTable, JSON_OPTION, print } from '../output/output.js';
import { createFlowsOfNamespace } from '../subject/flows-of-namespace.js';
import { refuseText } from '../with/note-look.js';
import { readConfig, requireIdKey } from '../with/settings.js';
import { refuseOtherNamespace } from '../with/namespace-of-flows.js';
import { withClient } from '../with/with-client.js';
import { refuseOtherSettings, withDatabase } from '../with/with-database.js';

interface Flags extends Partial<Record<SubjectKind, string>> {
  readonly by: string;
  readonly reason: string;
  readonly json?: boolean;
  readonly file?: string;
  readonly yes?: boolean;
  readonly cancel?: boolean;
  readonly again?: boolean;
  readonly without?: string;
}

interface Stores extends Holdings {
  readonly config: Config;
}

export function addSubjectCommand(program: Command, { context, run }: CommandSetup): void {
  const group = program.command('subject').description('what is held about a person, a company, a lawyer or a case');
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--cnj <number>', 'a case')
      .option('--cpf <number>', 'a person')
      .option('--cnpj <number>', 'a company')
      .option('--oab <registration>', 'a lawyer, like SP:123456')
      .requiredOption('--by <who>', 'your name or a ticket, for the access log')
      .requiredOption('--reason <text>', 'why, for the access log; without personal numbers')
      .option(...JSON_OPTION);
  add('find', 'count what is held, by place').action(
    run((flags: Flags) =>
      withLoggedAccess(context, flags, 'subject find', async (stores, subject) => {
        const { total, places } = await countHeld(stores, seekNumber(stores.token, subject));
        print(context, flags.json, { token: tokenOfSubject(stores.token, subject), total, places }, [heldText(places)]);
      }),
    ),
  );
  add('export', 'write everything that is held into one JSON file')
    .requiredOption('--file <path>', 'a new file, readable by you alone; - prints it')
    .action(
      run((flags: Flags) => {
        if (flags.file === '-' && flags.json === true)
          throw usageError('--file - prints the export alone: leave --json out');
        return withLoggedAccess(context, flags, 'subject export', async (stores, subject) => {
          if (flags.file === '-') {
            const items = await writeExport(stores, subject, async (text) => {
              context.out(text);
              await context.drained?.();
            });
            context.err(`${items} items written\n`);
            return;
          }
          const file = resolve(context.cwd, flags.file ?? '');
          const items = await intoNewFile(file, (write) => writeExport(stores, subject, write));
          print(context, flags.json, { file, items }, `${items} items written to ${file}`);
        });
      }),
    );
  add('erase', 'erase it everywhere; what was charged stays, without personal data')
    .option('--yes', 'do it; without this flag, only count')
    .option('--cancel', 'end flows that still run, and remove schedules')
    .option('--without <journal>', 'do not wait for this worker (as listed): its disk is gone for good')
    .option('--again', 'repeat all erasures, after a restore of the database')
    .action(
      run(async (flags: Flags): Promise<ExitCode> => {
        if (flags.again === true) return eraseAgain(context, flags);
        return withLoggedAccess(context, flags, 'subject erase', async (stores, subject) => {
          const sought = seekNumber(stores.token, subject);
          const token = tokenOfSubject(stores.token, subject);
          if (flags.without !== undefined) await requireJournal(stores.db, flags.without);
          if (flags.yes !== true) {
            reportPlan(context, flags, { token, ...(await countHeld(stores, sought)) });
            return EXIT.needsPerson;
          }
          return report(context, flags, await erase(context, stores, { ...flags, sought, kind: subject.kind, token }));
        });
      }),
    );
}

/** Repeats every erasure by its token: from the database, and from the list on this disk, which no restore takes back. */
async function eraseAgain(context: CliContext, flags: Flags): Promise<ExitCode> {
  if (SUBJECT_KINDS.some((kind) => flags[kind] !== undefined)) throw usageError('--again takes no number');
  return withHoldings(context, flags, async (stores) => {
    await recordAccess(stores.db, { by: flags.by, via: 'subject erase --again', reason: flags.reason });
    if (flags.without !== undefined) await requireJournal(stores.db, flags.without);
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
      results.push(await erase(context, stores, { ...flags, sought, kind, token }));
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
  options: Flags & { readonly sought: Sought; readonly kind: SubjectKind; readonly token: string },
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
  const onStep = (place: string, count: number): void => err(`${place}: ${count}\n`);
  const request = { sought, kind, token, by, reason, cancel, ...present({ without }) };
  return eraseSubject(stores, { ...request, clock: Date.now, onStep });
}

async function requireJournal(db: Database, named: string): Promise<void> {
  const journals = await listJournals(db);
  if (journalsNamed(journals, named).length > 0) return;
  const known = journals.map(({ label }) => label).join(', ');
  throw usageError(`--without: seen "${named}"; expected a worker as listed: ${known || 'there is none'}`);
}

function report(context: CliContext, { json }: Flags, erased: Erased): ExitCode {
  print(context, json, publicResult(erased), linesOf(erased));
  return erased.kind === 'running' ? EXIT.needsPerson : EXIT.ok;
}

const publicResult = (erased: Erased): unknown =>
  erased.kind === 'running' ? erased : { ...erased, complete: erased.waitsFor.length === 0 };

const STOPPED = 'nothing was erased: wait for the flows and remove the schedules, or add --cancel';

function linesOf(erased: Erased): readonly string[] {
  if (erased.kind === 'running') {
    return [...blockersOf(erased), STOPPED];
  }
  const { counts, waitsFor, erasureId } = erased;
  const lines = Object.entries(counts).map(([place, count]) => [place, String(count)]);
  return [
    lines.length === 0 ? 'nothing was held' : formatTable(['PLACE', 'ERASED'], lines),
    waitsFor.length === 0
      ? `erasure ${erasureId} is complete`
      : `erasure ${erasureId} waits for the disks of ${waitsFor.join(', ')}: each worker cleans its own within minutes`,
  ];
}

interface Counted {
  readonly total: number;
  readonly places: Readonly<Record<string, number>>;
  /** Running flows: like schedules they stop an erasure without `--cancel`. */
  readonly workflowIds: readonly string[];
  readonly schedules: readonly string[];
}

async function countHeld(stores: Stores, sought: Sought): Promise<Counted> {
  const places: Record<string, number> = {};
  const [workflowIds, schedules]: [string[], string[]] = [[], []];
  for await (const { place, key, value } of held(stores, sought)) {
    places[place] = (places[place] ?? 0) + 1;
    const [name = ''] = key;
    if (place === 'flows' && value['isRunning'] === true) workflowIds.push(name);
    if (place === 'schedules') schedules.push(name);
  }
  const total = Object.values(places).reduce((sum, count) => sum + count, 0);
  return { total, places, workflowIds, schedules };
}

function heldText(places: Counted['places']): string {
  const lines = Object.entries(places).map(([place, count]) => [place, String(count)]);
  return lines.length === 0 ? 'nothing is held' : formatTable(['PLACE', 'HELD'], lines);
}

/** What an erasure would remove, and what would stop it. */
function reportPlan(
  context: CliContext,
  { json, cancel }: Flags,
  { token, total, places, workflowIds, schedules }: Counted & { readonly token: string },
): void {
  const isStopped = cancel !== true && workflowIds.length + schedules.length > 0;
  print(context, json, { dryRun: true, token, total, places, workflowIds, schedules }, [
    heldText(places),
    ...blockersOf({ workflowIds, schedules }),
    isStopped ? `${STOPPED}, and add --yes` : 'nothing was erased: add --yes',
  ]);
}

const blockersOf = ({ workflowIds, schedules }: Pick<Counted, 'workflowIds' | 'schedules'>): readonly string[] => [
  ...workflowIds.map((id) => `still running: ${id}`),
  ...schedules.map((name) => `scheduled: ${name}`),
];

type Write = (text: string) => Promise<unknown>;

async function intoNewFile(file: string, use: (write: Write) => Promise<number>): Promise<number> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw failure(`${file} cannot be written (${errorCode(error)}); name a new file`);
  });
  try {
    return await use((text) => handle.write(text));
  } finally {
    await handle.close();
  }
}

/** Writes item by item, so that an export of any size fits into memory. */
async function writeExport(stores: Stores, subject: Subject, write: Write): Promise<number> {
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

/** Writes the access log before `use` reads anything. */
async function withLoggedAccess<T>(
  context: CliContext,
  flags: Flags,
  via: string,
  use: (stores: Stores, subject: Subject) => Promise<T>,
): Promise<T> {
  const subject = readSubject(flags);
  return withHoldings(context, flags, async (stores) => {
    const { by, reason } = flags;
    await recordAccess(stores.db, { by, via, reason, subject: tokenOfSubject(stores.token, subject) });
    return use(stores, subject);
  });
}

async function withHoldings<T>(
  context: CliContext,
  { by, reason }: Flags,
  use: (stores: Stores) => Promise<T>,
): Promise<T> {
  refuseText('--by', by);
  refuseText('--reason', reason);
  const config = readConfig(context);
  const { token } = createTokens(requireIdKey(config));
  await refuseOtherSettings(config);
  return withDatabase(config, async (db: Database) => {
    await refuseOtherNamespace(context, db);
    return withClient(context, (client) => {
      const flows = createFlowsOfNamespace(client);
      const [disk, files] = [openOwnDisk(config.filesDir), createFiles(config)];
      return use({ db, token, disk, files, flows, config });
    });
  });
}

function readSubject(flags: Flags): Subject {
  const given = SUBJECT_KINDS.filter((kind) => flags[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) throw usageError('give one of --cnj, --cpf, --cnpj and --oab');
  const read = parseSubject(kind, flags[kind] ?? '');
  if (!read.ok) throw usageError(`--${kind} ${read.problem}`);
  return read.subject;
}
