/**
 * `tramita ledger reconcile`: restores lost rows of the ledger from the journal of this machine and from Temporal's histories,
 * and ends the hold once every known journal was heard. Without `--yes` it only reports. Exit code 3 while calls are held or
 * rows are missing.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { createTokens, type Config, type Tokens } from '../../config/index.js';
import { LATE_CALLS_MS, OPERATIONS, parseDurationMs, withExtraOperations, present } from '../../contract/index.js';
import { createInbox, type Wake } from '../../inbox/index.js';
import {
  beginLife,
  createJournal,
  createLifeKeeper,
  createLifeMemory,
  createSpool,
  decideLife,
  dismissJournal,
  journalsNamed,
  ledgerParams,
  listJournals,
  readLife,
  releaseLedger,
  unheard,
  type JournalRow,
  type Ledger,
  type LifeKeeper,
} from '../../ledger/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { EXIT, failure, usageError, type ExitCode } from '../exit-codes.js';
import { oneJournal } from '../input/one-journal.js';
import { createStatusLine, formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { readCallsInHistories, type CallInHistory } from '../reconcile/calls-in-histories.js';
import { settlementOfOutcome } from '../reconcile/settlement-of-outcome.js';
import { wakeWaiters } from '../with/wake-waiters.js';
import { refuseOtherNamespace } from '../with/namespace-of-flows.js';
import { withClient } from '../with/with-client.js';
import { withDatabase } from '../with/with-database.js';
import { openLedger } from '../with/with-ledger.js';
import { noteLook, parseBy } from '../with/note-look.js';
import { readConfig, requireIdKey } from '../with/settings.js';

interface Flags extends JsonFlag {
  readonly yes?: boolean;
  readonly without?: string;
  readonly by?: string;
  readonly since: string;
  readonly histories: boolean;
}

interface LostRow {
  readonly intentId: string;
  readonly workflowId: string;
  readonly step: string;
  readonly operation: string;
  readonly foundIn: 'journal' | 'history';
  readonly answer: 'spool' | 'kept' | 'history' | 'none';
  readonly state: string;
}

/** Longer than the longest time that journals are kept by default. */
const SINCE = '36d';

export function addLedgerReconcile(ledger: Command, { context, run }: CommandSetup): void {
  ledger
    .command('reconcile')
    .description('restore rows that the ledger has lost, from journals and histories; without --yes, only report them')
    .option('--yes', 'write them')
    .option('--without <journal>', 'continue without this journal (id or label, as listed); needs --by')
    .option('--by <name>', 'with --without: a name or a ticket', parseBy)
    .option('--since <duration>', 'histories of flows that run or ended within this time', SINCE)
    .option('--no-histories', 'do not read histories from Temporal')
    .option(...JSON_OPTION)
    .action(
      run(async (flags: Flags) => {
        const config = readConfig(context);
        const { token } = createTokens(requireIdKey(config));
        const sinceMs = parseDurationMs(flags.since);
        if (sinceMs === undefined) throw usageError(`--since: seen "${flags.since}"; expected a duration like 36d`);
        if (flags.without !== undefined && (flags.by ?? '').trim() === '') {
          throw usageError('--without needs --by: say who decides to continue without that journal');
        }
        return withDatabase(config, (db) => reconcile(context, { config, token, db, flags, sinceMs }));
      }),
    );
}

async function reconcile(
  context: CliContext,
  options: Tokens & { readonly config: Config; readonly db: Database; readonly flags: Flags; readonly sinceMs: number },
): Promise<ExitCode> {
  const { config, token, db, flags } = options;
  if (flags.histories) await refuseOtherNamespace(context, db);
  const parts = openParts(config, db, token);
  const hasOwn = await hasJournal(config);
  const inJournal = hasOwn ? await fromJournal(parts.keeper) : [];
  if (flags.yes === true) {
    if (hasOwn) await parts.keeper.keep();
    await beginOwnLife(db);
  }
  const inHistories = flags.histories ? await fromHistories(context, options, { ...parts, known: inJournal }) : [];
  const found = [...inJournal, ...inHistories];
  if (flags.yes === true) {
    if (hasOwn) await hearOwnJournal(context, parts.keeper, db);
    if (flags.without !== undefined) await goOnWithout(db, { named: flags.without, by: flags.by ?? '' });
    await releaseLedger(db);
  }
  const verdict = decideLife(await readLife(db), undefined);
  const journals = await listJournals(db);
  await noteLook(db, { by: flags.by, via: 'ledger reconcile', items: found.length });
  report(context, flags, { found, journals, isHeld: verdict.kind !== 'same' });
  const hasUnwritten = flags.yes !== true && found.length > 0;
  return verdict.kind === 'same' && !hasUnwritten ? EXIT.ok : EXIT.needsPerson;
}

interface Parts {
  readonly ledger: Ledger;
  readonly keeper: LifeKeeper;
}

function openParts(config: Config, db: Database, token: Tokens['token']): Parts {
  const memory = createLifeMemory();
  const ledger = openLedger(db, config, { memory, token });
  const keeper = createLifeKeeper({
    db,
    ledger,
    memory,
    clock: Date.now,
    journal: createJournal(join(config.filesDir, 'journal')),
    spool: createSpool(join(config.filesDir, 'spool')),
    // Wakes stay owed in the database: a worker delivers them.
    wake: () => Promise.resolve(),
    onNews: () => undefined,
  });
  return { ledger, keeper };
}

/** A machine without a journal must not count as a worker whose journal was heard. */
async function hasJournal({ filesDir }: Config): Promise<boolean> {
  const names = await readdir(join(filesDir, 'journal')).catch(() => []);
  return names.length > 0;
}

async function fromJournal(keeper: LifeKeeper): Promise<readonly LostRow[]> {
  const lost = await keeper.compare();
  return lost.map(({ call, answer, state }) => {
    const { intentId, workflowId, step, operation } = call;
    return { intentId, workflowId, step, operation, foundIn: 'journal', answer, state };
  });
}

/** Calls from before the hold may still write to this machine's journal, so it is heard only when `LATE_CALLS_MS` are over. */
async function hearOwnJournal(context: CliContext, keeper: LifeKeeper, db: Database): Promise<void> {
  const { heldSinceMs } = await readLife(db);
  if (heldSinceMs === null) return;
  // One millisecond more, because a timer may fire that much early.
  const leftMs = Math.min(heldSinceMs + LATE_CALLS_MS - Date.now(), LATE_CALLS_MS) + 1;
  const status = createStatusLine(context);
  status.show(`waiting ${Math.ceil(Math.max(leftMs, 0) / 1_000)} s for earlier calls to write their lines`);
  await setTimeout(leftMs);
  await keeper.keep();
  status.clear();
}

async function beginOwnLife(db: Database): Promise<void> {
  const verdict = decideLife(await readLife(db), undefined);
  if (verdict.kind === 'changed') await beginLife(db, { because: verdict.because, witness: null });
}

async function fromHistories(
  context: CliContext,
  { config, db, flags, sinceMs }: Parameters<typeof reconcile>[1],
  { ledger, known }: Parts & { readonly known: readonly LostRow[] },
): Promise<readonly LostRow[]> {
  const status = createStatusLine(context);
  const operations = new Set(withExtraOperations(OPERATIONS, config.operations).operations.map(({ id }) => id));
  const seen = new Set(known.map(({ intentId }) => intentId));
  const found: LostRow[] = [];
  await withClient(context, async (client) => {
    const inbox = createInbox({ db, clock: Date.now });
    const selection = {
      sinceMs: Date.now() - sinceMs,
      operations,
      onFlow: (count: number) => {
        if (count % 100 === 0) status.show(`read ${count} histories`);
      },
    };
    for await (const call of readCallsInHistories(client, selection)) {
      const { intentId } = call.outcome;
      if (seen.has(intentId) || (await ledger.find(intentId)) !== undefined) continue;
      seen.add(intentId);
      if (flags.yes === true) await wakeWaiters({ client, inbox }, await restoreCall(ledger, call), 'reconciled');
      const settlement = settlementOfOutcome(call.outcome);
      found.push({
        intentId,
        workflowId: call.input.workflowId,
        step: call.input.step,
        operation: call.operation,
        foundIn: 'history',
        answer: settlement === undefined ? 'none' : 'history',
        state: settlement?.state ?? (call.outcome.requestId === undefined ? 'unknown' : 'pending'),
      });
    }
  });
  status.clear();
  return found;
}

/** @returns the wakes that it owes. */
async function restoreCall(ledger: Ledger, { operation, input, outcome }: CallInHistory): Promise<readonly Wake[]> {
  const { workflowId, firstRunId, step, ordinal, account, body, workflowType, flags, once } = input;
  const { intentId, openedAtMs = Date.now(), requestId } = outcome;
  const intent = await ledger.restoreFromFlow({
    workflowId,
    firstRunId,
    step,
    ordinal,
    account,
    operation,
    workflowType,
    flags,
    intentId,
    openedAtMs,
    params: ledgerParams(input),
    ...present({ body }),
    ...(outcome.outcome === 'PENDING' && requestId !== undefined ? { requestId } : {}),
    once: once ?? null,
    waiterKeys: [],
    witness: 'history',
  });
  const settlement = settlementOfOutcome(outcome);
  return settlement === undefined ? [] : (await ledger.settle(intent.intentId, settlement)).wakes;
}

async function goOnWithout(
  db: Database,
  { named, by }: { readonly named: string; readonly by: string },
): Promise<void> {
  const found = journalsNamed(await listJournals(db), named);
  const journal = oneJournal(unheard(found));
  if (journal === undefined && found.some(({ dismissedBy }) => dismissedBy !== null)) return;
  if (journal === undefined || !(await dismissJournal(db, { journalId: journal.journalId, by }))) {
    throw failure(
      `--without: seen "${named}"; expected a journal that was not heard: \`tramita ledger reconcile\` lists them`,
    );
  }
}

function report(
  context: CliContext,
  { yes, json }: Flags,
  result: { readonly found: readonly LostRow[]; readonly journals: readonly JournalRow[]; readonly isHeld: boolean },
): void {
  const { found, journals, isHeld } = result;
  const head = ['ROW', 'OPERATION', 'STEP', 'FOUND IN', 'ANSWER', 'STATE', 'WORKFLOW'];
  const rows = found.map((row) => [
    ...[row.intentId, row.operation, row.step, row.foundIn, row.answer, row.state, row.workflowId],
  ]);
  print(context, json, { dryRun: yes !== true, held: isHeld, rows: found, journals }, [
    ...(found.length > 0 ? [formatTable(head, rows)] : []),
    `${found.length} rows ${yes === true ? 'were restored' : 'are missing'}`,
    ...journals.map((journal) => `journal ${journal.journalId} of ${journal.label}: ${journalState(journal)}`),
    ...(isHeld ? ['! charged calls of all accounts wait until every journal is heard'] : []),
    ...(yes === true || (found.length === 0 && !isHeld) ? [] : ['Nothing was done: add --yes']),
  ]);
}

function journalState({ isHeard, dismissedBy }: JournalRow): string {
  if (isHeard) return 'heard';
  if (dismissedBy !== null) return `left out by ${dismissedBy}`;
  return 'NOT heard: its worker does not run, or is still reading; --without only if its folder is lost';
}
