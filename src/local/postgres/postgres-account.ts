/**
 * As whom PostgreSQL runs. It refuses to run as root; then it runs as the user `postgres` where there is one, else as
 * `nobody`. No user is ever created. initdb needs an account that the system knows by name, so a bare number will not do.
 */
import { runCommand, type CommandOptions, type CommandResult } from '../process/run-command.js';

export interface PostgresAccount {
  readonly uid: number;
  readonly gid: number;
}

/** As whom, and from which environment. Without an account: as ourselves. */
export interface RunAs {
  readonly account: PostgresAccount | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a program of PostgreSQL: nothing of the user's PG* settings, messages in English, times in UTC; from `/`, because the
 * account may not be allowed to stand where we stand.
 */
export function runAs(
  { account, env }: RunAs,
  run: Pick<CommandOptions, 'command' | 'args' | 'timeoutMs' | 'outputFd'>,
): Promise<CommandResult> {
  return runCommand({ ...run, env: { PATH: env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, cwd: '/', account });
}

/** Undefined: run as ourselves. */
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
