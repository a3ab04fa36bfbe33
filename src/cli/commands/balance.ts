/** `tramita balance`: the balance of each account, as the service reports it. A free call. */
import type { Command } from 'commander';
import { formatAmount, readBalance } from '../../contract/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { accountNames } from '../input/account.js';
import { withFreeReads, type ReadForPeople } from '../with/with-free-reads.js';
import { JSON_OPTION, print } from '../output/output.js';
import { readConfig } from '../with/settings.js';

interface BalanceRow {
  readonly account: string;
  readonly credits: string | null;
  readonly currency: string | null;
  readonly accountStatus: string | null;
  readonly problem: string | null;
}

export function addBalanceCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('balance')
    .description('ask the service for the balance of every account (free)')
    .option('--account <name>', 'only this account')
    .option(...JSON_OPTION)
    .action(
      run(async ({ account: only, json }: { account?: string; json?: boolean }) => {
        const config = readConfig(context);
        const names = accountNames(config, only);
        const rows = await withFreeReads(context, config, (read) =>
          Promise.all(names.map((name) => readRow(read, name))),
        );
        const lines = rows.map((row) => `${row.account}: ${row.problem ?? textOf(row)}`);
        print(context, json, rows, lines);
        return rows.some(({ problem }) => problem !== null) ? EXIT.failed : EXIT.ok;
      }),
    );
}

async function readRow(read: ReadForPeople, account: string): Promise<BalanceRow> {
  const nothing = { account, credits: null, currency: null, accountStatus: null };
  const answer = await read(account, 'getBalance');
  if (!answer.ok) return { ...nothing, problem: answer.problem };
  const balance = readBalance(answer.value);
  if (balance === undefined) return { ...nothing, problem: 'the answer does not state the credits' };
  const { credits, currency = null, accountStatus = null } = balance;
  return { account, credits: formatAmount(credits), currency, accountStatus, problem: null };
}

function textOf({ credits, currency, accountStatus }: BalanceRow): string {
  return [credits, currency, accountStatus === null ? null : `(${accountStatus})`]
    .filter((part) => part !== null)
    .join(' ');
}
