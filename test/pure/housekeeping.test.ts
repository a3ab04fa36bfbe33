/** The order of a worker's housekeeping duties, where it matters. */
import { startHousekeeping } from '../../src/workers/housekeeping.js';

type Given = Parameters<typeof startHousekeeping>;

test('housekeeping settles answers of the spool only after it has honoured erasures on this disk', async () => {
  const steps: string[] = [];
  let finishErasing = (): void => undefined;
  const erasing = new Promise<void>((resolve) => (finishErasing = resolve));
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
  finishErasing();
  await housekeeping.stop();
  expect(steps.filter((step) => step === 'settled')).toHaveLength(1);
  expect(steps[0]).toBe('erased');
});
