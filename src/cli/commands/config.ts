/** `tramita config`: what is set, what each program misses, what is worth a thought. Never a secret. */
import type { Command } from 'commander';
import { bridgeProblems, describe, preflight, workerProblems } from '../../config/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { JSON_OPTION, printJson, printLine } from '../output/output.js';
import { readConfig, readTemporal } from '../with/settings.js';

export function addConfigCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('config')
    .description('show the configuration (no secrets) and what is missing in it')
    .option(...JSON_OPTION)
    .action(
      run(({ json }: { json?: boolean }) => {
        const config = readConfig(context);
        const { address, namespace } = readTemporal(context);
        const shown = {
          config: describe(config),
          temporal: { address, namespace },
          problems: { worker: workerProblems(config), bridge: bridgeProblems(config) },
          warnings: preflight(config),
        };
        if (json === true) printJson(context, shown);
        else {
          printJson(context, { ...shown.config, temporal: shown.temporal });
          printList('the worker misses', shown.problems.worker);
          printList('the bridge misses', shown.problems.bridge);
          printList('worth a thought', shown.warnings);
        }
        return Promise.resolve(EXIT.ok);
      }),
    );

  function printList(title: string, lines: readonly string[]): void {
    if (lines.length > 0) printLine(context, [`\n${title}:`, ...lines.map((line) => `- ${line}`)].join('\n'));
  }
}
