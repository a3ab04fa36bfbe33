/** The soak at small scale: real servers and real worker processes, one of them killed. `npm run soak` is the full run. */
import { runSoak } from './run-soak.js';

const SMALL = '--calls 40 --kills 1 --pauses 0 --concurrency 16';

it('a soak run pays nothing twice, loses nothing silently, and ends every flow', async () => {
  const { code, figures } = await runSoak('mixed', SMALL.split(' '));
  expect(figures).toMatchObject({ doubleCharges: 0, notSentButReached: 0, lostSilently: 0, undecided: 0 });
  expect({ code, figures }).toMatchObject({ code: 0 });
  expect(Number(figures['faultsFired'])).toBeGreaterThan(0);
}, 600_000);
