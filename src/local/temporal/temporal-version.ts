/**
 * Which Temporal command line tool we pin, and which ones of other origin we accept.
 * The pins must equal `tools/temporal/go.mod`; a test compares them.
 */
import { runCommand } from '../process/run-command.js';

/** CLI 1.8.2 carries server 1.31.2 and UI 2.50.1 (seen 2026-11-20, github.com/temporalio/cli). */
export const TEMPORAL_CLI_VERSION = '1.8.2';

/** The server of the cluster: the one that the tool carries. */
export const TEMPORAL_SERVER_VERSION = '1.31.2';

/** First CLI with server 1.27 and every `start-dev` option that we pass. */
export const OLDEST_TEMPORAL_CLI = '1.3';

export interface TemporalVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** From `temporal --version`: `temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)`. */
export function parseTemporalVersion(output: string): TemporalVersion | undefined {
  const match = /\btemporal version v?((\d+)\.(\d+)\.\d+[\w.-]*)/.exec(output);
  const [, text, major, minor] = match ?? [];
  if (text === undefined) return undefined;
  return { text, major: Number(major), minor: Number(minor) };
}

/** Why a foreign `temporal` will not do, or undefined when it will. */
export function temporalVersionProblem(version: TemporalVersion): string | undefined {
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_TEMPORAL_CLI.split('.').map(Number);
  const isOld = version.major < oldestMajor || (version.major === oldestMajor && version.minor < oldestMinor);
  return isOld ? `is ${version.text}, older than ${OLDEST_TEMPORAL_CLI}` : undefined;
}

const ANSWER_WITHIN_MS = 10_000;

/** Asks an executable which Temporal it is. About 0.1 s; also the proof that it runs on this machine at all. */
export async function askTemporalVersion(
  executable: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly version: TemporalVersion } | { readonly problem: string }> {
  const run = await runCommand({ command: executable, args: ['--version'], env, timeoutMs: ANSWER_WITHIN_MS });
  if (!run.ok) return { problem: `\`--version\` fails (${run.problem})` };
  const version = parseTemporalVersion(run.stdout);
  return version === undefined ? { problem: '`--version` does not name a Temporal version' } : { version };
}
