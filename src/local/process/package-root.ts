/**
 * Where the package lies on disk. The same code runs from `src/local` (tests), from `dist/src/local` (commands) and
 * from `node_modules/tramita/dist/src/local` (installed), so the root is found by walking up, never by counting `..`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function packageRoot(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    if (packageNameIn(folder) === 'tramita') return folder;
    if (folder === dirname(folder)) {
      throw new Error(`tramita: no package.json named "tramita" at or above ${__dirname}; install the package again`);
    }
  }
}

function packageNameIn(folder: string): unknown {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return manifest.name;
  } catch {
    return undefined;
  }
}
