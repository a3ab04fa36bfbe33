/** The soak in small: real worker processes, faults of every kind, one of them killed. The long form is `npm run soak`. */
import { isBroken } from '../../soak/report.js';
import { runSoak } from '../../soak/run-soak.js';
import { openWorld, type World } from '../../soak/world.js';
import { createShutdown } from './support.js';

describe('a small soak', () => {
  const { shutdown, stop } = createShutdown();
  let world: World;
  beforeAll(async () => {
    world = await openWorld(shutdown);
  }, 60_000);
  afterAll(stop, 60_000);

  it('pays nothing twice, loses nothing silently, and ends every flow', async () => {
    const seed = Number(process.env['TRAMITA_SOAK_SEED'] ?? Math.floor(Math.random() * 1_000_000));
    const options = { calls: 60, kills: 1, pauses: 0, seed, concurrency: 16 };
    const { figures, problems } = await runSoak(world, options, () => undefined);
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    expect(isBroken(figures)).toBe(false);
    expect(figures).toMatchObject({ calls: 60, kills: 1, doubleCharges: 0, undecided: 0 });
    expect(figures.faultsFired).toBeGreaterThan(30);
  }, 200_000);
});
