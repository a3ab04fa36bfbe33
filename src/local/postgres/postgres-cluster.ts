/**
 * Creates the database cluster once: random password, scram everywhere, locale C and UTF-8 whatever the machine's
 * settings are (initdb fails with a locale that is not generated; an empty one gives SQL_ASCII). It is created under another
 * name and then renamed, so that a start that is killed halfway leaves nothing that looks like a cluster.
 */
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runAs, type RunAs } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** The one role of the local cluster; migrations make the narrow ones. */
export const POSTGRES_ROLE = 'tramita';

const INITDB_WITHIN_MS = 120_000;

export interface PostgresCluster {
  readonly folder: string;
  readonly password: string;
}

export interface EnsureClusterOptions extends RunAs {
  /** Holds the password. */
  readonly dataDir: string;
  /** Holds the cluster. */
  readonly place: string;
  readonly binaries: PostgresBinaries;
  readonly onMake?: () => void;
}

export async function ensureCluster(options: EnsureClusterOptions): Promise<PostgresCluster> {
  const { dataDir, place, binaries, account, onMake } = options;
  const folder = join(place, 'cluster');
  const passwordFile = join(dataDir, 'password');
  if (existsSync(folder)) {
    const problem = existsSync(passwordFile)
      ? versionProblem(folder, binaries)
      : `the password ${passwordFile} of the PostgreSQL data in ${folder} is gone`;
    if (problem !== undefined)
      throw new Error(`tramita: ${problem}; remove ${dataDir} and ${place} to start with an empty database`);
    return { folder, password: readFileSync(passwordFile, 'utf8').trim() };
  }
  onMake?.();
  const password = randomBytes(24).toString('base64url');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  for (const name of readdirSync(place)) if (name.startsWith('making-')) rmSync(join(place, name), { recursive: true });
  const making = join(place, `making-${process.pid}`);
  const pwfile = join(making, 'pw');
  mkdirSync(making, { mode: 0o700 });
  writeFileSync(pwfile, password, { mode: 0o600 });
  if (account !== undefined) for (const path of [making, pwfile]) chownSync(path, account.uid, account.gid);
  try {
    const made = join(making, 'cluster');
    const run = await runAs(options, {
      command: binaries.initdb,
      args: [
        ...['-D', made, `--username=${POSTGRES_ROLE}`, `--pwfile=${pwfile}`],
        ...['--auth=scram-sha-256', '--locale=C', '--encoding=UTF8', '--no-instructions'],
      ],
      timeoutMs: INITDB_WITHIN_MS,
    });
    if (!run.ok)
      throw new Error(
        `tramita: initdb failed in ${place} (${run.problem}); see its message, or set TRAMITA_DATABASE_URL\n${run.stderr}`,
      );
    renameSync(made, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return { folder, password };
}

function versionProblem(folder: string, { version }: PostgresBinaries): string | undefined {
  const file = join(folder, 'PG_VERSION');
  const madeBy = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'no PostgreSQL';
  const major = version.split('.')[0];
  return madeBy === major
    ? undefined
    : `the data in ${folder} was made by PostgreSQL ${madeBy}, installed is ${String(major)}`;
}
