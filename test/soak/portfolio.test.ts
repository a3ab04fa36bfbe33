/**
 * A portfolio in small, as it is run by hand: a stored list, a cap, a worker process killed on its way and started again.
 * `npm run soak -- --calls 0 --portfolio 10000` is the long form.
 */
import { runSoak } from './run-soak.js';

const SMALL = '--calls 0 --portfolio 100 --refreshed 10 --concurrency 3 --portfolio-kills 1 --quiet-kills';

it('refreshes what its cap pays for, once each, through a kill, and accounts for the rest', async () => {
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
