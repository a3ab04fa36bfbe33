import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { POSTGRES_DATABASE, startPostgres, type PostgresServer } from '../../src/local/postgres/postgres.js';
import { choosePostgresAccount } from '../../src/local/postgres/postgres-account.js';
import { findPostgresBinaries, reachableBinaries } from '../../src/local/postgres/postgres-binaries.js';
import { parsePostmasterPid } from '../../src/local/postgres/postmaster.js';
import { isAlive } from '../../src/local/process/process-identity.js';
import { temporaryFolder } from '../support/temporary-folder.js';

jest.setTimeout(240_000);

const env = { PATH: process.env['PATH'] };
const isRoot = process.getuid?.() === 0;

const servers: PostgresServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

interface Started {
  readonly server: PostgresServer;
  readonly messages: string[];
}

async function start(folder: string, more: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<Started> {
  const messages: string[] = [];
  const server = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'logs', 'postgres.log'),
    env,
    onProgress: ({ text }) => messages.push(text),
    ...more,
  });
  servers.push(server);
  return { server, messages };
}

/** A folder that the account of PostgreSQL can enter; mkdtemp makes private ones. */
function openFolder(): string {
  const folder = temporaryFolder('postgres');
  chmodSync(folder, 0o755);
  return folder;
}

async function query<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('a real PostgreSQL', () => {
  /** One cluster for all tests that can share it: making a cluster takes a second, starting it a tenth of that. */
  const folder = openFolder();

  it('starts with the settings that the ledger relies on, and is gone when stopped', async () => {
    const { server, messages } = await start(folder);
    const [settings] = await query(
      server.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('listen_addresses') AS listen,
              current_setting('unix_socket_directories') AS sockets, current_setting('server_encoding') AS encoding,
              current_setting('TimeZone') AS zone, current_database() AS database`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      commit: 'on',
      listen: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
      zone: 'UTC',
      database: POSTGRES_DATABASE,
    });
    expect(server.isTakenOver).toBe(false);
    expect(messages.at(-1)).toMatch(/^started PostgreSQL 18\.\S+ on port \d+$/);
    await server.stop();
    expect(isAlive(server.identity)).toBe(false);
    await expect(query(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('admits nobody without the password, which only its owner can read', async () => {
    const { server } = await start(folder);
    const wrong = server.url.replace(/:[^:@]+@/, ':guess@');
    await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const file = join(folder, 'postgres', 'password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toMatch(/^[\w-]{32}$/);
    expect(readFileSync(join(server.clusterDir, 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#].*\b(trust|password|md5)$/m);
  });

  it('keeps its data and its port across a restart', async () => {
    const { server: first } = await start(folder);
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    const { server: second } = await start(folder);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  it('is taken over by the next start when it still runs', async () => {
    const { server: first } = await start(folder);
    const { server: second, messages } = await start(folder);
    expect(second).toMatchObject({ isTakenOver: true, pid: first.pid, url: first.url });
    expect(messages).toEqual([
      `taking over the PostgreSQL of process ${first.pid}: it still runs in ${first.clusterDir}`,
    ]);
  });

  it('comes back after kill -9 with every confirmed commit', async () => {
    const { server: first } = await start(folder);
    await query(first.url, 'CREATE TABLE confirmed AS SELECT generate_series(1, 500) AS n');
    process.kill(first.pid, 'SIGKILL');
    const { server: second } = await start(folder);
    expect(second.isTakenOver).toBe(false);
    expect(second.pid).not.toBe(first.pid);
    expect(await query(second.url, 'SELECT count(*)::int AS n FROM confirmed')).toEqual([{ n: 500 }]);
  });

  it('is not confused with another process that now has its pid', async () => {
    const { server: first } = await start(folder);
    const lockFile = join(first.clusterDir, 'postmaster.pid');
    const lines = readFileSync(lockFile, 'utf8').split('\n');
    await first.stop();
    writeFileSync(lockFile, [String(process.pid), ...lines.slice(1)].join('\n'));
    if (isRoot) chownLike(lockFile, first.clusterDir);
    const { server: second } = await start(folder);
    expect(second.isTakenOver).toBe(false);
  });

  it('is restarted when it runs but does not answer', async () => {
    const { server: first } = await start(folder);
    process.kill(first.pid, 'SIGSTOP');
    const { server: second } = await start(folder, {
      onProgress: ({ text }) => {
        if (text.includes('does not answer')) process.kill(first.pid, 'SIGCONT');
      },
    });
    expect(second.isTakenOver).toBe(false);
    expect(second.pid).not.toBe(first.pid);
  });

  it('is started once by two starts at the same time', async () => {
    const folder = openFolder();
    const [first, second] = await Promise.all([start(folder), start(folder)]);
    expect(second.server.pid).toBe(first.server.pid);
    expect([first.server.isTakenOver, second.server.isTakenOver].sort()).toEqual([false, true]);
  });

  it('takes another port when that of its last run is taken, and fails when that port was asked for', async () => {
    const { server: first } = await start(folder);
    await first.stop();
    const squatter = createServer().listen(first.port, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    await expect(start(folder, { port: first.port })).rejects.toThrow(
      `tramita: port ${first.port} for PostgreSQL is taken`,
    );
    const { server: second } = await start(folder);
    expect(second.port).not.toBe(first.port);
    await new Promise((resolve) => squatter.close(resolve));
  });

  it('makes a half-made cluster again, and fails with a clear error on another version or a lost password', async () => {
    const folder = openFolder();
    mkdirSync(join(folder, 'postgres', 'making-1', 'cluster'), { recursive: true });
    const { server } = await start(folder);
    await server.stop();
    writeFileSync(join(server.clusterDir, 'PG_VERSION'), '13\n');
    await expect(start(folder)).rejects.toThrow(
      `tramita: the data in ${server.clusterDir} was made by PostgreSQL 13, installed is 18`,
    );
    rmSync(join(folder, 'postgres', 'password'));
    await expect(start(folder)).rejects.toThrow(
      /^tramita: the password .* is gone; remove .* to start with an empty database$/,
    );
  });

  (isRoot ? it : it.skip)(
    'keeps its files in a private folder, which is recorded, when root starts it in a closed folder',
    async () => {
      const folder = temporaryFolder('postgres');
      chmodSync(folder, 0o700);
      const { server: first, messages } = await start(folder);
      const place = JSON.parse(readFileSync(join(folder, 'postgres', 'place.json'), 'utf8')) as { folder: string };
      expect(place.folder).toMatch(/^\/(var\/)?tmp\/tramita-[0-9a-f]{16}$/);
      expect(first.clusterDir).toBe(join(place.folder, 'cluster'));
      expect(messages[0]).toContain(
        `its files are in ${place.folder}: ${join(folder, 'postgres')} cannot be used by user`,
      );
      expect(statSync(first.clusterDir).mode & 0o077).toBe(0);
      await first.stop();
      chmodSync(folder, 0o755);
      const { server: second } = await start(folder);
      expect(second.clusterDir).toBe(first.clusterDir);
      await second.stop();
      rmSync(place.folder, { recursive: true });
    },
  );
});

(isRoot ? describe : describe.skip)('PostgreSQL binaries in a closed folder', () => {
  it('are copied once to where the account of PostgreSQL can run them', async () => {
    const installed = await findPostgresBinaries(env);
    const account = await choosePostgresAccount(env);
    const closed = temporaryFolder('closed');
    const folder = join(closed, 'native');
    cpSync(installed.folder, folder, { recursive: true, verbatimSymlinks: true });
    const binaries = { ...installed, folder, postgres: join(folder, 'bin', 'postgres') };
    const copyRoot = openFolder();
    const reach = (copies: string): Promise<{ folder: string }> =>
      reachableBinaries({ binaries, account, copyRoot: () => copies, env });
    const copied = await reach(copyRoot);
    expect(copied.folder).toBe(join(copyRoot, `postgresql-${installed.version}`));
    const madeAtMs = statSync(copied.folder).ctimeMs;
    expect(statSync((await reach(copyRoot)).folder).ctimeMs).toBe(madeAtMs);
    await expect(reach(closed)).rejects.toThrow(/^tramita: the PostgreSQL in .* does not run here/);
  });
});

describe('parsePostmasterPid', () => {
  it.each([
    ['123\n/data\n1700000000\n5432\n\n127.0.0.1\n  1 2\nready   \n', { pid: 123, port: 5432 }],
    ['', undefined],
    ['-5\n/data\n1\n5432\n', undefined],
    ['not a pid\n', undefined],
  ])('reads %j as %j', (text, expected) => {
    expect(parsePostmasterPid(text)).toEqual(expected);
  });
});

function chownLike(file: string, model: string): void {
  execFileSync('chown', [`--reference=${model}`, file]);
}
