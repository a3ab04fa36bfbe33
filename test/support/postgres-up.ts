/**
 * One PostgreSQL for a whole test run; every file makes its own database in it (see `database.ts`). Runs in plain Node,
 * once, before any test file. A server named by TRAMITA_TEST_DATABASE_URL is used instead of starting one.
 */
import './js-means-ts.cjs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '../../src/local/index.js';
import { poolerUp, type Pooler } from './pgbouncer.js';

/** Kept for `postgres-down.ts`, which jest loads in the same process. */
export interface TestPostgres {
  readonly folder: string;
  readonly server: PostgresServer;
  readonly pooler: Pooler | undefined;
}
declare global {
  var tramitaTestPostgres: TestPostgres | undefined;
}

export default async function postgresUp(): Promise<void> {
  if ((process.env['TRAMITA_TEST_DATABASE_URL'] ?? '') !== '') return;
  const folder = await mkdtemp(join(tmpdir(), 'tramita-test-postgres-'));
  // As root, PostgreSQL runs under another account, which has to enter this folder.
  await chmod(folder, 0o711);
  const server = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    env: process.env,
    onProgress: () => undefined,
  });
  process.env['TRAMITA_TEST_DATABASE_URL'] = server.url;
  process.env['TRAMITA_TEST_DATABASE_LOG'] = join(folder, 'postgres.log');
  try {
    globalThis.tramitaTestPostgres = { folder, server, pooler: await poolerUp() };
  } catch (error) {
    // Jest runs no tear-down after a failed set-up.
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
