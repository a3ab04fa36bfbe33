/**
 * Starts one program (Temporal, worker, bridge, sandbox) and supervises it: its output goes unchanged to its log, it
 * counts as started when `isReady` says so, an unexpected end is reported, and it can be stopped. It is never restarted
 * automatically, because in a local stack a person should notice a program that dies.
 */
import { present } from '../../contract/index.js';
import { spawn } from 'node:child_process';
import { logTail, sizeInBytes, withLogFile } from './log-file.js';
import { identifyProcess, type ProcessIdentity } from './process-identity.js';
import { signalProcess, stopProcess } from './stop-process.js';
import { waitUntil } from './wait-until.js';

/** All of ours are ready in seconds; the rest is for a machine that is busy. */
const READY_WITHIN_MS = 60_000;

export interface ProcessEnd {
  readonly name: string;
  /** `exit code 1`, `signal SIGKILL`. */
  readonly how: string;
  readonly logFile: string;
}

export interface SuperviseOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly logFile: string;
  /** Called if the program ends although nobody stopped it, after it was ready. */
  readonly onExit: (end: ProcessEnd) => void;
  /** Called as soon as the process exists, to record its pid. */
  readonly onSpawn?: (identity: ProcessIdentity) => void;
  /** Polled until it returns true. Absent: ready as soon as the process exists. */
  readonly isReady?: () => boolean | Promise<boolean>;
  readonly readyWithinMs?: number;
  /** How long the program may take to end by itself when stopped. Default 10,000. */
  readonly stopGraceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number;
  readonly identity: ProcessIdentity;
  readonly logFile: string;
  /** Resolves when it ends, expected or not. */
  readonly ended: Promise<ProcessEnd>;
  readonly stop: () => Promise<void>;
  /** Signals it without waiting, when our own process exits. */
  readonly stopNow: () => void;
}

export async function superviseProcess(options: SuperviseOptions): Promise<SupervisedProcess> {
  const { name, command, args, env, cwd, logFile, onExit, onSpawn, signal, stopGraceMs = 10_000 } = options;
  const logStart = sizeInBytes(logFile);
  const child = withLogFile(logFile, (fd) =>
    // a group of its own: Ctrl-C reaches only us, and we stop the parts in order
    spawn(command, args, { env, stdio: ['ignore', fd, fd], detached: true, ...present({ cwd }) }),
  );
  let end: ProcessEnd | undefined;
  let isExpected = true;
  const ended = new Promise<ProcessEnd>((resolve) => {
    const finish = (how: string): void => {
      if (end !== undefined) return;
      end = { name, how, logFile };
      resolve(end);
      if (!isExpected) onExit(end);
    };
    child.once('error', (error) => finish(`cannot be run: ${error.message}`));
    child.once('exit', (code, killedBy) =>
      finish(code === null ? `signal ${String(killedBy)}` : `exit code ${String(code)}`),
    );
  });
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (identity !== undefined) onSpawn?.(identity);
  try {
    await waitUntil({
      what: `the start of ${name}`,
      deadlineMs: options.readyWithinMs ?? READY_WITHIN_MS,
      signal,
      check: () => {
        if (end !== undefined) throw new Error(`tramita: ${name} ended while starting: ${end.how}`);
        // without an identity it has already ended, and the event that says how follows
        return identity !== undefined && (options.isReady?.() ?? true);
      },
    });
  } catch (error) {
    if (identity !== undefined) await stopProcess({ identity, graceMs: stopGraceMs, leadsGroup: true });
    signal?.throwIfAborted();
    const log = logTail(logFile, logStart);
    throw new Error(`${(error as Error).message}. Its log ${logFile} ends with:\n${log}`, { cause: error });
  }
  if (identity === undefined) throw new Error(`tramita: ${name} has no process id`);
  isExpected = false;
  return {
    name,
    pid: identity.pid,
    identity,
    logFile,
    ended,
    stop: async () => {
      isExpected = true;
      await stopProcess({ identity, graceMs: stopGraceMs, leadsGroup: true });
    },
    stopNow: () => {
      isExpected = true;
      signalProcess(identity, 'SIGTERM');
    },
  };
}
