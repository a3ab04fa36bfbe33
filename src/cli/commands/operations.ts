/** `tramita operations`: the operation catalogue. */
import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { formatTable, JSON_OPTION, printJson, printLine } from '../output.js';

export function addOperationsCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('operations')
    .description('list the operations of the service')
    .option(...JSON_OPTION)
    .action(
      run(({ json }: { json?: boolean }) => {
        if (json === true) printJson(context, OPERATIONS);
        else {
          printLine(
            context,
            formatTable(
              ['ID', 'METHOD', 'PATH', 'CHARGE', 'MAY FINISH LATER'],
              OPERATIONS.map(({ id, method, path, charge, eligible202 }) => [
                id,
                method,
                path,
                charge,
                eligible202 ? 'yes' : '',
              ]),
            ),
          );
        }
        return Promise.resolve(EXIT.ok);
      }),
    );
}
