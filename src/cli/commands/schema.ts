/** `tramita schema`: the JSON Schemas of the package, for callers in other languages. Reads files and connects to nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { CommandSetup } from '../context.js';
import { usageError } from '../exit-codes.js';
import { JSON_OPTION, printLine } from '../output/output.js';

interface Flags {
  readonly input?: boolean;
  readonly result?: boolean;
  readonly failure?: boolean;
}

export function addSchemaCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('schema')
    .description('print a JSON Schema: of a flow, of wake, settleCharge, resume or progress')
    .argument('[name]', 'workflow type, signal, update or query; without it the index of all schemas')
    .option('--input', 'of the input (the default)')
    .option('--result', 'of the result or the answer')
    .option('--failure', 'of details[0] of the ApplicationFailure with which a flow fails')
    // A schema is JSON already; the flag is there because every command has it.
    .option(...JSON_OPTION)
    .action(
      run((name: string | undefined, flags: Flags) => {
        printLine(context, readFileSync(join(FOLDER, fileOf(name, flags)), 'utf8').trimEnd());
        return Promise.resolve();
      }),
    );
}

/** Without a flag the schema of the input, or that of the result if there is no input. */
function fileOf(name: string | undefined, { input, result, failure }: Flags): string {
  if ([input, result, failure].filter((flag) => flag === true).length > 1) {
    throw usageError('--input, --result and --failure are three schemas; ask for one');
  }
  if (failure === true) return 'failure.json';
  if (name === undefined) return 'index.json';
  const files = readdirSync(FOLDER);
  const wanted = result === true ? [`${name}.result.json`] : [`${name}.input.json`, `${name}.result.json`];
  const found = wanted.find((file) => files.includes(file));
  if (found !== undefined) return found;
  const known = [...new Set(files.flatMap((file) => /^(\w+)\.(?:input|result)\.json$/.exec(file)?.[1] ?? []))];
  throw usageError(
    known.includes(name) ? `${name} has no result` : `there is no schema of "${name}"; known: ${known.join(', ')}`,
  );
}

/** Node resolves a package's own name from inside it, so this works in `src`, in `dist` and in `node_modules`. */
const FOLDER = join(dirname(createRequire(__filename).resolve('tramita/package.json')), 'schemas');
