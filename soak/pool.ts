/** Worker processes in numbered places, and their supervisor. */
import { setTimeout as sleep } from 'node:timers/promises';
import { patiently } from './patiently.js';
import { startWorkerProcess, type OnSpawn, type WorkerProcess } from './worker-process.js';
import type { World } from './world.js';

const SUPERVISE_EVERY_MS = 2_000;

type Env = World['env'];

export interface Pool {
  readonly workers: WorkerProcess[];
  /** Kills the worker in this place, and `next` replaces it. False, without any action, if the place is already being filled. */
  replace(place: number, next: () => Promise<WorkerProcess>): Promise<boolean>;
  /** Starts a worker for this place; retries while a server is starting. */
  start(place: number): Promise<WorkerProcess>;
  /** Until the signal, restarts workers that ended by themselves; returns how many did. */
  supervise(signal: AbortSignal): Promise<number>;
  stop(): Promise<void>;
}

interface PoolOptions {
  /** Environment of the worker in this place; default: the same for all. */
  readonly envOf?: (place: number) => Env;
  readonly onSpawn?: OnSpawn;
}

export async function openPool(
  { env }: { readonly env: Env },
  size: number,
  { envOf = () => env, onSpawn }: PoolOptions = {},
): Promise<Pool> {
  const start = (place: number): Promise<WorkerProcess> => startWorkerProcess(envOf(place), { onSpawn });
  const workers: WorkerProcess[] = [];
  const filling = new Set<number>();
  const pool: Pool = {
    workers,
    start: (place) => patiently(() => start(place)),
    replace: async (place, next) => {
      if (filling.has(place)) return false;
      filling.add(place);
      try {
        await workers[place]?.kill();
        workers[place] = await next();
      } finally {
        filling.delete(place);
      }
      return true;
    },
    supervise: async (signal) => {
      let lost = 0;
      while (await rest(SUPERVISE_EVERY_MS, signal)) {
        for (const [place, worker] of workers.entries()) {
          if (!worker.isAlive() && (await pool.replace(place, () => pool.start(place)))) lost += 1;
        }
      }
      return lost;
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.kill()));
    },
  };
  try {
    while (workers.length < size) workers.push(await start(workers.length));
  } catch (error) {
    await pool.stop();
    throw error;
  }
  return pool;
}

/** A separate folder for spool and journal, as on a separate machine. */
export function ownEnv({ env }: { readonly env: Env }, place: number): Env {
  const { TRAMITA_FILES_DIR: shared = '' } = env;
  return { ...env, TRAMITA_FILES_DIR: `${shared}-${place}`, TRAMITA_FILES: shared };
}

/** False when the signal was aborted. */
export async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
