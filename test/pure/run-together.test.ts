/** The workers of one process, and its calls in flight. */
import type { ChargedActivities, ChargedCallInput, ChargedCallResult } from '../../src/protocol/index.js';
import { trackInFlight } from '../../src/workers/in-flight.js';
import { runTogether, shutdownOnce, type RunningWorker } from '../../src/workers/run-together.js';
import { until } from '../support/until.js';

function worker(): RunningWorker & { readonly end: (error?: Error) => void; readonly shutdowns: () => number } {
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  const running = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  let shutdowns = 0;
  return {
    run: () => running,
    getState: () => (shutdowns === 0 ? 'RUNNING' : 'DRAINING'),
    shutdown: () => void (shutdowns += 1),
    shutdowns: () => shutdowns,
    end: (error) => (error === undefined ? settle?.resolve() : settle?.reject(error)),
  };
}
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('runTogether shuts the other workers down once when one fails, and rejects with its error after the last has ended', async () => {
  const [first, second, third] = [worker(), worker(), worker()];
  const reported: unknown[] = [];
  let ended: unknown;
  const running = runTogether([first, second, third], (error) => reported.push(error)).catch((error: unknown) => {
    ended = error;
  });
  const failure = new Error('for good');
  second.end(failure);
  await nextTurn();
  expect(reported).toEqual([failure]);
  expect([first.shutdowns(), third.shutdowns(), ended]).toEqual([1, 1, undefined]);
  first.end();
  await nextTurn();
  expect([third.shutdowns(), ended]).toEqual([1, undefined]);
  third.end(new Error('later'));
  await running;
  expect(ended).toBe(failure);
});

test('shutdownOnce shuts a worker down as soon as it begins, once, however often it is asked', async () => {
  let state: ReturnType<RunningWorker['getState']> = 'INITIALIZED';
  let shutdowns = 0;
  const preparing: Pick<RunningWorker, 'getState' | 'shutdown'> = {
    getState: () => state,
    shutdown: () => {
      if (state !== 'RUNNING') throw new Error(`Not running. Current state: ${state}`);
      shutdowns += 1;
      state = 'DRAINING';
    },
  };
  shutdownOnce(preparing);
  shutdownOnce(preparing);
  expect(shutdowns).toBe(0);
  state = 'RUNNING';
  await until(() => shutdowns > 0, { what: 'the shutdown' });
  shutdownOnce(preparing);
  expect(shutdowns).toBe(1);
});

test('trackInFlight settles when no call is in flight, whether the calls succeed or fail', async () => {
  const ends: (() => void)[] = [];
  const call = (): Promise<ChargedCallResult> =>
    new Promise((resolve, reject) => {
      ends.push(() =>
        ends.length > 1 ? resolve({ outcome: 'REFUSED', problem: '' }) : reject(new Error('the activity broke')),
      );
    });
  const { charged, count, settled } = trackInFlight({ requestRefresh: call } as unknown as ChargedActivities);
  const input = {} as ChargedCallInput;
  const results = [charged.requestRefresh(input), charged.requestRefresh(input)].map((each) =>
    each.catch(() => 'broke'),
  );
  expect(count()).toBe(2);
  let done = false;
  const waiting = settled().then(() => (done = true));
  ends[0]?.();
  await nextTurn();
  expect(done).toBe(false);
  ends[1]?.();
  await waiting;
  expect(await Promise.all(results)).toHaveLength(2);
  expect(count()).toBe(0);
});
