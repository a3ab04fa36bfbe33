/** `tramita config`: the settings, what each program lacks, and warnings. Never a secret. */
import type { Command } from 'commander';
import { bridgeProblems, describe, preflight, workerProblems } from '../../config/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { JSON_OPTION, print } from '../output/output.js';
import { readConfigToShow, readTemporal } from '../with/settings.js';

export function addConfigCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('config')
    .description('show the configuration (no secrets) and what is missing in it')
    .option(...JSON_OPTION)
    .action(
      run(({ json }: { json?: boolean }) => {
        const config = readConfigToShow(context);
        const { address, namespace } = readTemporal(context);
        const shown = {
          config: describe(config),
          temporal: { address, namespace },
          problems: { worker: workerProblems(config), bridge: bridgeProblems(config) },
          warnings: preflight(config),
        };
        print(context, json, shown, [
          JSON.stringify({ ...shown.config, temporal: shown.temporal }, undefined, 2),
          ...listOf('the worker misses', shown.problems.worker),
          ...listOf('the bridge misses', shown.problems.bridge),
          ...listOf('worth a thought', shown.warnings),
        ]);
        return Promise.resolve(EXIT.ok);
      }),
    );
}

function listOf(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`\n${title}:`, ...lines.map((line) => `- ${line}`)];
}
