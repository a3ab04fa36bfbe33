/** The soak in small, as it is run by hand: real servers, real worker processes, one of them killed. `npm run soak` is the long form. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';

const SMALL = '--calls 40 --kills 1 --pauses 0 --concurrency 16';

it('pays nothing twice, loses nothing silently, and ends every flow', async () => {
  const { code, lastLine } = await run([...SMALL.split(' '), '--seed', String(Math.floor(Math.random() * 1_000_000))]);
  const figures = JSON.parse(lastLine) as Record<string, unknown>;
  expect(figures).toMatchObject({ doubleCharges: 0, notSentButReached: 0, lostSilently: 0, undecided: 0 });
  expect({ code, figures }).toMatchObject({ code: 0 });
  expect(Number(figures['faultsFired'])).toBeGreaterThan(0);
}, 240_000);

function run(args: readonly string[]): Promise<{ readonly code: number | null; readonly lastLine: string }> {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'soak', 'main.js'), 'mixed', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, lastLine: out.trim().split('\n').at(-1) ?? '' }));
  });
}
