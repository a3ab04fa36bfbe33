/** Which version a run was made with, for its last line: of the checked-out tree, marked with `+` where it has changes. */
import { execFileSync } from 'node:child_process';
import { packageRoot } from '../src/local/index.js';

export function commitOf(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', packageRoot(), ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}
