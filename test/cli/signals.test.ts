/**
 * A program that still waits for its servers exits on a signal by itself, because the first process of a container has no default
 * handler. While it shuts down, a repeated signal does not cut the shutdown short.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, packageRoot } from '../../src/local/index.js';
import { withDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const CLI = join(packageRoot(), 'dist', 'src', 'cli');
const MAIN = join(CLI, 'main.js');
const database = withDatabase();

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends a worker that waits for Temporal', async (signal, code) => {
  const filesDir = mkdtempSync(join(tmpdir(), 'tramita-signals-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    TRAMITA_FILES_DIR: filesDir,
    TRAMITA_DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
    TRAMITA_API_KEY: 'key-of-the-signals',
    TRAMITA_API_URL: 'http://127.0.0.1:9',
    TRAMITA_ID_KEY: 'x'.repeat(40),
  };
  const child = spawn(process.execPath, [MAIN, 'worker'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const ended = new Promise((resolve) => child.once('close', (...status) => resolve(status)));
    await until(() => log.includes('Temporal'), { what: 'the worker to wait for Temporal' });
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
  } finally {
    child.kill('SIGKILL');
    rmSync(filesDir, { recursive: true, force: true });
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
  ['does not stop the shutdown within a second, because npm repeats the signal of a terminal', 20, 2_000, [0, null]],
  ['stops the shutdown after a second', 1_100, 10_000, [143, null]],
] as const)('a second SIGTERM %s', async (_title, laterMs, shutdownMs, status) => {
  const program = ['-e', SLOW_SHUTDOWN, String(laterMs), String(shutdownMs)];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const ended = new Promise((resolve) => child.once('close', (...result) => resolve(result)));
    await until(() => out.includes('ready'), { what: 'the program to run' });
    child.kill('SIGTERM');
    expect(await ended).toEqual(status);
    expect(out).toContain('ending on SIGTERM');
  } finally {
    child.kill('SIGKILL');
  }
});
