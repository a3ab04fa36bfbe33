/** Programs in processes of their own, and what they print. */
import { spawn, type ChildProcess } from 'node:child_process';
import { envOf, TRAMITA } from '../../soak/command.js';
import { until } from './until.js';

/** Bundling the flows takes 2 to 4 s, ten times as long on a machine that is busy. */
const READY_WITHIN_MS = 90_000;

export interface Launched {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with the exit code, null after a signal. */
  readonly ended: Promise<number | null>;
}

type Env = Readonly<Record<string, string>>;

/** With this environment and nothing else of ours: settings of a developer would change what is tested. */
export function launch([command = '', ...args]: readonly string[], env: Env = {}, cwd?: string): Launched {
  const child = spawn(command, args, { cwd, env: envOf(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return { child, out: () => out, err: () => err, ended: new Promise((resolve) => child.once('close', resolve)) };
}

/** Launches the compiled command line. */
export function launchTramita(args: readonly string[], env?: Env, cwd?: string): Launched {
  return launch([process.execPath, TRAMITA, ...args], env, cwd);
}

/** Waits until a program with `--json` says that it is ready. Throws its log when it ends before. */
export async function untilReady({ child, out, err }: Launched, what: string): Promise<void> {
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`${what} ended with ${child.exitCode}:\n${err()}`);
    return out().includes('"ready": true');
  };
  await until(isReady, { withinMs: READY_WITHIN_MS, what: `${what} to be ready` });
}
