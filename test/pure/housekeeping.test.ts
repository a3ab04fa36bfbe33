/** The order of what a worker does beside activities, where it matters. */
import { startHousekeeping } from '../../src/workers/housekeeping.js';

type Given = Parameters<typeof startHousekeeping>;

test('answers of the spool are settled only when this disk is rid of what was erased elsewhere', async () => {
  const steps: string[] = [];
  let erased = (): void => undefined;
  const erasing = new Promise<void>((resolve) => (erased = resolve));
  const silent = (): void => undefined;
  const deps = {
    log: { info: silent, warn: silent, error: silent },
    clock: { nowMs: () => 1_000_000 },
    spool: {
      list: () => Promise.resolve(['an answer']),
      writtenAtMs: () => Promise.resolve(0),
    },
    ledger: {
      find: () => {
        steps.push('settled');
        return Promise.reject(new Error('enough'));
      },
    },
  };
  const duties = {
    takeTurn: () => Promise.resolve(false),
    startRelay: () => ({ stop: () => Promise.resolve() }),
    keepLedger: () => Promise.resolve(),
    setClock: () => Promise.resolve(),
    rotateJournal: () => Promise.resolve(),
    honourErasures: () => erasing.then(() => steps.push('erased')),
  };
  const housekeeping = startHousekeeping(deps as unknown as Given[0], duties as unknown as Given[1]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual([]);
  erased();
  await housekeeping.stop();
  expect(steps.filter((step) => step === 'settled')).toHaveLength(1);
  expect(steps[0]).toBe('erased');
});
