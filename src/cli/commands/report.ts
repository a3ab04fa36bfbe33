/** `tramita report`: what was spent, saved, is unknown or was missed in a period, as tables or as a page with charts. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { errorCode } from '../../config/index.js';
import { addCivilDays, parseCivilDate, readCivilDate, WAKES_KEPT_MS, type CivilDate } from '../../contract/index.js';
import { createInbox } from '../../inbox/index.js';
import { readReport } from '../../ledger/index.js';
import type { Database } from '../../store/index.js';
import type { CommandSetup } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { accountNames } from '../input/account.js';
import { periodOf } from '../input/parse-time.js';
import { formatTable, JSON_OPTION, printJson, printLine } from '../output/output.js';
import { buildPage } from '../report/page.js';
import { reportJson } from '../report/report-json.js';
import { buildCharts, type AccountFigures, type Chart } from '../report/report.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';

/** Today included. */
const DEFAULT_DAYS = 30;
/** Ten years: a mistyped year fails at once. */
const DAYS_AT_MOST = 3_660;

interface Flags {
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
  readonly html?: string;
  readonly json?: boolean;
}

export function addReportCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('report')
    .description(
      'show spending by day, operation and flow, what sharing saved, unknown charges, waits and missed webhooks',
    )
    .option('--from <day>', `first day (São Paulo); default: ${DEFAULT_DAYS} days before --to`)
    .option('--to <day>', 'last day (São Paulo, included); today')
    .option('--account <name>', 'only this account')
    .addOption(
      new Option(
        '--html <file>',
        'write a page with charts that can be read offline and printed; - prints it',
      ).conflicts('json'),
    )
    .option(...JSON_OPTION)
    .action(
      run(async ({ account: only, from, to, html, json }: Flags) => {
        const config = readConfig(context);
        const accounts = accountNames(config, only);
        const nowMs = Date.now();
        const days = daysOf(nowMs, { from, to });
        const figures = await withDatabase(config, (db) =>
          Promise.all(accounts.map((account) => readFigures(db, { account, days, nowMs }))),
        );
        if (json === true) {
          printJson(context, { from: days[0], to: days.at(-1), accounts: figures.map(reportJson) });
          return;
        }
        const period = `${days[0] ?? ''} to ${days.at(-1) ?? ''}`;
        const reports = figures.map((figure) => ({ account: figure.account, charts: buildCharts(figure, days) }));
        if (html === undefined) {
          printLine(context, `${period}, days of São Paulo; amounts in the currency of the account`);
          for (const { account, charts } of reports) {
            printLine(context, `\nAccount ${account}`);
            for (const chart of charts) printLine(context, textOf(chart));
          }
          return;
        }
        const page = buildPage({ period, madeAt: new Date(nowMs).toISOString(), accounts: reports });
        if (html === '-') {
          context.out(page);
          return;
        }
        const file = resolve(context.cwd, html);
        try {
          writeFileSync(file, page);
        } catch (error) {
          throw failure(`--html: ${file} cannot be written (${errorCode(error)}); name a file in an existing folder`);
        }
        printLine(context, `${file}: ${period}`);
      }),
    );
}

async function readFigures(
  db: Database,
  { account, days, nowMs }: { readonly account: string; readonly days: readonly CivilDate[]; readonly nowMs: number },
): Promise<AccountFigures> {
  const { fromMs = 0, beforeMs = nowMs } = periodOf({ from: days[0], to: days.at(-1) });
  const sinceMs = Math.max(fromMs, nowMs - WAKES_KEPT_MS);
  const inbox = createInbox({ db, clock: () => nowMs });
  return {
    account,
    ...(await readReport(db, { account, fromMs, beforeMs, nowMs })),
    webhooks: sinceMs < beforeMs ? await inbox.findMissedEvents({ account, sinceMs, beforeMs }) : null,
  };
}

/** Every day from `--from` to `--to`. @throws a usage error that names the flag. */
function daysOf(
  nowMs: number,
  { from, to }: Readonly<Record<'from' | 'to', string | undefined>>,
): readonly CivilDate[] {
  const today = readCivilDate(new Date(nowMs).toISOString()) as CivilDate;
  const last = to === undefined ? today : dayOf('--to', to);
  const first = from === undefined ? addCivilDays(last, 1 - DEFAULT_DAYS) : dayOf('--from', from);
  if (first > last) throw usageError(`--from: seen "${first}", which is after --to "${last}"`);
  const days: CivilDate[] = [];
  for (let day = first; day <= last; day = addCivilDays(day, 1)) {
    days.push(day);
    if (days.length > DAYS_AT_MOST) throw usageError(`--from: seen "${first}"; expected at most ten years`);
  }
  return days;
}

function dayOf(flag: string, text: string): CivilDate {
  const day = parseCivilDate(text);
  if (day === undefined) throw usageError(`${flag}: seen "${text}"; expected a day like 2026-03-10`);
  return day;
}

function textOf({ title, head, rows }: Chart): string {
  return `\n${title}\n${rows.length === 0 ? 'nothing in this period' : formatTable(head, rows)}`;
}
