/**
 * Kills and pauses of workers while calls run. A kill falls a few milliseconds after a request of the service was seen, five
 * more each time, so that a sweep covers intent, send, answer, spool and settlement. A pause is longer than the age fence, every
 * third one longer than the whole activity: its thawed attempts must find a closed door.
 */
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';
import type { World } from './world.js';

export interface Disturbance {
  readonly kills: number;
  readonly pauses: number;
}

const STEP_MS = 5;
const SWEEP_MS = 400;
const SHORT_PAUSE_MS = 13_000;
const LONG_PAUSE_MS = 75_000;

export interface Pool {
  readonly workers: WorkerProcess[];
  stop(): Promise<void>;
}

export async function openPool(world: World, size: number, root?: string): Promise<Pool> {
  const workers: WorkerProcess[] = [];
  for (let each = 0; each < size; each += 1) workers.push(await startWorkerProcess(world.env, root));
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
  const start = (): Promise<WorkerProcess> => startWorkerProcess(world.env).catch(() => startWorkerProcess(world.env));
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

async function untilRequest(world: World, after: number, over: AbortSignal): Promise<void> {
  const until = Date.now() + 5_000;
  while (!over.aborted && Date.now() < until) {
    if (((await world.requests()).at(-1)?.n ?? 0) > after) return;
    await sleep(5);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
