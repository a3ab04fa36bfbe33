/**
 * Our cache of the Temporal tool: `<cache>/tramita/temporal-<version>/temporal`. An entry gets its name only after it
 * has answered `--version` and is on disk, so a partial one is never seen. A receipt with its size and modification time
 * makes the check of a later start cheap; without a matching receipt the entry has to answer again.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { askTemporalVersion, TEMPORAL_CLI_VERSION } from './temporal-version.js';
import { isExecutableFile } from '../process/find-on-path.js';
import { readJson, writeJson } from '../process/state-file.js';

export interface TemporalCacheEntry {
  readonly folder: string;
  readonly executable: string;
  readonly receiptFile: string;
  /** Beside the folder, so that clearing the entry does not clear the lock. */
  readonly lockFile: string;
}

interface Receipt {
  readonly version: string;
  readonly source: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

export type CacheState =
  { readonly state: 'good' } | { readonly state: 'absent' } | { readonly state: 'broken'; readonly problem: string };

/** In `XDG_CACHE_HOME` where it is an absolute path (its specification ignores others), else in `~/.cache`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CACHE_HOME'] ?? '';
  const home = env['HOME'] ?? '';
  const caches = isAbsolute(named) ? named : join(isAbsolute(home) ? home : homedir(), '.cache');
  return join(caches, 'tramita');
}

export function temporalCacheEntry(env: NodeJS.ProcessEnv): TemporalCacheEntry {
  const folder = join(cacheFolder(env), `temporal-${TEMPORAL_CLI_VERSION}`);
  return {
    folder,
    executable: join(folder, 'temporal'),
    receiptFile: join(folder, 'receipt.json'),
    lockFile: `${folder}.lock`,
  };
}

export async function checkCacheEntry(entry: TemporalCacheEntry, env: NodeJS.ProcessEnv): Promise<CacheState> {
  const { executable } = entry;
  const file = statSync(executable, { throwIfNoEntry: false });
  if (file === undefined) return { state: 'absent' };
  if (!isExecutableFile(executable)) return { state: 'broken', problem: 'is not an executable file' };
  const receipt = readJson<Receipt>(entry.receiptFile);
  const isAsReceived = receipt?.sizeBytes === file.size && receipt.mtimeMs === file.mtimeMs;
  if (isAsReceived && receipt.version === TEMPORAL_CLI_VERSION) return { state: 'good' };
  const problem = await versionProblem(executable, env);
  if (problem !== undefined) return { state: 'broken', problem };
  writeReceipt(entry, receipt?.source ?? 'unknown');
  return { state: 'good' };
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
export async function acceptCandidate(options: {
  readonly entry: TemporalCacheEntry;
  readonly candidate: string;
  readonly source: string;
  readonly env: NodeJS.ProcessEnv;
}): Promise<string | undefined> {
  const { entry, candidate, source, env } = options;
  chmodSync(candidate, 0o755);
  const problem = await versionProblem(candidate, env);
  if (problem !== undefined) {
    rmSync(candidate, { force: true });
    return problem;
  }
  syncToDisk(candidate);
  renameSync(candidate, entry.executable);
  syncToDisk(entry.folder);
  writeReceipt(entry, source);
  return undefined;
}

async function versionProblem(executable: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const answer = await askTemporalVersion(executable, env);
  if ('problem' in answer) return answer.problem;
  const { text } = answer.version;
  return text === TEMPORAL_CLI_VERSION ? undefined : `is version ${text}, not ${TEMPORAL_CLI_VERSION}`;
}

function writeReceipt(entry: TemporalCacheEntry, source: string): void {
  const { size, mtimeMs } = statSync(entry.executable);
  const receipt: Receipt = { version: TEMPORAL_CLI_VERSION, source, sizeBytes: size, mtimeMs };
  writeJson(entry.receiptFile, receipt);
}

export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
