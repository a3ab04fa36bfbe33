/** A signal while a program still waits for its servers ends it by its own hand: the first process of a container has no default. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, packageRoot } from '../../src/local/index.js';
import { withDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const MAIN = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
const database = withDatabase();

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s while the worker waits for Temporal', async (signal, code) => {
  const filesDir = mkdtempSync(join(tmpdir(), 'tramita-signals-'));
  const env = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], TRAMITA_FILES_DIR: filesDir },
    ...{ TRAMITA_DATABASE_URL: database.url, TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` },
    ...{ TRAMITA_API_KEY: 'key-of-the-signals', TRAMITA_API_URL: 'http://127.0.0.1:9', TRAMITA_ID_KEY: 'x'.repeat(40) },
  };
  const child = spawn(process.execPath, [MAIN, 'worker'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const ended = new Promise((resolve) => child.once('close', (...how) => resolve(how)));
    await until(() => log.includes('Temporal'), { what: 'the worker to wait for Temporal' });
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
  } finally {
    child.kill('SIGKILL');
    rmSync(filesDir, { recursive: true, force: true });
  }
});
