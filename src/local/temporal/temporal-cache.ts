/**
 * Our cache of the Temporal tool: `<cache>/tramita/temporal-<version>/temporal`. An entry gets its name only after it
 * has answered `--version` and is on disk, so a partial one is never seen. It has to answer again at each start.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { askTemporalVersion, TEMPORAL_CLI_VERSION } from './temporal-version.js';
import { isExecutableFile } from '../process/find-on-path.js';

export interface TemporalCacheEntry {
  readonly folder: string;
  readonly executable: string;
}

/** In `XDG_CACHE_HOME` where it is an absolute path (its specification ignores others), else in `~/.cache`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CACHE_HOME'] ?? '';
  const home = env['HOME'] ?? '';
  const caches = isAbsolute(named) ? named : join(isAbsolute(home) ? home : homedir(), '.cache');
  return join(caches, 'tramita');
}

export function temporalCacheEntry(env: NodeJS.ProcessEnv): TemporalCacheEntry {
  const folder = join(cacheFolder(env), `temporal-${TEMPORAL_CLI_VERSION}`);
  return { folder, executable: join(folder, 'temporal') };
}

/** Why the entry cannot be used, or undefined. */
export async function cacheProblem(
  { folder, executable }: TemporalCacheEntry,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (!existsSync(executable)) return `${folder} is empty`;
  const problem = isExecutableFile(executable) ? await versionProblem(executable, env) : 'is not an executable file';
  return problem === undefined ? undefined : `${executable} ${problem}`;
}

/** A path in the entry's folder for a new executable; removes what dead processes left there. */
export function candidateFile(entry: TemporalCacheEntry): string {
  mkdirSync(entry.folder, { recursive: true });
  for (const name of readdirSync(entry.folder)) {
    if (name.endsWith('.partial')) rmSync(join(entry.folder, name), { recursive: true, force: true });
  }
  return join(entry.folder, `temporal.${process.pid}.partial`);
}

/** Checks a new executable and puts it into place; returns why it cannot, or undefined. */
export async function acceptCandidate(
  entry: TemporalCacheEntry,
  { candidate, env }: { readonly candidate: string; readonly env: NodeJS.ProcessEnv },
): Promise<string | undefined> {
  chmodSync(candidate, 0o755);
  const problem = await versionProblem(candidate, env);
  if (problem !== undefined) {
    rmSync(candidate, { force: true });
    return problem;
  }
  syncToDisk(candidate);
  renameSync(candidate, entry.executable);
  syncToDisk(entry.folder);
  return undefined;
}

async function versionProblem(executable: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const answer = await askTemporalVersion(executable, env);
  if ('problem' in answer) return answer.problem;
  const { text } = answer.version;
  return text === TEMPORAL_CLI_VERSION ? undefined : `is version ${text}, not ${TEMPORAL_CLI_VERSION}`;
}

export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
