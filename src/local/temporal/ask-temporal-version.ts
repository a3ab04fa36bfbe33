/** Asks an executable which Temporal it is. About 0.1 s; also the proof that it runs on this machine at all. */
import { runCommand } from '../process/run-command.js';
import { parseTemporalVersion, type TemporalVersion } from './temporal-version.js';

const ANSWER_WITHIN_MS = 10_000;

export async function askTemporalVersion(
  executable: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly version: TemporalVersion } | { readonly problem: string }> {
  const run = await runCommand({ command: executable, args: ['--version'], env, timeoutMs: ANSWER_WITHIN_MS });
  if (!run.ok) return { problem: `\`--version\` fails (${run.problem})` };
  const version = parseTemporalVersion(run.stdout);
  return version === undefined ? { problem: '`--version` does not name a Temporal version' } : { version };
}
