/** `tramita migrate`: brings the schema up to date, and sets known passwords of the roles of bridge and codec server. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { errorCode, type Config } from '../../config/index.js';
import { present } from '../../contract/index.js';
import { BRIDGE_ROLE, migrate } from '../../store/index.js';
import type { CommandSetup } from '../context.js';
import { usageError } from '../exit-codes.js';
import { JSON_OPTION, print } from '../output/output.js';
import { readConfig, requireDatabaseUrl } from '../with/settings.js';
import { rethrowDatabaseError } from '../with/with-database.js';

export function addMigrateCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('migrate')
    .description('create or update the database schema of TRAMITA_DATABASE_URL')
    .option(
      '--bridge-password-file <file>',
      `give the role ${BRIDGE_ROLE} this password (default: that of TRAMITA_BRIDGE_DATABASE_URL)`,
    )
    .option(...JSON_OPTION)
    .action(
      run(async ({ bridgePasswordFile, json }: { bridgePasswordFile?: string; json?: boolean }) => {
        const config = readConfig(context);
        const bridgeUrl = bridgeUrlOf(config, bridgePasswordFile);
        const url = requireDatabaseUrl(config);
        const applied = await migrate(url, present({ bridgeUrl, codecUrl: config.codecDatabaseUrl })).catch(
          (error: unknown) => rethrowDatabaseError(error, url),
        );
        const text = applied.length === 0 ? 'the schema is up to date' : `applied: ${applied.join(', ')}`;
        print(context, json, { applied }, text);
      }),
    );
}

/** `migrate` takes user and password from a URL; host and database of this one are never used. */
function bridgeUrlOf(config: Config, passwordFile: string | undefined): string | undefined {
  if (passwordFile === undefined) return config.bridgeDatabaseUrl;
  const url = new URL(`postgresql://${BRIDGE_ROLE}@localhost/tramita`);
  // The setter leaves a % as it is, and every reader of the URL would take it for the beginning of an escape.
  url.password = encodeURIComponent(readPassword(passwordFile));
  return url.href;
}

function readPassword(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw usageError(`--bridge-password-file: the file cannot be read (${errorCode(error)})`);
  }
  if (text === '') throw usageError('--bridge-password-file: the file is empty; expected the password in it');
  return text;
}
