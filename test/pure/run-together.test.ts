/** Workers of one process, and the calls on their way in it. */
import type { ChargedActivities, ChargedCallInput, ChargedCallResult } from '../../src/protocol/index.js';
import { trackInFlight } from '../../src/workers/in-flight.js';
import { runTogether, type RunningWorker } from '../../src/workers/run-together.js';

function worker(): RunningWorker & { readonly end: (error?: Error) => void; readonly asked: () => number } {
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  const running = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  let asked = 0;
  return {
    run: () => running,
    getState: () => (asked === 0 ? 'RUNNING' : 'DRAINING'),
    shutdown: () => void (asked += 1),
    asked: () => asked,
    end: (error) => (error === undefined ? settle?.resolve() : settle?.reject(error)),
  };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one that fails ends the others, once each, and its error is told when the last has ended', async () => {
  const [first, second, third] = [worker(), worker(), worker()];
  const told: unknown[] = [];
  let ended: unknown;
  const running = runTogether([first, second, third], (error) => told.push(error)).catch((error: unknown) => {
    ended = error;
  });
  const failure = new Error('for good');
  second.end(failure);
  await turn();
  expect(told).toEqual([failure]);
  expect([first.asked(), third.asked(), ended]).toEqual([1, 1, undefined]);
  first.end();
  await turn();
  expect([third.asked(), ended]).toEqual([1, undefined]);
  third.end(new Error('later'));
  await running;
  expect(ended).toBe(failure);
});

test('calls on their way are waited for until none is left, whatever becomes of them', async () => {
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
  await turn();
  expect(done).toBe(false);
  ends[1]?.();
  await waiting;
  expect(await Promise.all(results)).toHaveLength(2);
  expect(count()).toBe(0);
});
