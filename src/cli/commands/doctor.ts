/** `tramita doctor`: checks everything that a worker needs, and says what is wrong and how to cure it. Spends nothing. */
import type { Command } from 'commander';
import type { CommandSetup } from '../context.js';
import type { Finding } from '../doctor/finding.js';
import { runDoctor } from '../doctor/run-doctor.js';
import { EXIT } from '../exit-codes.js';
import { colors, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { readConfigToShow, readTemporal } from '../with/settings.js';

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;

export function addDoctorCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('doctor')
    .description('check node, configuration, Temporal, database, service and files')
    .option(...JSON_OPTION)
    .action(
      run(async ({ json }: JsonFlag) => {
        const paint = colors(context);
        const painters = { ok: paint.green, warning: paint.yellow, failed: paint.red };
        const findings = await runDoctor(context, {
          config: readConfigToShow(context),
          temporal: readTemporal(context),
        });
        print(context, json, findings, findings.map(lineOf));
        return findings.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.ok;

        function lineOf({ about, state, text }: Finding): string {
          return `${painters[state](MARKS[state])} ${about}: ${text}`;
        }
      }),
    );
}
