/**
 * A PostgreSQL that can lose data: its primary is killed and an older state takes its place, in each of the ways in which that
 * really happens. Only the server's own tools are used.
 */
import { appendFileSync, chmodSync, chownSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPostgres, type PostgresServer } from '../../src/local/index.js';
import { migrate } from '../../src/store/index.js';

export type Way = 'replica' | 'dump' | 'pitr' | 'empty' | 'row';

export interface ForgetfulCluster {
  /** URL of the current server. */
  url(): string;
  /** Everything that is committed from now on will be lost. */
  beginToForget(): Promise<void>;
  /** Kills or replaces the server; resolves when the server with the lost data answers. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** Tools of another PostgreSQL: the package's has none for dumps. */
const DEBIAN = '/usr/lib/postgresql/15';
export const PG_DUMP = join(DEBIAN, 'bin', 'pg_dump');

/** The servers of one drill. */
interface Servers {
  readonly folder: string;
  readonly start: (name: string) => Promise<PostgresServer>;
  current: PostgresServer;
  standby: PostgresServer | undefined;
}

type Forgetting = Pick<ForgetfulCluster, 'beginToForget' | 'forget'>;

const WAYS: Readonly<Record<Way, (servers: Servers) => Promise<Forgetting>>> = {
  replica: failOver,
  dump: restoreDump,
  pitr: recoverToMoment,
  empty: emptyDatabase,
  row: deleteRow,
};

export async function openCluster(folder: string, way: Way): Promise<ForgetfulCluster> {
  chmodSync(folder, 0o711);
  const env = way === 'dump' ? { ...process.env, TRAMITA_POSTGRES_FOLDER: DEBIAN } : process.env;
  const start = (name: string): Promise<PostgresServer> =>
    startPostgres({
      dataDir: join(folder, name),
      logFile: join(folder, `${name}.log`),
      env,
      onProgress: () => undefined,
    });
  const servers: Servers = { folder, start, current: await start('primary'), standby: undefined };
  const { beginToForget, forget } = await WAYS[way](servers);
  return {
    url: () => servers.current.url,
    stop: async () => {
      await Promise.allSettled([servers.current.stop(), servers.standby?.stop()]);
    },
    beginToForget,
    forget,
  };
}

/** An asynchronous standby lags behind, then it is promoted. */
async function failOver(servers: Servers): Promise<Forgetting> {
  await migrate(servers.current.url);
  let standbys = 0;
  /** Each fail-over has a new standby. */
  const startStandby = async (): Promise<PostgresServer> => {
    standbys += 1;
    const name = `standby-${standbys}`;
    await followServer(servers.current, await copyOf(servers.current, join(servers.folder, name)));
    return servers.start(name);
  };
  let standby = await startStandby();
  servers.standby = standby;
  return {
    beginToForget: async () => {
      // Stops its receiver: later commits never reach the standby.
      await run(standby.url, `alter system set primary_conninfo = ''`, 'select pg_reload_conf()');
      await sleep(500);
    },
    forget: async () => {
      process.kill(servers.current.pid, 'SIGKILL');
      await run(standby.url, 'select pg_promote(true, 60)');
      servers.current = standby;
      standby = await startStandby();
      servers.standby = standby;
    },
  };
}

async function restoreDump({ folder, current: { url } }: Servers): Promise<Forgetting> {
  await migrate(url);
  const dump = join(folder, 'ledger.dump');
  return {
    beginToForget: () => {
      execFileSync(PG_DUMP, ['-Fc', '-f', dump, url], { stdio: 'ignore' });
      return Promise.resolve();
    },
    forget: async () => {
      await recreate(url);
      execFileSync(join(DEBIAN, 'bin', 'pg_restore'), ['--no-owner', '-d', url, dump], { stdio: 'ignore' });
    },
  };
}

/** Point-in-time recovery from a base backup and the archive of the log. */
async function recoverToMoment(servers: Servers): Promise<Forgetting> {
  const { folder, start } = servers;
  const archive = join(folder, 'archive');
  const { clusterDir } = servers.current;
  mkdirSync(archive);
  ownLike(archive, clusterDir);
  await servers.current.stop();
  appendFileSync(
    join(clusterDir, 'postgresql.auto.conf'),
    `archive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`,
  );
  servers.current = await start('primary');
  await migrate(servers.current.url);
  const backup = await copyOf(servers.current, join(folder, 'backup'));
  let moment = '';
  return {
    beginToForget: async () => {
      const [row] = await run<{ now: string }>(servers.current.url, 'select clock_timestamp()::text as now');
      moment = row?.now ?? '';
    },
    forget: async () => {
      await run(servers.current.url, 'select pg_switch_wal()');
      await sleep(1_500);
      process.kill(servers.current.pid, 'SIGKILL');
      appendFileSync(
        join(backup, 'postgresql.auto.conf'),
        `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${moment}'\nrecovery_target_action = 'promote'\narchive_mode = off\n`,
      );
      const signal = join(backup, 'recovery.signal');
      writeFileSync(signal, '');
      ownLike(signal, servers.current.clusterDir);
      servers.current = await start('backup');
    },
  };
}

async function emptyDatabase({ current: { url } }: Servers): Promise<Forgetting> {
  await migrate(url);
  return {
    beginToForget: () => Promise.resolve(),
    forget: async () => {
      await recreate(url);
      await migrate(url);
    },
  };
}

async function deleteRow({ current: { url } }: Servers): Promise<Forgetting> {
  await migrate(url);
  return {
    beginToForget: () => Promise.resolve(),
    forget: async () => {
      await run(
        url,
        `delete from tramita.intent where intent_id = (
          select intent_id from tramita.intent where state = 'pending' and joined is null order by seq desc limit 1)`,
      );
    },
  };
}

/** A base backup by the server's own protocol, copied file by file. */
async function copyOf(server: PostgresServer, dataDir: string): Promise<string> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('drill', true)`);
    mkdirSync(dataDir, { recursive: true });
    const copy = join(dataDir, 'cluster');
    execFileSync('cp', ['-a', server.clusterDir, copy]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
    ownLike(join(copy, 'backup_label'), server.clusterDir);
    for (const left of ['postmaster.pid', 'postmaster.opts']) rmSync(join(copy, left), { force: true });
    cpSync(join(server.clusterDir, '..', 'password'), join(dataDir, 'password'));
    return copy;
  } finally {
    await client.end();
  }
}

/** Starts the copy as a standby with asynchronous streaming. */
async function followServer({ url, clusterDir }: PostgresServer, copy: string): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const signal = join(copy, 'standby.signal');
  await writeFile(signal, '');
  ownLike(signal, clusterDir);
  await appendFile(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  );
}

/** Drops and creates the database: everything in it is lost. */
async function recreate(url: string): Promise<void> {
  const admin = new URL(url);
  const name = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  await run(admin.href, `drop database ${name} with (force)`, `create database ${name}`);
}

async function run<T>(url: string, ...statements: readonly string[]): Promise<readonly T[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: readonly T[] = [];
    for (const statement of statements)
      ({ rows } = (await client.query(statement)) as unknown as { rows: readonly T[] });
    return rows;
  } finally {
    await client.end();
  }
}

function ownLike(path: string, model: string): void {
  const { uid, gid } = statSync(model);
  chownSync(path, uid, gid);
}
