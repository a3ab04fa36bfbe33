/** Figures of the projects of one test file, printed as a table after its tests; and a cache for npm that is empty at first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTable } from '../../soak/format-table.js';
import type { Installation } from './fresh-project.js';

const TITLES = ['PROJECT', 'INSTALLED IN S', 'MB', 'PACKAGES', 'WARNINGS', 'FIRST RESULT AFTER S'];

export interface Figures {
  readonly cache: string;
  readonly note: (name: string, installed: Installation, resultMs: number) => void;
}

/** Call once, at the top of a test file. */
export function withFigures(): Figures {
  // Created at first use: when all tests are skipped, `afterAll` does not run.
  let cache: string | undefined;
  const rows: string[][] = [];
  const warned = new Set<string>();
  afterAll(() => {
    if (cache !== undefined) rmSync(cache, { recursive: true, force: true });
    process.stdout.write(`\n${[formatTable([TITLES, ...rows]), ...warned].join('\n')}\n\n`);
  });
  return {
    get cache() {
      return (cache ??= mkdtempSync(join(tmpdir(), 'tramita-fresh-cache-')));
    },
    note: (name, { seconds, megabytes, packages, warnings }, resultMs) => {
      const figures = [seconds.toFixed(1), megabytes.toFixed(1), `${packages}`, `${warnings.length}`];
      rows.push([name, ...figures, (resultMs / 1000).toFixed(1)]);
      for (const warning of warnings) warned.add(warning);
    },
  };
}
