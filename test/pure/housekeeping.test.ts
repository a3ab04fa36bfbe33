/** The order of a worker's housekeeping duties, where it matters. */
import { startHousekeeping } from '../../src/workers/housekeeping.js';
import { until } from '../support/until.js';

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

test('a round of retention that has left work goes on within its turn, until nothing is left or the worker stops', async () => {
  const silent = (): void => undefined;
  const nothing = () => Promise.resolve();
  const deps = {
    log: { info: silent, warn: silent, error: silent },
    clock: { nowMs: () => 1_000_000 },
    spool: { list: () => Promise.resolve([]) },
    lawyers: { dropAbandoned: nothing },
    ledger: { sweep: () => Promise.resolve([]) },
    accounts: new Map(),
    files: { sweepParts: nothing, bringOwed: () => Promise.resolve(0) },
  };
  const rounds = { files: 0, records: 0, answers: 0 };
  const turns: string[] = [];
  const keeping = {
    files: () => Promise.resolve({ more: (rounds.files += 1) < 3 }),
    records: () => Promise.resolve((rounds.records += 1)),
    answers: () => Promise.resolve({ more: (rounds.answers += 1) > 0 }),
  };
  const duties = {
    takeTurn: (round: string) => Promise.resolve(turns.push(round) > 0 && round in keeping),
    startRelay: () => ({ stop: nothing }),
    keeping,
    keepLedger: nothing,
    setClock: nothing,
    rotateJournal: nothing,
    honourErasures: nothing,
  };
  const housekeeping = startHousekeeping(deps as unknown as Given[0], duties as unknown as Given[1]);
  await until(() => rounds.answers > 3);
  const { answers } = rounds;
  await housekeeping.stop();
  expect(rounds).toEqual({ files: 3, records: 1, answers });
  expect(turns.filter((round) => round === 'files')).toHaveLength(1);
});
