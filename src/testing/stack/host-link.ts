/**
 * Starts the host, a separate process that runs servers or a stack, so that the test runner (jest's own modules, vitest's
 * threads) loads no native code. The host ends them on request, and when the channel to this process closes, even after a
 * `kill -9`. The channel keeps this process alive only while an answer is awaited.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FOLDER_PREFIX, type FromHost, type HostTask, type ToHost } from './messages.js';

/** The host's parts have shorter bounds of their own. */
const STOP_WITHIN_MS = 120_000;

/** Variables that are meant for the test runner: loaders, coverage, settings of another installation. */
const NOT_FOR_THE_HOST = /^(NODE_OPTIONS|NODE_V8_COVERAGE|NODE_CHANNEL_.*|TRAMITA_.*|TEMPORAL_.*)$/;

export interface HostLink {
  readonly logFile: string;
  /** Questions are asked one after another. Rejects when the host has ended, or cannot answer. */
  ask(question: ToHost): Promise<FromHost>;
  /** Resolves when the host has ended. Idempotent. */
  stop(): Promise<void>;
}

export interface StartHostOptions {
  readonly task: (folder: string) => HostTask;
  readonly onProgress: ((text: string) => void) | undefined;
}

/** Resolves with the facts of a host that is ready. */
export async function startHost(
  options: StartHostOptions,
): Promise<{ readonly link: HostLink; readonly ready: Extract<FromHost, { kind: 'ready' }> }> {
  const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
  // If we are root, PostgreSQL runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  const logFile = join(folder, 'host.log');
  const child = forkHost(logFile);
  const link = linkTo(child, { logFile, onProgress: options.onProgress });
  try {
    const ready = await link.ask(options.task(folder));
    if (ready.kind !== 'ready') throw new Error(`tramita: the test stack answered ${ready.kind}`);
    return { link, ready };
  } catch (error) {
    await link.stop();
    // the host has removed its folder, unless it could not start
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function forkHost(logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_FOR_THE_HOST.test(name)));
    const child = fork(hostProgram(), [], {
      env,
      execArgv: [],
      stdio: ['ignore', log, log, 'ipc'],
      // a group of its own: Ctrl-C reaches only the runner, and the host notices the runner's end
      detached: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** The compiled program, also where this file runs from its source. */
function hostProgram(): string {
  const manifest = createRequire(__filename).resolve('tramita/package.json');
  return join(dirname(manifest), 'dist', 'src', 'testing', 'host', 'main.js');
}

function linkTo(
  child: ChildProcess,
  { logFile, onProgress }: { readonly logFile: string; readonly onProgress: StartHostOptions['onProgress'] },
): HostLink & { ask(question: ToHost | HostTask): Promise<FromHost> } {
  let receive: ((message: FromHost) => void) | undefined;
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = (how: string): void => {
      hasEnded = true;
      receive?.({
        kind: 'failed',
        message: `tramita: the process of the test stack ended (${how}); its log was ${logFile}`,
      });
      resolve();
    };
    child.once('exit', (code, signal) => end(signal ?? `exit code ${String(code)}`));
    child.once('error', (error) => end(error.message));
  });
  child.on('message', (message: FromHost) => {
    if (message.kind === 'progress') onProgress?.(message.text);
    else receive?.(message);
  });
  let awaited = 0;
  const whileAwaited = async <T>(action: () => Promise<T>): Promise<T> => {
    awaited += 1;
    child.ref();
    child.channel?.ref();
    try {
      return await action();
    } finally {
      awaited -= 1;
      if (awaited === 0) {
        child.unref();
        child.channel?.unref();
      }
    }
  };
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (!hasEnded) child.send({ kind: 'stop' } satisfies ToHost, () => undefined);
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(late);
  };
  const askNow = async (question: ToHost | HostTask): Promise<FromHost> => {
    if (hasEnded) throw new Error('tramita: the test stack has been stopped');
    const answer = await new Promise<FromHost>((resolve) => {
      receive = resolve;
      child.send(question, (error) => {
        if (error !== null) resolve({ kind: 'failed', message: `tramita: the test stack: ${error.message}` });
      });
    });
    receive = undefined;
    if (answer.kind === 'failed') throw new Error(answer.message);
    return answer;
  };
  // one question at a time: an answer does not say which question it belongs to, and tests may run at the same time
  let previous: Promise<unknown> = Promise.resolve();
  return {
    logFile,
    ask: (question) => {
      const answer = previous.then(() => whileAwaited(() => askNow(question)));
      previous = answer.catch(() => undefined);
      return answer;
    },
    stop: () => (stopping ??= whileAwaited(stop)),
  };
}
