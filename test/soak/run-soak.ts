/** Runs one of the soaks as its npm script does, and reads its output. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';

export interface SoakRun {
  readonly code: number | null;
  readonly lines: readonly string[];
  /** The last line, parsed. */
  readonly figures: Readonly<Record<string, unknown>>;
}

export function runSoak(plan: 'mixed' | 'flows' | 'canary', args: readonly string[]): Promise<SoakRun> {
  const seed = String(Math.floor(Math.random() * 1_000_000));
  const main = join(packageRoot(), 'dist', 'soak', 'main.js');
  const child = spawn(process.execPath, [main, plan, ...args, '--seed', seed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      const lines = out.trim().split('\n');
      const last = lines.at(-1) ?? '';
      if (!last.startsWith('{')) reject(new Error(`the soak ended with ${code}: ${last}`));
      else resolve({ code, lines, figures: JSON.parse(last) as SoakRun['figures'] });
    });
  });
}
