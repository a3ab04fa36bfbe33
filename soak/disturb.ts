/**
 * Disturbances while a plan runs. A kill falls a few milliseconds after a request of the service was seen, five more each time,
 * so that a sweep covers intent, send, answer, spool and settlement. A pause is longer than the age fence, every third one
 * longer than the whole activity: its thawed attempts must find a closed door. Servers are restarted, wires cut and databases
 * lost meanwhile, where asked for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from './surroundings.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';
import type { World } from './world.js';

/** How often, while the plan runs. */
export interface Disturbance {
  readonly kills: number;
  readonly pauses: number;
  /** Of Temporal and of PostgreSQL, by turns; only with servers of the soak's own. */
  readonly restarts: number;
  /** All connections of the workers to one of the two are reset, by turns. */
  readonly cuts: number;
  /** The database fails over to a replica that lacks the last commits. */
  readonly failovers: number;
}

export interface Disturbed extends Disturbance {
  /** Worker processes that ended by themselves and had to be started again. */
  readonly workersLost: number;
}

export const UNDISTURBED: Disturbance = { kills: 0, pauses: 0, restarts: 0, cuts: 0, failovers: 0 };

const STEP_MS = 5;
const SWEEP_MS = 400;
const SHORT_PAUSE_MS = 13_000;
const LONG_PAUSE_MS = 75_000;
const BETWEEN_PAUSES_MS = 1_500;
const RESTART_EVERY_MS = 20_000;
const CUT_EVERY_MS = 6_000;
const FAILOVER_EVERY_MS = 30_000;
const FORGOTTEN_FOR_MS = 1_500;
const SUPERVISE_EVERY_MS = 2_000;
const START_TRIES = 8;

export interface Pool {
  readonly workers: WorkerProcess[];
  stop(): Promise<void>;
}

export async function openPool({ env }: Pick<World, 'env'>, size: number): Promise<Pool> {
  const workers: WorkerProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.kill()));
  };
  try {
    while (workers.length < size) workers.push(await startWorkerProcess(env));
  } catch (error) {
    await stop();
    throw error;
  }
  return { workers, stop };
}

/** Runs the plan with a pool of workers and what disturbs them; disturbances end with it. */
export async function runDisturbed<T>(
  world: World,
  wanted: Disturbance & { readonly workers: number },
  { plan, servers, wires = [], forgetful }: Surroundings & { readonly plan: () => Promise<T> },
): Promise<{ readonly value: T; readonly disturbed: Disturbed }> {
  const pool = await openPool(world, wanted.workers);
  const over = new AbortController();
  const { signal } = over;
  const none = Promise.resolve(0);
  try {
    const running = plan().finally(() => over.abort());
    const counts = Promise.all([
      sweepKills(world, pool, { times: wanted.kills, signal }),
      sweepPauses(pool, { times: wanted.pauses, signal }),
      servers === undefined ? none : sweepRestarts(servers, { times: wanted.restarts, signal }),
      wires.length === 0 ? none : sweepCuts(wires, { times: wanted.cuts, signal }),
      forgetful === undefined ? none : sweepFailovers(forgetful, { times: wanted.failovers, signal }),
      supervise(world, pool, signal),
    ]);
    // Awaited after the plan; until then a failure must not end the process as unhandled.
    counts.catch(() => undefined);
    const value = await running;
    const [kills, pauses, restarts, cuts, failovers, workersLost] = await counts;
    return { value, disturbed: { kills, pauses, restarts, cuts, failovers, workersLost } };
  } finally {
    over.abort();
    await pool.stop();
  }
}

interface Sweep {
  readonly times: number;
  readonly signal: AbortSignal;
}

/** Does it so often, after a while each; returns how often there was time for it. */
async function repeat(
  { times, signal }: Sweep,
  { everyMs, act }: { readonly everyMs: number; readonly act: (done: number) => void | Promise<void> },
): Promise<number> {
  let done = 0;
  for (; done < times && (await rest(everyMs, signal)); done += 1) await act(done);
  return done;
}

/** Kills the first worker of the pool; a fresh one takes its place. */
async function sweepKills(world: World, pool: Pool, { times, signal }: Sweep): Promise<number> {
  if (times === 0) return 0;
  const start = (): Promise<WorkerProcess> => {
    const starting = startPatiently(world.env);
    // Awaited later; until then a failure must not end the process as unhandled.
    starting.catch(() => undefined);
    return starting;
  };
  let spare = start();
  let killed = 0;
  for (; killed < times && !signal.aborted; killed += 1) {
    await untilRequest(world, signal);
    await sleep((killed * STEP_MS) % SWEEP_MS);
    await pool.workers[0]?.kill();
    pool.workers[0] = await spare;
    spare = start();
  }
  await (await spare).kill();
  return killed;
}

/** The last worker of the pool is never killed: freezing it and killing it would be one disturbance. */
function sweepPauses(pool: Pool, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: BETWEEN_PAUSES_MS,
    act: async (done) => pool.workers.at(-1)?.freeze(done % 3 === 2 ? LONG_PAUSE_MS : SHORT_PAUSE_MS),
  });
}

/** SIGKILL, and started again on the same files and ports. */
function sweepRestarts(servers: NonNullable<Surroundings['servers']>, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: RESTART_EVERY_MS,
    act: (done) => (done % 2 === 0 ? servers.restartTemporal() : servers.restartPostgres()),
  });
}

function sweepCuts(wires: NonNullable<Surroundings['wires']>, sweep: Sweep): Promise<number> {
  return repeat(sweep, { everyMs: CUT_EVERY_MS, act: (done) => wires[done % wires.length]?.dropAll() });
}

/** The database is lost with its last commits: an asynchronous replica that has not received them takes its place. */
function sweepFailovers({ cluster, wire }: NonNullable<Surroundings['forgetful']>, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: FAILOVER_EVERY_MS,
    act: async () => {
      await cluster.beginToForget();
      await sleep(FORGOTTEN_FOR_MS);
      wire.lead(undefined);
      await cluster.forget();
      wire.lead(new URL(cluster.url()).host);
    },
  });
}

/** What a supervisor of processes does: a worker that ended by itself is started again. Returns how many did. */
async function supervise(world: World, pool: Pool, signal: AbortSignal): Promise<number> {
  let lost = 0;
  while (await rest(SUPERVISE_EVERY_MS, signal)) {
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
      if (attempt === START_TRIES) throw error;
      await sleep(1_000);
    }
  }
}

/** False when all is over. */
async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** Until the service has received one more request, or five seconds later. */
async function untilRequest({ service }: World, signal: AbortSignal): Promise<void> {
  const latest = async (): Promise<number> => (await service.received()).at(-1)?.n ?? 0;
  const before = await latest();
  const untilMs = Date.now() + 5_000;
  while (!signal.aborted && Date.now() < untilMs) {
    if ((await latest()) > before) return;
    await sleep(5);
  }
}
