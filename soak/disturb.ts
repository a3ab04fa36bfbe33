/**
 * Kills and pauses of workers while calls run. A kill falls a few milliseconds after a request of the service was seen, five
 * more each time, so that a sweep covers intent, send, answer, spool and settlement. A pause is longer than the age fence, every
 * third one longer than the whole activity: its thawed attempts must find a closed door. Servers are restarted and wires cut
 * meanwhile, where asked for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForgetfulCluster } from './forget/cluster.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';
import type { Servers } from './servers.js';
import type { Proxy } from './wire.js';
import type { World } from './world.js';

export interface Disturbance {
  readonly kills: number;
  readonly pauses: number;
  readonly restarts?: number;
  readonly cuts?: number;
  readonly failovers?: number;
}

const STEP_MS = 5;
const SWEEP_MS = 400;
const SHORT_PAUSE_MS = 13_000;
const LONG_PAUSE_MS = 75_000;
const RESTART_EVERY_MS = 20_000;
const CUT_EVERY_MS = 6_000;
const FAILOVER_EVERY_MS = 30_000;
const FORGOTTEN_FOR_MS = 1_500;
const SUPERVISE_EVERY_MS = 2_000;

export interface Pool {
  readonly workers: WorkerProcess[];
  stop(): Promise<void>;
}

export async function openPool(world: World, size: number): Promise<Pool> {
  const workers: WorkerProcess[] = [];
  for (let each = 0; each < size; each += 1) workers.push(await startWorkerProcess(world.env));
  return {
    workers,
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.kill()));
    },
  };
}

/** Kills the first worker of the pool, `kills` times; a fresh one takes its place. Ends early when `over` is aborted. */
export async function sweepKills(
  world: World,
  pool: Pool,
  { kills }: Pick<Disturbance, 'kills'>,
  over: AbortSignal,
): Promise<number> {
  let killed = 0;
  const start = (): Promise<WorkerProcess> => {
    const starting = startPatiently(world.env);
    // Awaited later; until then a failure must not end the process as unhandled.
    starting.catch(() => undefined);
    return starting;
  };
  let spare = start();
  for (; killed < kills && !over.aborted; killed += 1) {
    const before = (await world.requests()).at(-1)?.n ?? 0;
    await untilRequest(world, before, over);
    await sleep((killed * STEP_MS) % SWEEP_MS);
    const [victim] = pool.workers;
    await victim?.kill();
    pool.workers[0] = await spare;
    spare = start();
  }
  await (await spare).kill();
  return killed;
}

export async function sweepPauses(
  pool: Pool,
  { pauses }: Pick<Disturbance, 'pauses'>,
  over: AbortSignal,
): Promise<number> {
  let paused = 0;
  // The last worker of the pool is never killed: freezing it and killing it would be one disturbance.
  for (; paused < pauses && !over.aborted; paused += 1) {
    await pool.workers.at(-1)?.freeze(paused % 3 === 2 ? LONG_PAUSE_MS : SHORT_PAUSE_MS);
    await sleep(1_500);
  }
  return paused;
}

/** Temporal and PostgreSQL by turns: SIGKILL, and started again on the same files and ports. */
export async function sweepRestarts(
  servers: Pick<Servers, 'restartTemporal' | 'restartPostgres'>,
  { restarts = 0 }: Pick<Disturbance, 'restarts'>,
  over: AbortSignal,
): Promise<number> {
  let done = 0;
  for (; done < restarts && (await rest(RESTART_EVERY_MS, over)); done += 1) {
    await (done % 2 === 0 ? servers.restartTemporal() : servers.restartPostgres());
  }
  return done;
}

/** All connections of the workers to one of the servers are reset at once. */
export async function sweepCuts(
  wires: readonly Pick<Proxy, 'dropAll'>[],
  { cuts = 0 }: Pick<Disturbance, 'cuts'>,
  over: AbortSignal,
): Promise<number> {
  let done = 0;
  for (; done < cuts && (await rest(CUT_EVERY_MS, over)); done += 1) {
    wires[done % wires.length]?.dropAll();
  }
  return done;
}

/** The database is lost with its last commits: an asynchronous replica that has not received them takes its place. */
export async function sweepFailovers(
  { cluster, wire }: { readonly cluster: ForgetfulCluster; readonly wire: Pick<Proxy, 'lead'> },
  { failovers = 0 }: Pick<Disturbance, 'failovers'>,
  over: AbortSignal,
): Promise<number> {
  let done = 0;
  for (; done < failovers && (await rest(FAILOVER_EVERY_MS, over)); done += 1) {
    await cluster.beginToForget();
    await sleep(FORGOTTEN_FOR_MS);
    wire.lead(undefined);
    await cluster.forget();
    wire.lead(new URL(cluster.url()).host);
  }
  return done;
}

/** What a supervisor of processes does: a worker that ended by itself is started again. Returns how many did. */
export async function supervise(world: World, pool: Pool, over: AbortSignal): Promise<number> {
  let lost = 0;
  while (await rest(SUPERVISE_EVERY_MS, over)) {
    // The first place is the killer's.
    for (let place = 1; place < pool.workers.length; place += 1) {
      if (pool.workers[place]?.isAlive() !== false) continue;
      lost += 1;
      pool.workers[place] = await startPatiently(world.env);
    }
  }
  return lost;
}

/** A server may be on its way up. */
async function startPatiently(env: World['env']): Promise<WorkerProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startWorkerProcess(env);
    } catch (error) {
      if (attempt === 8) throw error;
      await sleep(1_000);
    }
  }
}

/** False when all is over. */
async function rest(ms: number, over: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal: over }).catch(() => undefined);
  return !over.aborted;
}

async function untilRequest(world: World, after: number, over: AbortSignal): Promise<void> {
  const until = Date.now() + 5_000;
  while (!over.aborted && Date.now() < until) {
    if (((await world.requests()).at(-1)?.n ?? 0) > after) return;
    await sleep(5);
  }
}
