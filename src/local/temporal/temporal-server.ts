/**
 * Runs `temporal server start-dev` (server, web UI and SQLite in one process) on loopback, with its data in a file, so
 * that a restart continues where it stopped. Ports are kept across restarts of the same folder where they are free, so
 * that links into the UI keep working. One server per folder: SQLite would not stop a second one.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, isPortFree, preferring } from '../process/free-port.js';
import { isAlive, ownIdentity, type ProcessIdentity } from '../process/process-identity.js';
import { readJson, writeJson } from '../process/state-file.js';
import { stopProcess } from '../process/stop-process.js';
import { superviseProcess, type ProcessEnd, type SupervisedProcess } from '../process/supervise-process.js';

/** A port may be taken between our check and the server's bind. */
const START_TRIES = 3;

/**
 * Speed only, no semantics (measured with CLI 1.8.2): without the first, every timer and retry delay under a second
 * takes a second; without the next three, the server dispatches 20 tasks a second; without the fifth, a deleted run stays
 * visible for half a minute. The last two: on one machine a queue needs one part, not four, among which tasks and polls
 * have to find each other; priorities are then kept over the whole queue.
 */
const DYNAMIC_CONFIG = [
  'history.timerProcessorMaxTimeShift="10ms"',
  'history.transferProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxPollRPS=1000',
  'history.visibilityProcessorMaxPollRPS=1000',
  'history.transferProcessorUpdateAckInterval="1s"',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];

/** A signal that the server answered survives its `kill -9` with these (measured). */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalPorts {
  readonly grpc: number;
  readonly ui: number;
}

export interface StartTemporalOptions {
  readonly executable: string;
  /** Holds the database, the ports of the last run, and the record of the server's process. */
  readonly dataDir: string;
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
  /** Exactly these, or an error when one is taken. */
  readonly ports?: TemporalPorts;
  /** Name to type, for example `{ TramitaFlow: 'Keyword' }`; registered at every start. */
  readonly searchAttributes?: Readonly<Record<string, string>>;
  /** The codec server that the UI asks. */
  readonly codecUrl?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called as soon as the process exists, long before it is ready, to record its pid. */
  readonly onSpawn?: (identity: ProcessIdentity) => void;
  /** Called if it ends although nobody stopped it. */
  readonly onExit?: (end: ProcessEnd) => void;
}

export interface TemporalServer extends SupervisedProcess {
  /** `127.0.0.1:port`, in the form of TEMPORAL_ADDRESS. */
  readonly address: string;
  readonly uiUrl: string;
  /** Temporal's HTTP API, on a port of this start. */
  readonly httpUrl: string;
}

interface ServerRecord extends TemporalPorts {
  readonly server: ProcessIdentity;
  readonly owner: ProcessIdentity;
}

export async function startTemporalServer(given: StartTemporalOptions): Promise<TemporalServer> {
  const options = { ...given, dataDir: resolve(given.dataDir) };
  const { dataDir, ports } = options;
  mkdirSync(dataDir, { recursive: true });
  const last = readJson<ServerRecord>(recordFile(dataDir));
  await stopLeftServer(dataDir, last);
  for (const port of ports === undefined ? [] : [ports.grpc, ports.ui]) {
    if (!(await isPortFree(port)))
      throw new Error(`tramita: port ${port} for Temporal is taken; stop what listens there or name another`);
  }
  for (let attempt = 1; ; attempt += 1) {
    const chosen = ports ?? (await choosePorts(attempt === 1 ? last : undefined));
    try {
      return await startOn(options, chosen);
    } catch (error) {
      const isPortTaken = /address already in use/i.test((error as Error).message);
      if (!isPortTaken || ports !== undefined || attempt === START_TRIES) throw error;
    }
  }
}

async function startOn(options: StartTemporalOptions, ports: TemporalPorts): Promise<TemporalServer> {
  const { executable, dataDir, logFile, env, searchAttributes = {}, codecUrl, signal, onSpawn, onExit } = options;
  const uiUrl = `http://127.0.0.1:${ports.ui}`;
  const httpPort = await freePort();
  const process = await superviseProcess({
    name: 'the Temporal server',
    command: executable,
    args: [
      ...['server', 'start-dev', '--log-level', 'warn'],
      ...['--ip', '127.0.0.1', '--port', String(ports.grpc), '--http-port', String(httpPort)],
      ...['--ui-ip', '127.0.0.1', '--ui-port', String(ports.ui)],
      ...(codecUrl === undefined ? [] : ['--ui-codec-endpoint', codecUrl]),
      ...['--db-filename', join(dataDir, 'temporal.sqlite')],
      ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
      ...DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value]),
      ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ],
    env: withoutTemporalSettings(env),
    cwd: dataDir,
    logFile,
    signal,
    onExit: onExit ?? (() => undefined),
    onSpawn: (identity) => {
      writeJson(recordFile(dataDir), { ...ports, server: identity, owner: ownIdentity() } satisfies ServerRecord);
      onSpawn?.(identity);
    },
    isReady: () => isTemporalReady(uiUrl, Object.keys(searchAttributes)),
  });
  return { ...process, address: `127.0.0.1:${ports.grpc}`, uiUrl, httpUrl: `http://127.0.0.1:${httpPort}` };
}

async function choosePorts(last: Partial<ServerRecord> | undefined): Promise<TemporalPorts> {
  return { grpc: await freePort(preferring(last?.grpc)), ui: await freePort(preferring(last?.ui)) };
}

/** A server whose owner was killed is stopped; one whose owner lives is somebody's and stays. */
async function stopLeftServer(dataDir: string, last: Partial<ServerRecord> | undefined): Promise<void> {
  const { server, owner } = last ?? {};
  if (server === undefined || !isAlive(server)) return;
  if (owner !== undefined && isAlive(owner)) {
    throw new Error(
      `tramita: a Temporal server (process ${server.pid}) of process ${owner.pid} already uses ${dataDir}; stop it with \`kill ${owner.pid}\``,
    );
  }
  await stopProcess({ identity: server });
}

/** The tool reads TEMPORAL_* as its own defaults; an address or a log setting meant for clients must not reach it. */
function withoutTemporalSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

function recordFile(dataDir: string): string {
  return join(dataDir, 'server.json');
}

const ANSWER_WITHIN_MS = 2_000;

/** gRPC code NOT_FOUND, as the UI's interface returns it in `code`. */
const GRPC_NOT_FOUND = 5;

const PROBE_WORKFLOW = 'tramita-readiness-probe';

/**
 * Whether a development server really answers, and has these search attributes. Asked through the UI's own HTTP interface, which
 * passes the question on to the server: "no such workflow" can only come from a history service that owns its shard, so UI,
 * frontend and history all work. An open port says none of that.
 */
async function isTemporalReady(uiUrl: string, searchAttributes: readonly string[]): Promise<boolean> {
  const namespace = `${uiUrl}/api/v1/namespaces/default`;
  const workflow = await getJson(`${namespace}/workflows/${PROBE_WORKFLOW}`);
  if (workflow?.['code'] !== GRPC_NOT_FOUND || !/workflow/i.test(String(workflow['message']))) return false;
  if (searchAttributes.length === 0) return true;
  const registered = (await getJson(`${namespace}/search-attributes`))?.['customAttributes'];
  return typeof registered === 'object' && registered !== null && searchAttributes.every((name) => name in registered);
}

async function getJson(url: string): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return (await response.json()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
