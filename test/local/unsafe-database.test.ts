/** A PostgreSQL that may lose commits: a worker does not start on it, unless TRAMITA_UNSAFE_DATABASE=1 allows it. */
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { checkDatabase } from '../../src/cli/doctor/check-database.js';
import { loadTemporalConnection, resolveConfig } from '../../src/config/index.js';
import { startPostgres, type PostgresServer } from '../../src/local/index.js';
import { connect, migrate, readFingerprints, unsafeSettings } from '../../src/store/index.js';
import { openWorkerParts } from '../../src/workers/worker-parts.js';
import { listen } from '../../soak/loopback.js';
import { until } from '../support/until.js';
import { temporaryFolder } from '../support/temporary-folder.js';

jest.setTimeout(120_000);

describe('a PostgreSQL that may lose commits', () => {
  let server: PostgresServer;
  let temporalAddress: string;
  /** A stand-in for Temporal that implements no method: checks after that of the database are not tested here. */
  const temporalServer = createServer().on('stream', (stream) => {
    const unimplemented = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 12 };
    stream.respond(unimplemented, { endStream: true });
  });
  beforeAll(async () => {
    temporalAddress = await listen(temporalServer);
    const folder = temporaryFolder('unsafe');
    chmodSync(folder, 0o755);
    server = await startPostgres({
      dataDir: join(folder, 'postgres'),
      logFile: join(folder, 'logs', 'postgres.log'),
      env: { PATH: process.env['PATH'] },
      onProgress: () => undefined,
    });
    await migrate(server.url);
  });
  afterAll(async () => {
    temporalServer.close();
    await server.stop();
  });

  async function set(settings: Readonly<Record<string, 'on' | 'off'>>): Promise<void> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    for (const [name, value] of Object.entries(settings)) await client.query(`alter system set ${name} = ${value}`);
    await client.query('select pg_reload_conf()');
    await client.end();
    const off = Object.keys(settings).filter((name) => settings[name] === 'off');
    const db = connect({ url: server.url, applicationName: 'test' });
    // Compares names, because equally many may have been off before.
    await until(async () => [...(await unsafeSettings(db))].sort().join() === off.sort().join());
    await db.destroy();
  }

  function config(env: Readonly<Record<string, string>> = {}) {
    return resolveConfig({
      env: {
        TRAMITA_API_URL: 'https://api.example.com',
        TRAMITA_API_KEY: 'key',
        TRAMITA_DATABASE_URL: server.url,
        TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
        ...env,
      },
    });
  }

  function openParts(env?: Readonly<Record<string, string>>): ReturnType<typeof openWorkerParts> {
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const temporal = loadTemporalConnection({
      TEMPORAL_ADDRESS: temporalAddress,
    });
    return openWorkerParts({ config: config(env), temporal, log: silent });
  }

  it.each([['fsync'], ['full_page_writes']])(
    'keeps a worker from starting while %s is off, and doctor says so',
    async (name) => {
      await set({ fsync: 'on', full_page_writes: 'on', [name]: 'off' });
      const parts = openParts();
      await expect(parts.check()).rejects.toThrow(
        new RegExp(`^tramita: PostgreSQL runs with ${name} = off: .*set it to on`),
      );
      await parts.close();
      const state = async (env?: Readonly<Record<string, string>>) =>
        (await checkDatabase(config(env), {})).find(({ text }) => text.includes(`${name} = off`))?.state;
      expect(await state()).toBe('failed');
      expect(await state({ TRAMITA_UNSAFE_DATABASE: '1' })).toBe('warning');
    },
  );

  it.each<[string, Readonly<Record<string, 'on' | 'off'>>, Readonly<Record<string, string>>]>([
    ['TRAMITA_UNSAFE_DATABASE=1', { fsync: 'off', full_page_writes: 'off' }, { TRAMITA_UNSAFE_DATABASE: '1' }],
    ['both settings on', { fsync: 'on', full_page_writes: 'on' }, {}],
  ])('lets a worker start with %s', async (_what, settings, env) => {
    await set(settings);
    const db = connect({ url: server.url, applicationName: 'test' });
    await sql`delete from tramita.fingerprint`.execute(db);
    const parts = openParts(env);
    void parts.check().catch(() => undefined);
    // A worker that does not refuse writes its fingerprints.
    await until(async () => (await readFingerprints(db)).length > 0);
    await Promise.all([parts.close(), db.destroy()]);
  });
});
