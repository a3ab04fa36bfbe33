/**
 * The portfolio soak at small scale: a stored list, a cap, a worker process that is killed in the middle and started again.
 * `npm run soak -- --calls 0 --portfolio 10000` is the full run.
 */
import { runSoak } from './run-soak.js';

const SMALL = '--calls 0 --portfolio 100 --refreshed 10 --concurrency 3 --portfolio-kills 1 --quiet-kills';

it('a portfolio refreshes what its cap pays for, once each despite a kill, and accounts for the rest', async () => {
  const { code, lines, figures } = await runSoak('mixed', SMALL.split(' '));
  const { portfolio } = figures;
  expect(lines.filter((line) => line.startsWith('PROBLEM'))).toEqual([]);
  expect(portfolio).toMatchObject({
    cases: 100,
    refreshed: 10,
    cappedOut: 90,
    failed: 0,
    skipped: 0,
    kills: 1,
    doubleCharges: 0,
    booksDiffer: 0,
    chargedAgain: 0,
    resumed: 5,
  });
  expect((portfolio as { memory: { heapMb: { start: number } } }).memory.heapMb.start).toBeGreaterThan(10);
  expect(code).toBe(0);
}, 600_000);
