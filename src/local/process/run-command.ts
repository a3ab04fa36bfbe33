/**
 * Runs a short program to its end and returns its output. Never throws and never hangs: a program that cannot be
 * started, takes too long or is aborted is an outcome like any other. Not `execa`: it is an ES module for
 * Node 22, and we run CommonJS on Node 20.
 */
import { present } from '../../contract/index.js';
import { spawn } from 'node:child_process';

/** Kept of each stream: the end of a long output explains a failure. */
const KEPT_CHARACTERS = 64 * 1024;

/** Between SIGTERM and SIGKILL for a program that is aborted. */
const ABORT_GRACE_MS = 2_000;

export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Run as another user (we are root and the program refuses that). */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The program starts others: give it a process group, and signal the whole group on abort. */
  readonly group?: boolean;
  readonly onStderrLine?: (line: string) => void;
  /** File descriptor that receives stdout and stderr instead of us. */
  readonly outputFd?: number;
}

export interface CommandResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** One clause for messages: `exit code 1: last line`, `no answer within 10 s`, … Empty when ok. */
  readonly problem: string;
}

export function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { command, args, env, cwd, account, timeoutMs, signal, group = false, onStderrLine, outputFd } = options;
  return new Promise((resolve) => {
    let abortReason = '';
    let stdout = '';
    let stderr = '';
    let unfinishedLine = '';
    const output = outputFd ?? 'pipe';
    const child = spawn(command, args, {
      env,
      stdio: ['ignore', output, output],
      detached: group,
      ...present({ cwd }),
      ...account,
    });
    const kill = (how: NodeJS.Signals): void => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(group ? -child.pid : child.pid, how);
      } catch {
        // it ended in this moment
      }
    };
    const abort = (reason: string): void => {
      if (abortReason !== '') return;
      abortReason = reason;
      kill('SIGTERM');
      setTimeout(() => kill('SIGKILL'), ABORT_GRACE_MS).unref();
    };
    const timer = setTimeout(() => abort(`no end within ${Math.round(timeoutMs / 1000)} s`), timeoutMs);
    const onAbort = (): void => abort('called off');
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const finish = (problem: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (unfinishedLine !== '') onStderrLine?.(unfinishedLine);
      resolve({ ok: problem === '', stdout, stderr, problem });
    };

    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-KEPT_CHARACTERS);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-KEPT_CHARACTERS);
      const lines = (unfinishedLine + text).split('\n');
      unfinishedLine = lines.pop() ?? '';
      for (const line of lines) onStderrLine?.(line);
    });
    child.once('error', (error) => finish(`${command} cannot be run: ${error.message}`));
    child.once('close', (code, killedBy) => {
      const how = code === null ? `ended by ${String(killedBy)}` : `exit code ${code}`;
      finish(abortReason !== '' || code === 0 ? abortReason : `${how}${lastLine(stderr)}`);
    });
  });
}

function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line}`;
}
