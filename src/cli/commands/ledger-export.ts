/** `tramita ledger export`: the ledger as CSV or JSON on stdout, row by row, whatever its size. */
import { present } from '../../contract/index.js';
import { Option, type Command } from 'commander';
import { exportIntents, toLedgerRow, type ExportFilter } from '../../ledger/index.js';
import { noteUnknownAccount } from '../input/account.js';
import { csvLine } from '../output/csv.js';
import { harmlessJson } from '../output/harmless.js';
import { LEDGER_COLUMNS, publicRow } from '../output/ledger-columns.js';
import type { CommandSetup } from '../context.js';
import { usageError } from '../exit-codes.js';
import { periodOf } from '../input/parse-time.js';
import { BY_OPTION, noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';

interface Flags {
  readonly format?: 'csv' | 'json';
  readonly json?: boolean;
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
}

export function addLedgerExport(ledger: Command, { context, run }: CommandSetup): void {
  ledger
    .command('export')
    .description('print the ledger, oldest first; amounts are decimal strings, times UTC')
    .addOption(new Option('--format <format>', 'csv or json').choices(['csv', 'json']))
    .option('--account <name>', 'only this account')
    .option('--from <day>', 'opened from this day (São Paulo) or ISO time on')
    .option('--to <day>', 'opened until this day (São Paulo, included) or before this ISO time')
    .option(...BY_OPTION)
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .action(
      run(async ({ format: named, json, account, from, to, by }: Flags) => {
        const format = json === true ? 'json' : named;
        if (format === undefined) throw usageError("required option '--format <format>' not specified");
        const filter: ExportFilter = { ...present({ account }), ...periodOf({ from, to }) };
        const config = readConfig(context);
        noteUnknownAccount(context, config, account);
        await withDatabase(config, async (db) => {
          await noteLook(db, { by, via: 'ledger export', ...present({ account }) });
          let rows = 0;
          context.out(format === 'csv' ? csvLine([...LEDGER_COLUMNS]) : '[');
          for await (const intent of exportIntents(db, filter)) {
            const row = publicRow(toLedgerRow(intent));
            if (format === 'csv') context.out(csvLine(LEDGER_COLUMNS.map((column) => row[column])));
            else context.out(`${rows === 0 ? '\n' : ',\n'}${harmlessJson(row)}`);
            rows += 1;
            await context.drained?.();
          }
          if (format === 'json') context.out('\n]\n');
        });
      }),
    );
}
