/**
 * A program that still waits for its servers exits on a signal by itself, because the first process of a container has no default
 * handler. While it shuts down, a repeated signal does not cut the shutdown short.
 */
import { join } from 'node:path';
import { freePort, packageRoot } from '../../src/local/index.js';
import { withDatabase } from '../support/database.js';
import { launch, launchTramita } from '../support/launch.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const CLI = join(packageRoot(), 'dist', 'src', 'cli');
const database = withDatabase();

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends a worker that waits for Temporal', async (signal, code) => {
  const filesDir = temporaryFolder('signals');
  const env = {
    TRAMITA_FILES_DIR: filesDir,
    TRAMITA_DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
    TRAMITA_API_KEY: 'key-of-the-signals',
    TRAMITA_API_URL: 'http://127.0.0.1:9',
    TRAMITA_ID_KEY: 'x'.repeat(40),
  };
  const { child, err, ended } = launchTramita(['worker'], env);
  try {
    await until(() => err().includes('Temporal'), { what: 'the worker to wait for Temporal' });
    child.kill(signal);
    expect(await ended).toBe(code);
  } finally {
    child.kill('SIGKILL');
  }
});

/**
 * A program that takes seconds to shut down, like a worker with calls in flight. It sends itself the second signal, because a
 * test process that pauses would send it too late.
 */
const SLOW_SHUTDOWN = `
  const [laterMs, shutdownMs] = process.argv.slice(1).map(Number);
  const signals = require(${JSON.stringify(join(CLI, 'listen-for-signals.js'))}).listenForSignals();
  const alive = setInterval(() => undefined, 1000);
  signals.started().then((signal) => {
    console.log('ending on ' + signal);
    setTimeout(() => process.kill(process.pid, signal), laterMs);
    setTimeout(() => { signals.forget(); clearInterval(alive); }, shutdownMs);
  });
  console.log('ready');
`;

it.each([
  ['does not stop the shutdown within a second, because npm repeats the signal of a terminal', 20, 2_000, 0],
  ['stops the shutdown after a second', 1_100, 10_000, 143],
] as const)('a second SIGTERM %s', async (_title, laterMs, shutdownMs, status) => {
  const program = ['-e', SLOW_SHUTDOWN, String(laterMs), String(shutdownMs)];
  const { child, out, ended } = launch([process.execPath, ...program]);
  try {
    await until(() => out().includes('ready'), { what: 'the program to run' });
    child.kill('SIGTERM');
    expect(await ended).toBe(status);
    expect(out()).toContain('ending on SIGTERM');
  } finally {
    child.kill('SIGKILL');
  }
});
