/**
 * Disturbances while a plan runs. A kill happens some milliseconds after the service received a request, 5 ms more each time,
 * so that a sweep covers intent, send, answer, spool and settlement. A pause is longer than an attempt may wait before it sends,
 * every third one longer than the whole activity: after the thaw its attempts must not send. On request, servers are restarted,
 * wires cut and databases lost. On a cluster, nodes, database and bridges are killed as well, and each worker has its own
 * folder, with which it restarts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openBridges, type Bridges } from './cluster/bridges.js';
import { patiently } from './patiently.js';
import { openPool, ownEnv, rest, type Pool } from './pool.js';
import type { Surroundings } from './surroundings.js';
import type { WorkerProcess } from './worker-process.js';
import type { World } from './world.js';

/** How many of each, while the plan runs. */
export interface Disturbance {
  readonly kills: number;
  readonly pauses: number;
  /** Restarts of Temporal and PostgreSQL, alternating; only with servers that the soak has started. */
  readonly restarts: number;
  /** Resets all connections of the workers to one of the two, alternating. */
  readonly cuts: number;
  /** The database fails over to a replica that lacks the last commits. */
  readonly failovers: number;
  /** Temporal nodes of a cluster, in turn. These three are killed with SIGKILL and restarted. */
  readonly nodeKills: number;
  readonly databaseKills: number;
  readonly bridgeKills: number;
}

export interface Disturbed extends Disturbance {
  /** Worker processes that ended by themselves and had to be restarted. */
  readonly workersLost: number;
}

export const UNDISTURBED: Disturbance = {
  kills: 0,
  pauses: 0,
  restarts: 0,
  cuts: 0,
  failovers: 0,
  nodeKills: 0,
  databaseKills: 0,
  bridgeKills: 0,
};

const STEP_MS = 5;
const SWEEP_MS = 400;
const SHORT_PAUSE_MS = 13_000;
const LONG_PAUSE_MS = 75_000;
const BETWEEN_PAUSES_MS = 1_500;
const RESTART_EVERY_MS = 20_000;
const CUT_EVERY_MS = 6_000;
const FAILOVER_EVERY_MS = 30_000;
const FORGOTTEN_FOR_MS = 1_500;
/** On a cluster: the pause before each kill, and how long the return of the killed process takes on a busy machine. */
const CLUSTER_SWEEPS = {
  kills: { everyMs: 6_000, returnMs: 12_000 },
  nodeKills: { everyMs: 20_000, returnMs: 15_000 },
  databaseKills: { everyMs: 45_000, returnMs: 10_000 },
  bridgeKills: { everyMs: 20_000, returnMs: 10_000 },
} as const;
/** Every third killed worker comes back this much later, while the other one works. */
const AWAY_MS = 15_000;

/** Maximum duration of the disturbances of a cluster; a plan must last as long. */
export function lastsMs(wanted: Disturbance): number {
  const sweeps = Object.entries(CLUSTER_SWEEPS) as readonly (readonly [
    keyof typeof CLUSTER_SWEEPS,
    (typeof CLUSTER_SWEEPS)['kills'],
  ])[];
  return Math.max(...sweeps.map(([kind, { everyMs, returnMs }]) => wanted[kind] * (everyMs + returnMs)));
}

/** Runs the plan with a pool of workers and with disturbances, which end with the plan. */
export async function runDisturbed<T>(
  world: World,
  wanted: Disturbance & { readonly workers: number },
  { plan, servers, wires = [], forgetful, cluster }: Surroundings & { readonly plan: () => Promise<T> },
): Promise<{ readonly value: T; readonly disturbed: Disturbed }> {
  const bridges = cluster === undefined ? undefined : await openBridges(world);
  const pool = await openPool(
    world,
    wanted.workers,
    cluster === undefined ? {} : { envOf: (place) => ownEnv(world, place) },
  ).catch(async (error: unknown) => {
    await bridges?.stop();
    throw error;
  });
  const over = new AbortController();
  const { signal } = over;
  const none = Promise.resolve(0);
  try {
    const running = plan().finally(() => over.abort());
    const counts = Promise.all([
      (cluster === undefined ? sweepKills : sweepOwnKills)(world, pool, { times: wanted.kills, signal }),
      sweepPauses(pool, { times: wanted.pauses, signal }),
      servers === undefined ? none : sweepRestarts(servers, { times: wanted.restarts, signal }),
      wires.length === 0 ? none : sweepCuts(wires, { times: wanted.cuts, signal }),
      forgetful === undefined ? none : sweepFailovers(forgetful, { times: wanted.failovers, signal }),
      cluster === undefined ? none : sweepNodes(cluster, { times: wanted.nodeKills, signal }),
      cluster === undefined ? none : sweepDatabase(cluster, { times: wanted.databaseKills, signal }),
      bridges === undefined ? none : sweepBridges(bridges, { times: wanted.bridgeKills, signal }),
      pool.supervise(signal),
    ]);
    // Awaited after the plan; until then a failure must not end the process as an unhandled rejection.
    counts.catch(() => undefined);
    const value = await running;
    const [kills, pauses, restarts, cuts, failovers, nodeKills, databaseKills, bridgeKills, workersLost] = await counts;
    const disturbed = { kills, pauses, restarts, cuts, failovers, nodeKills, databaseKills, bridgeKills, workersLost };
    return { value, disturbed };
  } finally {
    over.abort();
    await pool.stop();
    await bridges?.stop();
  }
}

interface Sweep {
  readonly times: number;
  readonly signal: AbortSignal;
}

/** Acts up to `times` times, with a pause before each; returns how often there was time for it. */
async function repeat(
  { times, signal }: Sweep,
  { everyMs, act }: { readonly everyMs: number; readonly act: (done: number) => void | Promise<void> },
): Promise<number> {
  let done = 0;
  for (; done < times && (await rest(everyMs, signal)); done += 1) await act(done);
  return done;
}

/** Kills the first worker of the pool; a new one takes its place. */
async function sweepKills(world: World, pool: Pool, { times, signal }: Sweep): Promise<number> {
  if (times === 0) return 0;
  const start = (): Promise<WorkerProcess> => {
    const starting = pool.start(0);
    // Awaited later; until then a failure must not end the process as an unhandled rejection.
    starting.catch(() => undefined);
    return starting;
  };
  let spare = start();
  let killed = 0;
  while (killed < times && !signal.aborted) {
    await untilRequest(world, signal);
    await sleep((killed * STEP_MS) % SWEEP_MS);
    const next = spare;
    if (!(await pool.replace(0, () => next))) continue;
    spare = start();
    killed += 1;
  }
  await (await spare).kill();
  return killed;
}

/** Freezes the last worker of the pool, which is never killed: both at once would be one disturbance. */
function sweepPauses(pool: Pool, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: BETWEEN_PAUSES_MS,
    act: async (done) => pool.workers.at(-1)?.freeze(done % 3 === 2 ? LONG_PAUSE_MS : SHORT_PAUSE_MS),
  });
}

/** SIGKILL, then a restart on the same files and ports. */
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

/** Kills the workers in turn. */
async function sweepOwnKills(world: World, pool: Pool, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: CLUSTER_SWEEPS.kills.everyMs,
    act: async (done) => {
      await untilRequest(world, sweep.signal);
      await sleep((done * STEP_MS) % SWEEP_MS);
      const place = done % pool.workers.length;
      await pool.replace(place, async () => {
        if (done % 3 === 2) await rest(AWAY_MS, sweep.signal);
        return pool.start(place);
      });
    },
  });
}

function sweepNodes({ nodes }: NonNullable<Surroundings['cluster']>, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: CLUSTER_SWEEPS.nodeKills.everyMs,
    act: async (done) => {
      const node = nodes[done % nodes.length];
      await node?.kill();
      await patiently(async () => node?.start());
    },
  });
}

function sweepDatabase(cluster: NonNullable<Surroundings['cluster']>, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: CLUSTER_SWEEPS.databaseKills.everyMs,
    act: () => cluster.restartPostgres(),
  });
}

function sweepBridges(bridges: Bridges, sweep: Sweep): Promise<number> {
  return repeat(sweep, {
    everyMs: CLUSTER_SWEEPS.bridgeKills.everyMs,
    act: (done) => patiently(() => bridges.restart(done % bridges.addresses.length)),
  });
}

/** Waits until the service has received one more request, at most five seconds. */
async function untilRequest({ service }: World, signal: AbortSignal): Promise<void> {
  const latest = async (): Promise<number> => (await service.received()).at(-1)?.n ?? 0;
  const before = await latest();
  const untilMs = Date.now() + 5_000;
  while (!signal.aborted && Date.now() < untilMs) {
    if ((await latest()) > before) return;
    await sleep(5);
  }
}
