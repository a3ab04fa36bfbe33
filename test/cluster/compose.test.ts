/**
 * Every command and health check of `docker-compose.yml` without Docker, in its order, against real servers: databases and
 * schema, namespace, migrate, two workers, bridge, codec server, sandbox, a dump and a restore. What only third-party images
 * have is not run: the start scripts of PostgreSQL and Temporal (we start both our own way), the UI, Prometheus, Grafana.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NODE_PORTS, startNode, watchFrontend, type NodePorts } from '../../soak/cluster/node.js';
import {
  cachedClusterServer,
  findTemporalServer,
  freePort,
  packageRoot,
  startPostgres,
  type PostgresServer,
} from '../../src/local/index.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { until } from '../support/until.js';
import { collect, composeServices, type Native, type Ran, type Running } from './compose-services.js';

const tools = cachedClusterServer(process.env);
/** A PostgreSQL with its own tools, because the versions of server and pg_dump have to agree. */
const postgresFolder = ['18', '17', '16', '15']
  .map((version) => `/usr/lib/postgresql/${version}`)
  .find((folder) => isThere(join(folder, 'bin', 'pg_dump')) && isThere(join(folder, 'bin', 'initdb')));
const problem =
  tools === undefined
    ? 'its Temporal server is not built; `npm run cluster` builds it'
    : postgresFolder === undefined
      ? 'there is no PostgreSQL with its tools under /usr/lib/postgresql (Debian: postgresql)'
      : undefined;
if (problem !== undefined) process.stderr.write(`compose: skipped, ${problem}\n`);

(problem === undefined ? describe : describe.skip)('the services of docker-compose.yml', () => {
  const closers: (() => unknown)[] = [];
  const programs = new Map<string, Running>();
  const ports: Record<string, number> = {};
  const all: (readonly [string, string])[] = [];
  let native: Native;
  let postgres: PostgresServer;
  let folder: string;
  let temporalFolder: string;

  const secret = (name: string, text: string): string => {
    writeFileSync(join(folder, 'secrets', name), `${text}\n`, { mode: 0o600 });
    return text;
  };
  const hex = (): string => randomBytes(16).toString('hex');
  const tramita = (...args: string[]): Promise<Ran> => native.run('worker', args);
  const succeed = async (run: Promise<Ran>): Promise<string> => {
    const { exitCode, out, err } = await run;
    expect({ exitCode, err: exitCode === 0 ? '' : err + out }).toEqual({ exitCode: 0, err: '' });
    return out;
  };
  const stop = async (...names: string[]): Promise<void> => {
    for (const name of names)
      expect({ name, exitCode: await programs.get(name)?.stop() }).toEqual({ name, exitCode: 0 });
  };
  const start = async (...names: string[]): Promise<void> => {
    for (const name of names) programs.set(name, await native.start(name));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tramita-compose-'));
    chmodSync(folder, 0o711);
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ['secrets', 'files', 'files-2', 'court-files', 'sandbox', 'backups'])
      mkdirSync(join(folder, name));
    const onProgress = (): void => undefined;
    postgres = await startPostgres({
      dataDir: join(folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      onProgress,
      env: { ...process.env, TRAMITA_POSTGRES_FOLDER: postgresFolder },
      settings: { max_connections: '300' },
    });
    closers.push(() => postgres.stop());
    temporalFolder = dirname((await findTemporalServer({ env: process.env, onProgress })).executable);
    const names = ['worker', 'worker-2', 'bridge', 'bridge-ops', 'codec', 'sandbox', 'documents'];
    for (const name of names) ports[name] = await freePort();
    writeSecrets();
    all.push(
      ['/run/secrets/', join(folder, 'secrets', '/')],
      ['/etc/tramita/tramita.json', join(folder, 'tramita.json')],
      ['/var/lib/tramita-files', join(folder, 'court-files')],
      ['/var/lib/postgresql/data', join(folder, 'backups')],
      ['/usr/local/bin/', join(packageRoot(), 'deploy', 'compose', '/')],
      ['temporal-sql-tool', tools?.sqlTool ?? ''],
      ['--ep postgresql -p 5432', `--ep 127.0.0.1 -p ${postgres.port}`],
    );
    native = composeServices({
      env: envOf,
      all,
      of: {
        worker: [
          ['0.0.0.0:8787', `127.0.0.1:${ports['worker']}`],
          ['127.0.0.1:8787', `127.0.0.1:${ports['worker']}`],
        ],
        'worker-2': [
          ['0.0.0.0:8787', `127.0.0.1:${ports['worker-2']}`],
          ['127.0.0.1:8787', `127.0.0.1:${ports['worker-2']}`],
        ],
        bridge: [
          ['0.0.0.0:8788', `127.0.0.1:${ports['bridge']}`],
          ['0.0.0.0:8789', `127.0.0.1:${ports['bridge-ops']}`],
          ['127.0.0.1:8789', `127.0.0.1:${ports['bridge-ops']}`],
        ],
        'codec-server': [
          ['0.0.0.0:8791', `127.0.0.1:${ports['codec']}`],
          ['127.0.0.1:8791', `127.0.0.1:${ports['codec']}`],
        ],
        sandbox: [
          ['8790', String(ports['sandbox'])],
          ['8791', String(ports['documents'])],
          ['/var/lib/tramita', join(folder, 'sandbox')],
        ],
      },
    });
  });
  afterAll(async () => {
    for (const program of programs.values()) await program.stop();
    for (const close of closers.reverse()) await close();
  });

  /** As docs/deploy.md makes them; the host of the database is this machine. */
  function writeSecrets(): void {
    const url = (user: string, password: string) =>
      `postgresql://${user}:${password}@127.0.0.1:${postgres.port}/tramita`;
    secret('postgres_password', hex());
    secret('temporal_database_password', hex());
    secret('database_url', url('tramita', secret('tramita_database_password', hex())));
    secret('bridge_database_url', url('tramita_bridge', hex()));
    secret('codec_database_url', url('tramita_codec', hex()));
    secret('id_key', hex() + hex());
    secret('payload_keys', `k1:${randomBytes(32).toString('base64')}`);
    secret('codec_tokens', `me:${createHash('sha256').update('token').digest('hex')}`);
    secret('webhook_secrets', hex());
    secret('api_key', 'sandbox-key');
    writeFileSync(join(folder, 'tramita.json'), '{}\n');
  }

  /** `.tramita/tramita.env`, what the image sets, and addresses that are names of services in the file. */
  function envOf(service: string): Record<string, string> {
    return {
      TRAMITA_API_URL: `http://127.0.0.1:${ports['sandbox']}`,
      TRAMITA_DOWNLOAD_HOSTS: `http://127.0.0.1:${ports['documents']}`,
      TRAMITA_FILES_DIR: join(folder, service === 'worker-2' ? 'files-2' : 'files'),
      PATH: `${temporalFolder}:${postgresFolder}/bin:${process.env['PATH'] ?? ''}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(postgres.port),
    };
  }

  it('create the roles and databases of PostgreSQL, whose health check passes', async () => {
    const admin = readSecret('postgres_password');
    const psql = `${postgresFolder}/bin/psql`;
    const made = ['-v', 'ON_ERROR_STOP=1', '-c', `create role postgres superuser login password '${admin}'`];
    await succeed(collect(spawn(psql, [postgres.url, ...made])));
    const env = { ...envOf('postgresql'), PGPASSWORD: admin, PGDATABASE: 'postgres' };
    // Our own server begins with a role and a database of this name.
    const cleared = [
      '-v',
      'ON_ERROR_STOP=1',
      '-c',
      'drop database tramita',
      '-c',
      'alter role tramita rename to first',
    ];
    await succeed(collect(spawn(psql, ['--username', 'postgres', ...cleared], { env: { ...process.env, ...env } })));
    await succeed(
      collect(spawn('bash', ['-euc', native.config('create_databases')], { env: { ...process.env, ...env } })),
    );
    expect(await native.health('postgresql')).toBe(0);
  });

  it('create the schema of Temporal, repeatedly without harm, and a namespace with 30 days of retention', async () => {
    for (const _ of ['new', 'again']) await succeed(native.run('temporal-schema'));
    const password = readSecret('temporal_database_password');
    const free: Partial<Record<keyof NodePorts, number>> = {};
    for (const name of NODE_PORTS) free[name] = await freePort();
    const nodePorts = free as NodePorts;
    const target = watchFrontend(`127.0.0.1:${nodePorts.frontendGrpc}`);
    const databaseUrl = `postgresql://temporal:${password}@127.0.0.1:${postgres.port}/temporal`;
    const place = { host: '127.0.0.1', ports: nodePorts, databaseUrl, folder };
    const node = await startNode(place, { server: tools?.server ?? '', target, onExit: () => undefined });
    closers.push(
      () => node.stop(),
      () => target.close(),
    );
    all.push(['temporal:7233', target.address]);
    ports['temporal'] = nodePorts.frontendGrpc;
    await new Promise<void>((resolve, reject) => {
      const socket = connect(nodePorts.frontendGrpc, '127.0.0.1', () => resolve(void socket.destroy()));
      socket.once('error', reject);
    });
    await succeed(native.run('temporal-namespace'));
    expect(await succeed(native.run('temporal-namespace'))).toMatch(/Retention +720h|WorkflowExecutionRetentionTtl/i);
  }, 300_000);

  it('migrate, become healthy, and serve the metrics of workers and bridge', async () => {
    await succeed(native.run('migrate'));
    await start('sandbox', 'worker', 'worker-2', 'bridge', 'codec-server');
    for (const name of ['worker', 'worker-2', 'bridge-ops']) {
      const page = await fetch(`http://127.0.0.1:${ports[name]}/metrics`);
      expect(await page.text()).toContain('# TYPE tramita_');
    }
    expect(await succeed(tramita('doctor'))).not.toContain('✗');
  }, 300_000);

  it('run a flow with encrypted payloads, and store its file in the folder of all workers', async () => {
    const cnj = newCaseWithDocuments();
    const result = JSON.parse(
      await succeed(tramita('start', 'refreshCase', '--cnj', cnj, '--documents', '--download', '--wait')),
    ) as { readonly status: string };
    expect(result.status).toBe('done');
    expect(readdirSync(join(folder, 'court-files', 'sha256')).length).toBeGreaterThan(0);
  }, 300_000);

  it('dump the database, restore it, keep the broken one, and pay nothing twice', async () => {
    expect(await native.health('backup')).not.toBe(0);
    const dump = (await succeed(native.run('backup', ['--once']))).trim();
    expect(dump).toMatch(/^tramita-\d{8}T\d{6}Z\.dump$/);
    expect(await native.health('backup')).toBe(0);
    const later = newCaseWithDocuments();
    await succeed(tramita('start', 'refreshCase', '--cnj', later, '--wait'));
    const before = await exported();
    // Programs are still connected, so the restore refuses and changes nothing.
    expect((await native.run('restore', [dump])).err).toContain('is being accessed by other users');
    await stop('worker', 'worker-2', 'bridge', 'codec-server');
    expect((await native.run('restore', ['tramita-gone.dump'])).err).toContain('there is no');

    expect(await succeed(native.run('restore', []))).toContain(
      `restored ${dump}; the database of before is tramita_broken_`,
    );
    expect((await exported()).length).toBeLessThan(before.length);
    await succeed(native.run('migrate'));
    await start('worker', 'worker-2', 'bridge', 'codec-server');
    await until(async () => (await tramita('ledger', 'reconcile', '--yes')).exitCode === 0, {
      withinMs: 120_000,
      everyMs: 1_000,
      what: 'every journal to be heard',
    });
    expect(ids(await exported())).toEqual(ids(before));
    const { charges } = (await (await fetch(`${controlUrl()}/charges`)).json()) as { charges: unknown[] };
    expect(charges).toHaveLength(before.length);
    await stop('worker', 'worker-2', 'bridge', 'codec-server', 'sandbox');
  }, 400_000);

  const controlUrl = (): string => `http://127.0.0.1:${ports['documents']}/__control`;
  const exported = async (): Promise<readonly { readonly intentId: string }[]> =>
    JSON.parse(await succeed(tramita('ledger', 'export', '--format', 'json'))) as { readonly intentId: string }[];
  const ids = (rows: readonly { readonly intentId: string }[]): readonly string[] =>
    rows.map(({ intentId }) => intentId).sort();

  function readSecret(name: string): string {
    return execFileSync('cat', [join(folder, 'secrets', name)], { encoding: 'utf8' }).trim();
  }
});

function isThere(file: string): boolean {
  try {
    return readdirSync(dirname(file)).includes(file.slice(dirname(file).length + 1));
  } catch {
    return false;
  }
}
