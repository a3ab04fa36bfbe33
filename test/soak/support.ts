/** A soak's world inside a test: the run's own servers, a shutdown that the file drives. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, type Shutdown } from '../../src/local/index.js';

export interface TestShutdown {
  readonly shutdown: Shutdown;
  stop(): Promise<void>;
}

export function createShutdown(): TestShutdown {
  const parts: { stop(): Promise<unknown> }[] = [];
  const controller = new AbortController();
  const shutdown = {
    add: (part: { stop(): Promise<unknown> }) => void parts.push(part),
    request: () => controller.abort(),
    requested: new Promise<void>(() => undefined),
    signal: controller.signal,
  };
  return {
    shutdown: shutdown as unknown as Shutdown,
    stop: async () => {
      for (const part of parts.reverse()) await Promise.resolve(part.stop()).catch(() => undefined);
    },
  };
}

export interface Defect {
  readonly name: string;
  /** Compiled file, below `dist/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A copy of the compiled program with one thing broken; below the package, so that its packages are found. */
export function plantDefect({ name, file, from, to }: Defect): { readonly root: string; remove(): void } {
  const root = join(packageRoot(), '.tramita', 'defects', `${process.pid}-${name.replace(/\W+/g, '-')}`);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const part of ['src', 'sandbox'])
    cpSync(join(packageRoot(), 'dist', part), join(root, part), { recursive: true });
  const path = join(root, file);
  const code = readFileSync(path, 'utf8');
  if (!code.includes(from)) throw new Error(`the defect "${name}" does not fit ${file} any more: ${from}`);
  writeFileSync(path, code.replace(from, to));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
