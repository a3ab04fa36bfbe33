/** `tramita lists load|show`: stored lists of cases, which portfolios refresh. Nothing is sent to the service. */
import type { Command } from 'commander';
import { shownJson } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT, idProblem, PORTFOLIO_NAME } from '../../protocol/index.js';
import { createPortfolios } from '../../records/index.js';
import type { CommandSetup } from '../context.js';
import { failure, refuse, usageError } from '../exit-codes.js';
import { accountNamed, noteUnknownAccount } from '../input/account.js';
import { formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { parseCaseList } from '../input/parse-case-list.js';
import { readBodyFile } from '../input/read-body.js';
import { BY_OPTION, noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';

interface ShowFlags extends JsonFlag {
  readonly account?: string;
  readonly by: string;
}

export function addListsCommand(program: Command, { context, run }: CommandSetup): void {
  const lists = program.command('lists').description('stored lists of cases for portfolios');
  lists
    .command('load')
    .description('replace a stored list with the case numbers of a file')
    .argument('<file>', 'one case number per line (first column of a CSV); "-" reads standard input')
    .requiredOption('--name <name>', 'name of the list, and of the portfolio')
    .option('--account <name>', 'account that the list belongs to', DEFAULT_ACCOUNT)
    .option(...JSON_OPTION)
    .action(
      run(async (file: string, { name, account, json }: { name: string; account: string; json?: boolean }) => {
        if (!PORTFOLIO_NAME.test(name))
          throw usageError(`--name: seen ${shownJson(name)}; expected 1 to 80 letters, digits, ".", "-" or "_"`);
        refuse(idProblem('--name', name));
        const config = readConfig(context);
        accountNamed(config, account);
        const { cases, repeated } = parseCaseList(readBodyFile(context.cwd, file).toString('utf8'));
        await withDatabase(config, (db) => createPortfolios({ db }).saveList({ account, name, cases }));
        const text = `list ${name}: ${cases.length} cases${repeated === 0 ? '' : `, ${repeated} repeated`}`;
        print(context, json, { account, name, cases: cases.length, repeated }, text);
      }),
    );
  lists
    .command('show')
    .description('the stored lists, or the cases of one')
    .argument('[name]', 'a list')
    .option('--account <name>', 'account that the list belongs to')
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run((name: string | undefined, { account: only, by, json }: ShowFlags) => {
        const config = readConfig(context);
        noteUnknownAccount(context, config, only);
        return withDatabase(config, async (db) => {
          const portfolios = createPortfolios({ db });
          if (name === undefined) {
            const all = await portfolios.lists(only);
            const rows = all.map((list) => [list.account, list.name, String(list.cases)]);
            print(context, json, all, formatTable(['ACCOUNT', 'LIST', 'CASES'], rows));
            return;
          }
          const account = only ?? DEFAULT_ACCOUNT;
          const cases = await portfolios.casesOf(account, name);
          if (cases.length === 0)
            throw failure(`there is no list "${name}"; "tramita lists show" shows those that exist`);
          await noteLook(db, { by, via: 'lists show', account, items: cases.length });
          print(context, json, cases, cases);
        });
      }),
    );
}
