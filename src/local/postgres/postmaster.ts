/**
 * Finds the server process of a cluster by its `postmaster.pid` (line 1 the pid, line 4 the port, line 8 the state;
 * PostgreSQL documentation 18, "Database File Layout"). PostgreSQL itself takes any living pid in that file for a running
 * server, even a zombie or, after a reboot, an unrelated one. Here a pid counts only if its process works in that folder.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, type ProcessIdentity } from '../process/process-identity.js';
import { waitUntil } from '../process/wait-until.js';

/** Backends notice the death of their parent within a second. */
const BACKENDS_GONE_WITHIN_MS = 15_000;

export interface Postmaster {
  readonly identity: ProcessIdentity;
  readonly port: number;
}

/** Pure: pid and port from the lock file's text. */
export function parsePostmasterPid(text: string): { readonly pid: number; readonly port: number } | undefined {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3] ?? '');
  return Number.isSafeInteger(pid) && pid > 0 && Number.isSafeInteger(port) ? { pid, port } : undefined;
}

/** The living postmaster of this cluster, or undefined. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const seen = readLockFile(cluster);
  const identity = seen === undefined ? undefined : identifyProcess(seen.pid);
  if (seen === undefined || identity === undefined) return undefined;
  return worksIn(identity.pid, cluster) ? { identity, port: seen.port } : undefined;
}

/**
 * Removes the lock file of a server that is certainly dead. If the pid is free, PostgreSQL does so itself, with checks
 * that we would only weaken. It cannot if the pid is a zombie that nobody reaps (a container without init) or belongs to
 * an unrelated process by now.
 */
export async function clearStaleLockFile(cluster: string): Promise<void> {
  const seen = readLockFile(cluster);
  if (seen === undefined || !isPidTaken(seen.pid) || findPostmaster(cluster) !== undefined) return;
  await waitUntil({
    what: `the end of the server processes left in ${cluster}`,
    deadlineMs: BACKENDS_GONE_WITHIN_MS,
    check: () => !isAnyoneIn(cluster),
  });
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** As PostgreSQL checks it: true for zombies too. */
function isPidTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readLockFile(cluster: string): { readonly pid: number; readonly port: number } | undefined {
  try {
    return parsePostmasterPid(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Every PostgreSQL process works in its cluster's folder. */
function worksIn(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return commandLine(pid).includes(cluster);
  }
}

function isAnyoneIn(cluster: string): boolean {
  try {
    return readdirSync('/proc').some(
      (name) => /^\d+$/.test(name) && identifyProcess(Number(name)) !== undefined && worksIn(Number(name), cluster),
    );
  } catch {
    // no /proc (macOS): PostgreSQL's own check of the shared memory must be enough
    return false;
  }
}

/** For systems without /proc: the command line of the postmaster contains `-D <cluster>`. */
function commandLine(pid: number): string {
  if (process.platform === 'linux') return '';
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}
