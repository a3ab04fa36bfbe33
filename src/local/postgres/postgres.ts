/**
 * The local PostgreSQL: started on loopback without a socket file, or taken over if it still runs here (it survives
 * the `kill -9` of its starter). Confirmed commits survive too: fsync stays on. Reuse is proven by a query, not
 * by a pid. Everything that starts or judges a cluster happens under a lock in its folder.
 */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { withLock } from '../process/file-lock.js';
import { freePort, isPortFree, preferring } from '../process/free-port.js';
import { logTail, sizeInBytes, withLogFile } from '../process/log-file.js';
import { choosePostgresAccount, runAs, type RunAs } from './postgres-account.js';
import { findPostgresBinaries, reachableBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { ensureCluster, POSTGRES_ROLE, type PostgresCluster } from './postgres-cluster.js';
import { choosePostgresPlace, privateFolder } from './postgres-place.js';
import { clearStaleLockFile, findPostmaster, type Postmaster } from './postmaster.js';
import { isAlive, type ProcessIdentity } from '../process/process-identity.js';
import { sayAbout, type OnProgress, type Say } from '../process/progress.js';
import { readJson, writeJson } from '../process/state-file.js';
import { signalProcess, stopProcess } from '../process/stop-process.js';

export const POSTGRES_DATABASE = 'tramita';

/** A healthy server on loopback answers in milliseconds. */
const QUERY_WITHIN_MS = 3_000;

/** Recovery after a crash is part of a start. Seen 0.25 to 0.5 s. */
const START_WITHIN_SECONDS = 60;
const FAST_STOP_WITHIN_SECONDS = 15;
const LOCK_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 1_000;

/** A port may be taken between our check and the bind; old shared memory stays until the last backend is gone. */
const START_TRIES = 4;

export interface StartPostgresOptions {
  /** Holds password, port and (where PostgreSQL can get there) the cluster. */
  readonly dataDir: string;
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  /** Use exactly this port. Default: the port of the last run if it is free, else any. */
  readonly port?: number;
  /** Settings of the server, e.g. `{ max_connections: '200' }`; only for a server that is started. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onSpawn?: (identity: ProcessIdentity) => void;
  /** Called if the server ends although nobody stopped it here. */
  readonly onExit?: (exit: { readonly logFile: string }) => void;
}

export interface PostgresServer {
  /** With the password: for configuration, never for a log. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly identity: ProcessIdentity;
  /** Where the files really are. */
  readonly clusterDir: string;
  /** It was running already. */
  readonly isTakenOver: boolean;
  readonly stop: () => Promise<void>;
  /** Signals it without waiting, when our own process exits. */
  readonly stopNow: () => void;
}

interface Prepared {
  readonly binaries: PostgresBinaries;
  readonly as: RunAs;
  readonly cluster: PostgresCluster;
  readonly options: StartPostgresOptions;
}

export async function startPostgres(given: StartPostgresOptions): Promise<PostgresServer> {
  const options = { ...given, dataDir: resolve(given.dataDir) };
  const { dataDir, onProgress } = options;
  const say = sayAbout('postgres', onProgress);
  return withLock({
    file: join(dataDir, 'start.lock'),
    purpose: 'starting PostgreSQL',
    deadlineMs: LOCK_WITHIN_MS,
    onWait: (holder) => say('step', `waiting: process ${String(holder?.pid ?? '?')} is starting it already`),
    use: async () => {
      const prepared = await prepare(options, say);
      const { folder } = prepared.cluster;
      const running = findPostmaster(folder);
      if (running !== undefined && (options.port === undefined || options.port === running.port)) {
        if (await answers(prepared, running.port)) {
          options.onSpawn?.(running.identity);
          say('decision', `taking over the PostgreSQL of process ${running.identity.pid}: it still runs in ${folder}`);
          return finish(prepared, running, true);
        }
        say('step', `process ${running.identity.pid} runs in ${folder} but does not answer: it is stopped first`);
      }
      if (running !== undefined) await stopPostmaster(prepared, running);
      const started = await start(prepared);
      say('decision', `started PostgreSQL ${prepared.binaries.version} on port ${started.port}`);
      return finish(prepared, started, false);
    },
  });
}

async function prepare(options: StartPostgresOptions, say: Say): Promise<Prepared> {
  const { dataDir, env } = options;
  const as: RunAs = { env, account: await choosePostgresAccount(env) };
  const place = await choosePostgresPlace(dataDir, as);
  if (place.folder !== dataDir) say('step', `its files are in ${place.folder}: ${place.why}`);
  const installed = await findPostgresBinaries(env);
  const binaries = await reachableBinaries({ ...as, binaries: installed, copyRoot: () => privateFolder(dataDir) });
  const onMake = (): void => say('step', `creating an empty database in ${place.folder}`);
  const cluster = await ensureCluster({ ...as, dataDir, place: place.folder, binaries, onMake });
  return { binaries, as, cluster, options };
}

async function start(prepared: Prepared): Promise<Postmaster> {
  const { cluster, options } = prepared;
  const { dataDir, logFile } = options;
  if (options.port !== undefined && !(await isPortFree(options.port))) {
    throw new Error(`tramita: port ${options.port} for PostgreSQL is taken; stop what listens there or name another`);
  }
  const portFile = join(dataDir, 'port.json');
  const lastPort = readJson<{ port: number }>(portFile)?.port;
  for (let attempt = 1; ; attempt += 1) {
    await clearStaleLockFile(cluster.folder);
    const port = options.port ?? (await freePort(preferring(attempt === 1 ? lastPort : undefined)));
    const logStart = sizeInBytes(logFile);
    const problem = await pgCtlStart(prepared, port);
    const started = findPostmaster(cluster.folder);
    if (problem === undefined && started !== undefined) {
      writeJson(portFile, { port });
      options.onSpawn?.(started.identity);
      return started;
    }
    const log = logTail(logFile, logStart);
    if (started !== undefined) await stopPostmaster(prepared, started);
    const isTransient = /Address already in use|pre-existing shared memory block/i.test(log);
    if (!isTransient || attempt === START_TRIES) {
      throw new Error(
        `tramita: PostgreSQL did not start (${problem ?? 'it ended at once'}). Its log ${logFile} ends with:\n${log}`,
      );
    }
  }
}

/** pg_ctl gives the server a session of its own. The server inherits the open log, which may lie where only we can write. */
async function pgCtlStart({ binaries, as, cluster, options }: Prepared, port: number): Promise<string | undefined> {
  const given = Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings });
  const settings = [`-p ${port}`, ...given.map(([name, value]) => `-c ${name}=${value}`)].join(' ');
  const run = await withLogFile(options.logFile, (outputFd) =>
    runAs(as, {
      command: binaries.pgCtl,
      args: ['start', '-s', '-w', '-t', String(START_WITHIN_SECONDS), '-D', cluster.folder, '-o', settings],
      timeoutMs: (START_WITHIN_SECONDS + 10) * 1000,
      outputFd,
    }),
  );
  return run.ok ? undefined : run.problem;
}

/** Fast (clients are disconnected), then immediate (recovery at the next start), then SIGKILL. */
async function stopPostmaster({ binaries, as, cluster }: Prepared, { identity }: Postmaster): Promise<void> {
  const ways = [
    { mode: 'fast', seconds: FAST_STOP_WITHIN_SECONDS },
    { mode: 'immediate', seconds: 5 },
  ];
  for (const { mode, seconds } of ways) {
    if (findPostmaster(cluster.folder)?.identity.startMark !== identity.startMark) break;
    await runAs(as, {
      command: binaries.pgCtl,
      args: ['stop', '-s', '-w', '-t', String(seconds), '-m', mode, '-D', cluster.folder],
      timeoutMs: (seconds + 5) * 1000,
    });
  }
  if (isAlive(identity)) await stopProcess({ identity, signal: 'SIGQUIT', graceMs: 1_000 });
}

async function finish(prepared: Prepared, postmaster: Postmaster, isTakenOver: boolean): Promise<PostgresServer> {
  const { port, identity } = postmaster;
  await ensureDatabase(prepared, port);
  const unwatch = watch(postmaster, prepared.options);
  return {
    url: connectionUrl(prepared.cluster, { port, database: POSTGRES_DATABASE }),
    port,
    pid: identity.pid,
    identity,
    clusterDir: prepared.cluster.folder,
    isTakenOver,
    stop: () => {
      unwatch();
      return stopPostmaster(prepared, postmaster);
    },
    stopNow: () => {
      unwatch();
      void signalProcess(identity, 'SIGINT');
    },
  };
}

/** The server is no child process of ours, so its end is found by polling. */
function watch({ identity }: Postmaster, { onExit, logFile }: StartPostgresOptions): () => void {
  if (onExit === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (isAlive(identity)) return;
    clearInterval(timer);
    onExit({ logFile });
  }, POLL_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Whether the server on this port is alive and is this cluster's. */
async function answers({ cluster }: Prepared, port: number): Promise<boolean> {
  try {
    return await withClient(connectionUrl(cluster, { port, database: 'postgres' }), async (client) => {
      const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
      return realpathSync(rows[0]?.folder ?? '/') === realpathSync(cluster.folder);
    });
  } catch {
    return false;
  }
}

async function ensureDatabase({ cluster }: Prepared, port: number): Promise<void> {
  await withClient(connectionUrl(cluster, { port, database: 'postgres' }), async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [POSTGRES_DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${POSTGRES_DATABASE}`);
  });
}

async function withClient<T>(connectionString: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: QUERY_WITHIN_MS,
    query_timeout: QUERY_WITHIN_MS,
  });
  // a connection that breaks while idle is reported here, and by the next query
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function connectionUrl(
  { password }: PostgresCluster,
  { port, database }: { readonly port: number; readonly database: string },
): string {
  return `postgresql://${POSTGRES_ROLE}:${password}@127.0.0.1:${port}/${database}`;
}
