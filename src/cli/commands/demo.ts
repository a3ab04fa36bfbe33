/** `tramita demo`: runs one refresh with documents through the local stack, and proves that ledger and charges agree. */
import type { Command } from 'commander';
import type { CommandSetup } from '../context.js';
import { runDemo } from '../demo/run-demo.js';
import { reportText } from '../demo/report.js';
import { EXIT } from '../exit-codes.js';
import { JSON_OPTION, print, printLine, type JsonFlag } from '../output/output.js';
import { stackLines, summarizeStack } from '../output/stack-lines.js';
import { ENCRYPTED_OPTION, withLocalStack } from '../with/with-local-stack.js';

interface DemoFlags extends JsonFlag {
  readonly keep?: boolean;
  readonly encrypted?: boolean;
}

export function addDemoCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('demo')
    .description('start the local stack and run one refresh with documents; stops everything at the end')
    .option('--keep', 'keep the stack running until Ctrl-C')
    .option(...ENCRYPTED_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(({ keep = false, encrypted = false, json = false }: DemoFlags) =>
        withLocalStack(context, { json, encrypted }, async (stack, shutdown) => {
          const say = json ? context.err : context.out;
          const report = await runDemo({ stack, signal: shutdown.signal, onStep: (text) => say(`${text}\n`) });
          print(context, json, { ...report, ...(keep ? { stack: summarizeStack(stack) } : {}) }, reportText(report));
          if (keep && !json) printLine(context, stackLines(stack));
          return { exitCode: report.claims.every(({ held }) => held) ? EXIT.ok : EXIT.failed, keep };
        }),
      ),
    );
}
