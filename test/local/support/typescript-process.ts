/** Starts one of the programs of this folder in a process of its own and reads what it prints, line by line. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface TypescriptProcess {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves with the exit code, null after a signal. */
  readonly ended: Promise<number | null>;
}

export function startTypescript(program: string, args: readonly string[], env: NodeJS.ProcessEnv): TypescriptProcess {
  const child = spawn(process.execPath, [join(__dirname, 'run-typescript.cjs'), join(__dirname, program), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { child, lines, ended: new Promise((resolve) => child.once('close', resolve)) };
}
