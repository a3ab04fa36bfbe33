/**
 * A PostgreSQL that can forget: its primary is killed and an older self takes its place, in each of the ways in which that
 * happens to people. All of it is done with the server's own means.
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
  /** Of the server as it is now. */
  url(): string;
  /** From now on what is committed will be forgotten. */
  beginToForget(): Promise<void>;
  /** Kills or replaces the server; resolves when the one that has forgotten answers. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** Tools of a PostgreSQL beside the package's, which has none for dumps. */
const DEBIAN = '/usr/lib/postgresql/15';
export const PG_DUMP = join(DEBIAN, 'bin', 'pg_dump');

export async function openCluster(folder: string, way: Way): Promise<ForgetfulCluster> {
  chmodSync(folder, 0o711);
  const env = way === 'dump' ? { ...process.env, TRAMITA_POSTGRES_FOLDER: DEBIAN } : process.env;
  const up = (name: string): Promise<PostgresServer> =>
    startPostgres({
      dataDir: join(folder, name),
      logFile: join(folder, `${name}.log`),
      env,
      onProgress: () => undefined,
    });
  let server = await up('primary');
  const archive = join(folder, 'archive');
  if (way === 'pitr') {
    const { clusterDir } = server;
    mkdirSync(archive);
    ownLike(archive, clusterDir);
    await server.stop();
    appendFileSync(
      join(clusterDir, 'postgresql.auto.conf'),
      `archive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`,
    );
    server = await up('primary');
  }
  await migrate(server.url);
  const backup = way === 'pitr' ? await copyOf(server, join(folder, 'backup')) : undefined;
  let replicas = 0;
  /** Each fail-over has a standby of its own. */
  const replicaUp = async (): Promise<PostgresServer> => {
    replicas += 1;
    const name = `standby-${replicas}`;
    await followServer(server, await copyOf(server, join(folder, name)));
    return up(name);
  };
  let replica = way === 'replica' ? await replicaUp() : undefined;
  let moment = '';
  const dump = join(folder, 'ledger.dump');

  return {
    url: () => server.url,
    stop: async () => {
      await Promise.allSettled([server.stop(), replica?.stop()]);
    },
    beginToForget: async () => {
      switch (way) {
        case 'replica':
          // Its receiver ends: what comes now never reaches it.
          await run(replica?.url ?? '', `alter system set primary_conninfo = ''`, 'select pg_reload_conf()');
          await sleep(500);
          return;
        case 'dump':
          execFileSync(PG_DUMP, ['-Fc', '-f', dump, server.url], { stdio: 'ignore' });
          return;
        case 'pitr': {
          const [row] = await run<{ now: string }>(server.url, 'select clock_timestamp()::text as now');
          moment = row?.now ?? '';
          return;
        }
        case 'empty':
        case 'row':
          return;
      }
    },
    forget: async () => {
      switch (way) {
        case 'replica':
          process.kill(server.pid, 'SIGKILL');
          await run(replica?.url ?? '', 'select pg_promote(true, 60)');
          server = replica ?? server;
          replica = await replicaUp();
          return;
        case 'pitr':
          await run(server.url, 'select pg_switch_wal()');
          await sleep(1_500);
          process.kill(server.pid, 'SIGKILL');
          appendFileSync(
            join(backup ?? '', 'postgresql.auto.conf'),
            `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${moment}'\nrecovery_target_action = 'promote'\narchive_mode = off\n`,
          );
          writeFileSync(join(backup ?? '', 'recovery.signal'), '');
          ownLike(join(backup ?? '', 'recovery.signal'), server.clusterDir);
          server = await up('backup');
          return;
        case 'dump':
          await recreate(server.url);
          execFileSync(join(DEBIAN, 'bin', 'pg_restore'), ['--no-owner', '-d', server.url, dump], { stdio: 'ignore' });
          return;
        case 'empty':
          await recreate(server.url);
          await migrate(server.url);
          return;
        case 'row':
          await run(
            server.url,
            `delete from tramita.intent where intent_id = (
              select intent_id from tramita.intent where state = 'pending' and joined is null order by seq desc limit 1)`,
          );
          return;
      }
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

/** The copy becomes a standby that streams, asynchronously. */
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

/** Everything in it is gone. */
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
