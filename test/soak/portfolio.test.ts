/**
 * A portfolio in small, as it is run by hand: a stored list, a cap, a worker process killed on its way and started again.
 * `npm run soak -- --calls 0 --portfolio 10000` is the long form.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';

const SMALL = '--calls 0 --portfolio 100 --refreshed 10 --concurrency 3 --portfolio-kills 1 --quiet-kills';

it('refreshes what its cap pays for, once each, through a kill, and accounts for the rest', async () => {
  const { code, lines } = await run([...SMALL.split(' '), '--seed', String(Math.floor(Math.random() * 1_000_000))]);
  const { portfolio } = JSON.parse(lines.at(-1) ?? '{}') as { readonly portfolio?: unknown };
  expect(lines.filter((line) => line.startsWith('PROBLEM'))).toEqual([]);
  expect(portfolio).toMatchObject({
    ...{ cases: 100, refreshed: 10, cappedOut: 90, failed: 0, skipped: 0, kills: 1 },
    ...{ doubleCharges: 0, booksDiffer: 0, chargedAgain: 0, resumed: 5 },
  });
  expect((portfolio as { memory: { heapMb: { start: number } } }).memory.heapMb.start).toBeGreaterThan(10);
  expect(code).toBe(0);
}, 240_000);

function run(args: readonly string[]): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'soak', 'main.js'), 'mixed', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, lines: out.trim().split('\n') }));
  });
}
