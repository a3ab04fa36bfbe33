/** `tramita config`: the settings, what each program lacks, and warnings. Never a secret. */
import type { Command } from 'commander';
import { bridgeProblems, describe, preflight, workerProblems } from '../../config/index.js';
import type { CommandSetup } from '../context.js';
import { JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { readConfigToShow, readTemporal } from '../with/settings.js';

export function addConfigCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('config')
    .description('show the configuration, without secrets, and what is missing')
    .option(...JSON_OPTION)
    .action(
      run(({ json }: JsonFlag) => {
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
          ...listOf('problems for the worker', shown.problems.worker),
          ...listOf('problems for the bridge', shown.problems.bridge),
          ...listOf('warnings', shown.warnings),
        ]);
        return Promise.resolve();
      }),
    );
}

function listOf(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`\n${title}:`, ...lines.map((line) => `- ${line}`)];
}
