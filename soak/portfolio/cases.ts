/** Case numbers of the portfolio, and their way into the stored list: the command that a person would use. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/local/index.js';
import { caseNumberOf } from '../identifiers.js';
import type { World } from '../world.js';

/** Apart from the numbers of the soak's planned calls. */
const FIRST = 3_000_000;

export function caseAt(place: number): string {
  return caseNumberOf(FIRST + place);
}

/** `tramita lists load`; returns how many cases it says it has stored. */
export async function loadList(world: World, name: string, cases: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tramita-portfolio-'));
  try {
    const file = join(folder, 'cases.csv');
    await writeFile(file, `${cases.join('\n')}\n`);
    const main = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
    const { PATH = '', HOME = '' } = process.env;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [main, 'lists', 'load', file, '--name', name, '--json'],
      { env: { PATH, HOME, ...world.env } },
    );
    return (JSON.parse(stdout) as { readonly cases: number }).cases;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
