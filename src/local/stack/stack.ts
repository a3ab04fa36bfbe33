/**
 * The stack of one folder: who runs it and which processes belong to it, in `.tramita/stack.json`. The file is written as
 * soon as a process exists, so that after a `kill -9` of everything above it the next start finds and stops what is left: by
 * pid and start time, never by name. Only one living stack per folder.
 */
import { mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock, type LockHolder } from '../process/file-lock.js';
import { isAlive, ownIdentity, type ProcessIdentity } from '../process/process-identity.js';
import { sayAbout, type OnProgress } from '../process/progress.js';
import { readJson, writeJson } from '../process/state-file.js';
import { stopProcess } from '../process/stop-process.js';

export interface RecordedProcess extends ProcessIdentity {
  readonly name: string;
  /** The signal that stops this program in an orderly way: SIGINT for PostgreSQL, else SIGTERM. */
  readonly stopSignal: NodeJS.Signals;
}

interface StackRecord {
  readonly owner: ProcessIdentity;
  readonly processes: readonly RecordedProcess[];
}

export interface Stack {
  /** `<root>/.tramita`. */
  readonly folder: string;
  /** `.tramita/<name>`: data of one part. */
  readonly dataDir: (name: string) => string;
  /** `.tramita/logs/<name>.log`. */
  readonly logFile: (name: string) => string;
  /** To be called from `onSpawn`, before anything is awaited. */
  readonly recordProcess: (process: { name: string; identity: ProcessIdentity; stopSignal?: NodeJS.Signals }) => void;
  /** Called last, when everything has been stopped. */
  readonly release: () => void;
}

interface StackOptions {
  readonly root: string;
  readonly onProgress: OnProgress;
}

export async function claimStack({ root, onProgress }: StackOptions): Promise<Stack> {
  const folder = stackFolder(root);
  makeFolder(folder);
  const realFolder = realpathSync(folder);
  const attempt = tryLock({ file: join(realFolder, 'stack.lock'), purpose: 'running the local stack' });
  if (!('lock' in attempt)) throw new Error(alreadyRunningMessage(realFolder, attempt.holder));
  try {
    await cleanLeftovers({ root, onProgress });
  } catch (error) {
    attempt.lock.release();
    throw error;
  }
  const owner = ownIdentity();
  const processes: RecordedProcess[] = [];
  const write = (): void => writeJson(recordFile(realFolder), { owner, processes } satisfies StackRecord);
  write();
  return {
    folder: realFolder,
    dataDir: (name) => join(realFolder, name),
    logFile: (name) => join(realFolder, 'logs', `${name}.log`),
    recordProcess: ({ name, identity, stopSignal = 'SIGTERM' }) => {
      processes.push({ name, ...identity, stopSignal });
      write();
    },
    release: () => {
      // what could not be stopped stays recorded for the next start
      if (!processes.some(isAlive)) rmSync(recordFile(realFolder), { force: true });
      attempt.lock.release();
    },
  };
}

export interface StackStatus {
  readonly isRunning: boolean;
  readonly owner: ProcessIdentity;
  readonly processes: readonly (RecordedProcess & { readonly isAlive: boolean })[];
}

/** The record of the folder's stack, and which of its processes are alive; undefined if there is none. */
export function readStack(root: string): StackStatus | undefined {
  const { owner, processes } = readJson<StackRecord>(recordFile(stackFolder(root))) ?? {};
  if (owner === undefined || processes === undefined) return undefined;
  return {
    isRunning: isAlive(owner),
    owner,
    processes: processes.map((process) => ({ ...process, isAlive: isAlive(process) })),
  };
}

/** Stops what a dead owner left behind, last started first. */
export async function cleanLeftovers({ root, onProgress }: StackOptions): Promise<void> {
  const left = readStack(root);
  if (left === undefined) return;
  if (left.isRunning) throw new Error(alreadyRunningMessage(stackFolder(root), left.owner));
  const living = left.processes.filter((process) => process.isAlive).reverse();
  if (living.length > 0) {
    const names = living.map(({ name, pid }) => `${name} (${pid})`).join(', ');
    sayAbout('stack', onProgress)(
      'decision',
      `stopping what an earlier stack (process ${left.owner.pid}, ended without cleaning up) left running: ${names}`,
    );
  }
  for (const { pid, startMark, stopSignal } of living) {
    await stopProcess({ identity: { pid, startMark }, signal: stopSignal, leadsGroup: true });
  }
  rmSync(recordFile(stackFolder(root)), { force: true });
}

function alreadyRunningMessage(folder: string, holder: LockHolder | ProcessIdentity | undefined): string {
  const pid = String(holder?.pid ?? 'unknown');
  return `tramita: a stack already runs in ${folder} (process ${pid}); stop it with Ctrl-C in its terminal or \`kill ${pid}\`, or use another folder`;
}

/** Not `recursive`: Node would never return for a parent that refuses new folders with ENOENT, as `/proc` does. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
    throw new Error(`tramita: ${folder} cannot be created (${code}); run it in a folder that you may write to`, {
      cause: error,
    });
  }
}

function stackFolder(root: string): string {
  return join(root, '.tramita');
}

function recordFile(folder: string): string {
  return join(folder, 'stack.json');
}
