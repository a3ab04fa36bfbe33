/** After a suspension of the machine, what arrived meanwhile is read before a limit may end the exchange. */
import { spawn } from 'node:child_process';
import { startDeadlines } from '../../src/http/deadlines.js';

const LONG_MS = 60_000;

function suspend(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test.each([
  ['the first byte', { firstByteMs: 100, totalMs: LONG_MS, idleMs: LONG_MS }, 1],
  ['the next byte', { firstByteMs: LONG_MS, totalMs: LONG_MS, idleMs: 100 }, 2],
  ['the whole answer', { firstByteMs: LONG_MS, totalMs: 100, idleMs: LONG_MS }, 1],
])('no limit expires when %s waits in the socket after a suspension', async (_title, limits, pieces) => {
  const child = spawn(process.execPath, ['-e', "process.stdin.on('data', (data) => process.stdout.write(data))"]);
  const nextOutput = (): Promise<unknown> => new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdin.write('ready');
  await nextOutput();
  const expired: string[] = [];
  const deadlines = startDeadlines(limits, (reason) => expired.push(reason));
  let left = pieces;
  child.stdout.on('data', () => {
    deadlines.activity();
    left -= 1;
    if (left === 0) deadlines.clear();
  });
  for (let piece = 0; piece < pieces; piece += 1) {
    const next = nextOutput();
    child.stdin.write('x');
    if (piece === 0 && pieces > 1) await next;
    else {
      await new Promise(setImmediate);
      suspend(1_000);
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
])('the %s limit ends an exchange when nothing arrives', async (_title, limits, reason) => {
  const expired = await new Promise<string>((resolve) => startDeadlines(limits, resolve));
  expect(expired).toMatch(reason);
});
