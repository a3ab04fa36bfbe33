import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { POSTGRES_DATABASE, startPostgres, type PostgresServer } from '../../src/local/index.js';
import { choosePostgresAccount } from '../../src/local/postgres/postgres-account.js';
import { findPostgresBinaries, reachableBinaries } from '../../src/local/postgres/postgres-binaries.js';
import { parsePostmasterPid } from '../../src/local/postgres/postmaster.js';
import { isAlive } from '../../src/local/process/process-identity.js';
import { temporaryFolder } from './support/folders.js';

jest.setTimeout(240_000);

const env = { PATH: process.env['PATH'] };
const isRoot = process.getuid?.() === 0;

const servers: PostgresServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

interface Started {
  readonly server: PostgresServer;
  readonly said: string[];
}

async function start(folder: string, more: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<Started> {
  const said: string[] = [];
  const server = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'logs', 'postgres.log'),
    env,
    onProgress: ({ text }) => said.push(text),
    ...more,
  });
  servers.push(server);
  return { server, said };
}

/** A folder that the account PostgreSQL runs as can enter (mkdtemp makes them private). */
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
  /** One cluster for all tests that do not mind: making one takes a second, starting one a tenth. */
  const folder = openFolder();

  it('is started once, with the settings that the ledger relies on, and is gone when stopped', async () => {
    const { server, said } = await start(folder);
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
    expect(said.at(-1)).toMatch(/^started PostgreSQL 18\.\S+ on port \d+$/);
    await server.stop();
    expect(isAlive(server.identity)).toBe(false);
    await expect(query(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('lets nobody in without the password, which only we can read', async () => {
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

  it('is taken over when it still runs, by the same process or by the next', async () => {
    const { server: first } = await start(folder);
    const { server: second, said } = await start(folder);
    expect(second).toMatchObject({ isTakenOver: true, pid: first.pid, url: first.url });
    expect(said).toEqual([`taking over the PostgreSQL of process ${first.pid}: it still runs in ${first.clusterDir}`]);
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

  it('is not mistaken for a stranger that has its pid by now', async () => {
    const { server: first } = await start(folder);
    const lockFile = join(first.clusterDir, 'postmaster.pid');
    const lines = readFileSync(lockFile, 'utf8').split('\n');
    await first.stop();
    writeFileSync(lockFile, [String(process.pid), ...lines.slice(1)].join('\n'));
    if (isRoot) chownLike(lockFile, first.clusterDir);
    const { server: second } = await start(folder);
    expect(second.isTakenOver).toBe(false);
  });

  it('is stopped and started when it runs but does not answer', async () => {
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

  it('two starts at once give the same server', async () => {
    const folder = openFolder();
    const [first, second] = await Promise.all([start(folder), start(folder)]);
    expect(second.server.pid).toBe(first.server.pid);
    expect([first.server.isTakenOver, second.server.isTakenOver].sort()).toEqual([false, true]);
  });

  it('takes another port when the one of the last run is taken, and is an error when it was asked for', async () => {
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

  it('a cluster that was half made is made again; a lost password or a strange version is a clear error', async () => {
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
      /^tramita: the password .* is gone; remove .* to begin with an empty database$/,
    );
  });

  (isRoot ? it : it.skip)(
    'as root in a closed folder its files go to a private place, which is written down and kept',
    async () => {
      const folder = temporaryFolder('postgres');
      chmodSync(folder, 0o700);
      const { server: first, said } = await start(folder);
      const place = JSON.parse(readFileSync(join(folder, 'postgres', 'place.json'), 'utf8')) as { folder: string };
      expect(place.folder).toMatch(/^\/(var\/)?tmp\/tramita-[0-9a-f]{16}$/);
      expect(first.clusterDir).toBe(join(place.folder, 'cluster'));
      expect(said[0]).toContain(`its files are in ${place.folder}: ${join(folder, 'postgres')} is closed to user`);
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
  it('are copied to where the other account can run them, once', async () => {
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

describe('the lock file of PostgreSQL', () => {
  it.each([
    ['123\n/data\n1700000000\n5432\n\n127.0.0.1\n  1 2\nready   \n', { pid: 123, port: 5432 }],
    ['', undefined],
    ['-5\n/data\n1\n5432\n', undefined],
    ['not a pid\n', undefined],
  ])('%j is read as %j', (text, expected) => {
    expect(parsePostmasterPid(text)).toEqual(expected);
  });
});

function chownLike(file: string, model: string): void {
  execFileSync('chown', [`--reference=${model}`, file]);
}
