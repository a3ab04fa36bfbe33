/**
 * As whom PostgreSQL runs. It refuses to run as root; then it runs as the user `postgres` where there is one, else as
 * `nobody`. No user is ever created. initdb needs an account that the system knows by name, so a bare number will not do.
 */
import { runCommand } from '../process/run-command.js';

export interface PostgresAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Undefined: run as ourselves. */
export async function choosePostgresAccount(env: NodeJS.ProcessEnv): Promise<PostgresAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((what) => askId({ name, what, env })));
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid };
  }
  throw new Error(
    'tramita: PostgreSQL refuses to run as root and there is neither a user `postgres` nor `nobody`; run as another user or set TRAMITA_DATABASE_URL',
  );
}

async function askId({
  name,
  what,
  env,
}: {
  name: string;
  what: string;
  env: NodeJS.ProcessEnv;
}): Promise<number | undefined> {
  const run = await runCommand({ command: 'id', args: [what, name], env, timeoutMs: 5_000 });
  const id = Number(run.stdout.trim() || Number.NaN);
  return run.ok && Number.isSafeInteger(id) ? id : undefined;
}
