/** `tramita up`: the local stack, up until Ctrl-C. */
import type { Command } from 'commander';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { JSON_OPTION, print } from '../output/output.js';
import { stackLines, summarizeStack } from '../output/stack-lines.js';
import { ENCRYPTED_OPTION, withLocalStack } from '../with/with-local-stack.js';

export function addUpCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('up')
    .description('run Temporal, PostgreSQL, sandbox, worker and bridge in .tramita/ of this folder, until Ctrl-C')
    .option(...ENCRYPTED_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(({ json = false, encrypted = false }: { json?: boolean; encrypted?: boolean }) =>
        withLocalStack(context, { json, encrypted }, (stack) => {
          print(context, json, summarizeStack(stack), stackLines(stack));
          return Promise.resolve({ exitCode: EXIT.ok, keep: true });
        }),
      ),
    );
}
