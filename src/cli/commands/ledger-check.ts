/** `tramita ledger check`: finds what needs a person in the ledger. Exit code 3 if something does. */
import type { Command } from 'commander';
import { readState } from '../check/read-state.js';
import { reportCheck } from '../check/report.js';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { accountNames } from '../input/account.js';
import { parseSince } from '../input/parse-time.js';
import { JSON_OPTION, print } from '../output/output.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';

interface Flags {
  readonly account?: string;
  readonly since: string;
  readonly files: boolean;
  readonly json?: boolean;
}

export function addLedgerCheck(ledger: Command, { context, run }: CommandSetup): void {
  ledger
    .command('check')
    .description('find undecided charges, lost answers, and a balance that our charges do not explain')
    .option('--account <name>', 'only this account')
    .option(
      '--since <time>',
      'compare balances from then on: how long ago (7d), a day (São Paulo) or an ISO time',
      '30d',
    )
    .option('--no-files', 'do not ask the file store for every paid file')
    .option(...JSON_OPTION)
    .action(
      run(async ({ account: only, since, files: asksFiles, json }: Flags) => {
        const config = readConfig(context);
        const accounts = accountNames(config, only);
        const nowMs = Date.now();
        const sinceMs = parseSince(since, nowMs);
        const found = await withDatabase(config, (db) =>
          readState(db, config, { accounts, nowMs, sinceMs, asksFiles }),
        );
        const { needsPerson, json: facts, lines } = reportCheck(found, config, sinceMs);
        print(context, json, facts, lines);
        return needsPerson ? EXIT.needsPerson : EXIT.ok;
      }),
    );
}
