/** `tramita operations`: the operation catalogue, with the gaps and the extra operations of the configuration. */
import type { Command } from 'commander';
import { applyGaps, OPERATIONS, withExtraOperations, type Operation } from '../../contract/index.js';
import type { CommandSetup } from '../context.js';
import { formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { readConfig } from '../with/settings.js';

export function addOperationsCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('operations')
    .description('list the operations of the service')
    .option(...JSON_OPTION)
    .action(
      run(({ json }: JsonFlag) => {
        const { gaps, operations } = readConfig(context);
        const catalogue = withExtraOperations(OPERATIONS, operations);
        const rows = catalogue.operations.map((operation) => applyGaps(operation, gaps));
        print(context, json, rows, tableOf(rows));
        return Promise.resolve();
      }),
    );
}

function tableOf(rows: readonly Operation<string>[]): string {
  return formatTable(
    ['ID', 'METHOD', 'PATH', 'CHARGE', 'PRICE', 'MAY FINISH LATER'],
    rows.map(({ id, method, path, charge, price = '', eligible202 }) => [
      ...[id, method, path, charge, price, eligible202 ? 'yes' : ''],
    ]),
  );
}
