/**
 * The user that PostgreSQL runs as. It refuses to run as root; then it runs as the user `postgres` if there is one, else as
 * `nobody`. No user is ever created. initdb needs a user that the system knows by name, so a bare number is not enough.
 */
import { runCommand, type CommandOptions, type CommandResult } from '../process/run-command.js';

export interface PostgresAccount {
  readonly uid: number;
  readonly gid: number;
}

/** The user and the environment of a program. Without an account: our own user. */
export interface RunAs {
  readonly account: PostgresAccount | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a program of PostgreSQL without the user's PG* settings, with messages in English and times in UTC. It runs in `/`, because
 * the account may not be allowed to enter our working directory.
 */
export function runAs(
  { account, env }: RunAs,
  run: Pick<CommandOptions, 'command' | 'args' | 'timeoutMs' | 'outputFd'>,
): Promise<CommandResult> {
  return runCommand({ ...run, env: { PATH: env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, cwd: '/', account });
}

/** Undefined: run as our own user. */
export async function choosePostgresAccount(env: NodeJS.ProcessEnv): Promise<PostgresAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((what) => askId([what, name], env)));
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid };
  }
  throw new Error(
    'tramita: PostgreSQL refuses to run as root and there is neither a user `postgres` nor `nobody`; run as another user or set TRAMITA_DATABASE_URL',
  );
}

async function askId(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const run = await runCommand({ command: 'id', args, env, timeoutMs: 5_000 });
  const id = Number(run.stdout.trim() || Number.NaN);
  return run.ok && Number.isSafeInteger(id) ? id : undefined;
}
