/**
 * `tramita ledger match`: compares the statement of the service with the ledger, and reports undecided charges and differences.
 * With `--yes` it decides what is proven, as `tramita settle` does. Exit code 3 if something is left to a person.
 */
import { createHash } from 'node:crypto';
import { Option, type Command } from 'commander';
import type { Config } from '../../config/index.js';
import { DAY_MS, OPERATIONS, PENDING_AT_MOST_MS, present, withExtraOperations } from '../../contract/index.js';
import { exportIntents } from '../../ledger/index.js';
import { settleChargeProblem } from '../../protocol/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { EXIT, refuse, usageError } from '../exit-codes.js';
import { accountNamed } from '../input/account.js';
import { callOf, type Call } from '../match/call.js';
import type { Verdict } from '../match/judge-call.js';
import { matchStatement, spanOf } from '../match/match-statement.js';
import { reportMatch, type MatchReport } from '../match/report.js';
import { readStatement, type Statement, type StatementForm } from '../match/statement.js';
import { statementForm, type FormFlags } from '../match/statement-form.js';
import { readBodyFile } from '../input/read-body.js';
import { JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { decideAll, failedText, type Decided, type DecisionInput } from '../settle/decide-charges.js';
import { noteLook, parseBy } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { refuseOtherFlows } from '../with/namespace-of-flows.js';
import { refuseOtherSettings, withDatabase } from '../with/with-database.js';

interface Flags extends FormFlags, JsonFlag {
  readonly account: string;
  readonly yes?: boolean;
  readonly by?: string;
}

export function addLedgerMatch(ledger: Command, { context, run }: CommandSetup): void {
  ledger
    .command('match')
    .description('compare the statement of the service with the ledger; with --yes decide the charges that it proves')
    .argument('<file>', 'CSV with a first line of column names; - is standard input')
    .option('--columns <field=name...>', 'columns: time (or time=Day+Hour), amount, operation, logId, requestId')
    .option('--separator <character>', 'character between cells, or "tab"', ',')
    .option('--decimal-comma', 'amounts like 1.234,56')
    .option('--time-zone <name>', 'time zone of times without one', 'America/Sao_Paulo')
    .addOption(
      new Option('--debits <sign>', 'sign of debits, if the file has both signs').choices(['positive', 'negative']),
    )
    .option('--account <name>', 'account of the statement', 'default')
    .option('--yes', 'decide what is proposed; without this flag, only show it')
    .option('--by <who>', 'with --yes: a name or a ticket, kept in the ledger', parseBy)
    .option(...JSON_OPTION)
    .action(
      run(async (path: string, flags: Flags) => {
        const form = statementForm(flags);
        const by = decidedBy(flags);
        const config = readConfig(context);
        const account = accountNamed(config, flags.account);
        const { statement, sha256 } = readStatementFile(context, path, form);
        await refuseOtherSettings(config);
        return withDatabase(config, async (db) => {
          if (by !== undefined) await refuseOtherFlows(context, db);
          const calls = await readCalls(db, config, { account: flags.account, statement });
          const match = matchStatement(statement, calls, account);
          const report = reportMatch(match, statement, { sha256, exclusive: account.exclusive });
          const items = match.verdicts.length + match.differences.length + match.missing.length;
          await noteLook(db, { by, via: 'ledger match', account: flags.account, items });
          const proposed = match.verdicts.filter((verdict) => verdict.proposed);
          const exitCode = report.needsPerson ? EXIT.needsPerson : EXIT.ok;
          if (by === undefined || proposed.length === 0) {
            const cure = proposed.length === 0 ? [] : ['Nothing was done: add --yes --by <who>'];
            print(context, flags.json, { dryRun: by === undefined, ...report.json }, [...report.lines, ...cure]);
            return exitCode;
          }
          const charges = proposed.map((verdict) => ({
            intent: verdict.call.intent,
            wanted: decisionOf(verdict, { by, sha256 }),
          }));
          const done = await decideAll(context, { db, config }, charges);
          return printDecided(context, flags.json, report, done) ? exitCode : EXIT.failed;
        });
      }),
    );
}

/** Undefined without `--yes`: nothing is decided then. */
function decidedBy({ yes, by }: Flags): string | undefined {
  if (yes !== true) {
    if (by !== undefined) throw usageError('--by goes with --yes');
    return undefined;
  }
  if (by === undefined) throw usageError('--by is missing: say who decides');
  refuse(settleChargeProblem({ step: 'any', decision: 'charged', by }));
  return by;
}

function readStatementFile(
  { cwd }: CliContext,
  path: string,
  form: StatementForm,
): { readonly statement: Statement; readonly sha256: string } {
  const bytes = readBodyFile(cwd, path);
  return { statement: readStatement(decode(bytes), form), sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** UTF-8, else Windows-1252, which older spreadsheets write. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** All calls that may be on the statement: pending work may be debited weeks after its call. */
async function readCalls(
  db: Database,
  config: Config,
  { account, statement }: { readonly account: string; readonly statement: Statement },
): Promise<readonly Call[]> {
  const { fromMs, toMs } = spanOf(statement.rows);
  const filter = { account, fromMs: fromMs - PENDING_AT_MOST_MS - DAY_MS, beforeMs: toMs + DAY_MS };
  const catalogue = withExtraOperations(OPERATIONS, config.operations);
  const terms = {
    nowMs: Date.now(),
    debitAt: config.accounts[account]?.debitAt ?? 'unknown',
    operationOf: (id: string) => (catalogue.has(id) ? catalogue.operationOf(id) : undefined),
  };
  const calls: Call[] = [];
  for await (const intent of exportIntents(db, filter)) {
    if (intent.joined === null) calls.push(callOf(intent, terms));
  }
  return calls;
}

/** @returns whether all of them could be decided. */
function printDecided(
  context: CliContext,
  json: boolean | undefined,
  report: MatchReport,
  done: readonly Decided[],
): boolean {
  const failed = done.filter(({ how }) => how === 'failed');
  const decided = done.length - failed.length;
  const problems = failed.map(({ intent, problem }) => ({ intentId: intent.intentId, problem }));
  print(context, json, { dryRun: false, ...report.json, decided, failed: problems }, [
    ...report.lines,
    ...failed.map(failedText),
    `decided: ${decided}; failed: ${failed.length}`,
  ]);
  return failed.length === 0;
}

/** The note keeps the file's hash as evidence, and nothing of its text. */
function decisionOf(
  { call, verdict, rows }: Verdict,
  { by, sha256 }: { readonly by: string; readonly sha256: string },
): DecisionInput {
  const [row] = rows;
  const note = `statement sha256 ${sha256}${row === undefined ? ': no row can be this call' : `, line ${row.line}`}`;
  if (verdict !== 'charged') return { decision: 'not-charged', by, note };
  return { decision: 'charged', by, note, ...present({ requestId: call.intent.requestId ?? undefined }) };
}
