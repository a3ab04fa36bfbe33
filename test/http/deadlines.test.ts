/** A process that stood still (a suspended machine): what has arrived meanwhile is read before a limit may end the exchange. */
import { spawn } from 'node:child_process';
import { startDeadlines } from '../../src/http/deadlines.js';

const LONG_MS = 60_000;

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test.each([
  ['the first byte', { firstByteMs: 100, totalMs: LONG_MS, idleMs: LONG_MS }, 1],
  ['the next byte', { firstByteMs: LONG_MS, totalMs: LONG_MS, idleMs: 100 }, 2],
  ['the whole answer', { firstByteMs: LONG_MS, totalMs: 100, idleMs: LONG_MS }, 1],
])('%s that waits in the socket is seen', async (_title, limits, pieces) => {
  const child = spawn(process.execPath, ['-e', "process.stdin.on('data', (data) => process.stdout.write(data))"]);
  const come = (): Promise<unknown> => new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdin.write('ready');
  await come();
  const expired: string[] = [];
  const deadlines = startDeadlines(limits, (reason) => expired.push(reason));
  let left = pieces;
  child.stdout.on('data', () => {
    deadlines.activity();
    left -= 1;
    if (left === 0) deadlines.clear();
  });
  for (let piece = 0; piece < pieces; piece += 1) {
    const next = come();
    child.stdin.write('x');
    if (piece === 0 && pieces > 1) await next;
    else {
      await new Promise(setImmediate);
      standStill(1_000);
      await next;
    }
  }
  await new Promise(setImmediate);
  expect(expired).toEqual([]);
  child.kill();
});

test.each([
  ['first byte', { firstByteMs: 50, totalMs: LONG_MS, idleMs: LONG_MS }, /^no byte/],
  ['total', { firstByteMs: LONG_MS, totalMs: 50, idleMs: LONG_MS }, /total time/],
])('the limit of the %s ends an exchange where nothing comes', async (_title, limits, reason) => {
  const told = await new Promise<string>((resolve) => startDeadlines(limits, resolve));
  expect(told).toMatch(reason);
});
