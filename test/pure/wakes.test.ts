/** Signals in flight, and the meaning of a failed signal. */
import { judgeSignalError } from '../../src/wakes/judge-signal-error.js';
import { limitInFlight } from '../../src/wakes/limit-in-flight.js';
import { createWaker } from '../../src/wakes/index.js';

const WAKES = Array.from({ length: 50 }, (_, n) => ({ eventKey: `e${n}`, workflowId: `flow-${n}`, owedSinceMs: 0 }));

test.each([
  [{ name: 'WorkflowNotFoundError', message: 'workflow not found for ID: namespace-flow' }, 'gone'],
  [{ code: 5, details: 'workflow execution already completed' }, 'gone'],
  [{ name: 'ServiceError', cause: { code: 5 } }, 'gone'],
  [{ code: 5, details: 'Namespace x is not found.' }, 'failed'],
  [{ name: 'NamespaceNotFoundError' }, 'failed'],
  [{ name: 'ServiceError', cause: { code: 3 } }, 'refused'],
  [{ code: 14 }, 'failed'],
  [undefined, 'failed'],
  ['text', 'failed'],
])('judgeSignalError judges %j as %s', (error, end) => {
  expect(judgeSignalError(error)).toBe(end);
});

test('limitInFlight runs no more tasks at once than its limit, and a failed task frees its place', async () => {
  const limit = limitInFlight(3);
  let running = 0;
  let most = 0;
  const run = (n: number) => async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (n % 2 === 0) throw new Error('no');
  };
  await Promise.allSettled(Array.from({ length: 20 }, (_, n) => limit(run(n))));
  expect([most, running]).toEqual([3, 0]);
});

test('a waker has at most 16 signals in flight, and leaves to the relay those that cannot begin in time', async () => {
  const ends: (() => void)[] = [];
  let nowMs = 0;
  const counted: Record<string, number> = {};
  const marked: (readonly string[])[] = [];
  const waker = createWaker({
    inbox: {
      markWoken: (wakes) => Promise.resolve(void marked.push(wakes.map(({ workflowId }) => workflowId))),
      dropWaiters: () => Promise.resolve(),
    },
    signalWake: () => new Promise((resolve) => ends.push(resolve)),
    log: { warn: () => undefined, error: () => undefined },
    count: (name, by) => (counted[name] = (counted[name] ?? 0) + by),
    clock: () => nowMs,
  });
  const waking = Promise.all([
    waker.wakeNow(WAKES.slice(0, 25), { reason: 'settled' }, 2_000),
    waker.wakeNow(WAKES.slice(25), { reason: 'settled' }, 2_000),
  ]);
  expect(ends).toHaveLength(16);
  nowMs = 2_001;
  for (const end of ends) end();
  await waker.idle();
  await waking;
  expect(ends).toHaveLength(16);
  expect(counted).toEqual({ woken: 16, failed: 34 });
  // All in one statement.
  expect(marked).toEqual([WAKES.slice(0, 16).map(({ workflowId }) => workflowId)]);
});
