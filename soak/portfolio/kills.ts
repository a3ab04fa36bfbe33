/** Kills the only worker with SIGKILL at random moments, and starts a new one in its place. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Random } from '../random.js';
import type { World } from '../world.js';
import { readRunning } from './runs.js';

const LOOK_EVERY_MS = 100;
const QUIET_LOOK_EVERY_MS = 5;
/** On a slow machine no such moment may come before everything is over. */
const QUIET_WITHIN_MS = 5_000;
/** `PENDING_ACTIVITY_STATE_STARTED`. */
const STARTED = 2;

/** Numbers of charges after which the worker is killed: in the first half, so that one life is long enough to judge its memory. */
export function planKills(refreshed: number, kills: number, random: Random): readonly number[] {
  return Array.from({ length: kills }, (_none, place) =>
    Math.max(1, Math.floor((refreshed * (place + 0.2 + 0.6 * random.next())) / (2 * kills))),
  );
}

/** Returns the number of kills: fewer than planned when everything was over before. */
export async function killAt(
  world: World,
  moments: readonly number[],
  around: {
    /** Kills the worker and starts the next one. */
    readonly replace: () => Promise<void>;
    readonly over: AbortSignal;
    readonly quiet: boolean;
    readonly say: (text: string) => void;
  },
): Promise<number> {
  const { replace, over, quiet, say } = around;
  let kills = 0;
  for (const moment of moments) {
    if (!(await untilCharged(world, moment, over))) break;
    if (quiet) await untilQuiet(world, AbortSignal.any([over, AbortSignal.timeout(QUIET_WITHIN_MS)]));
    if (over.aborted) break;
    const charges = (await world.service.charges()).length;
    await replace();
    kills += 1;
    say(`portfolio: worker killed after ${charges} charges`);
  }
  return kills;
}

/** False when everything was over before. */
export async function untilCharged(world: World, wanted: number, over: AbortSignal): Promise<boolean> {
  while ((await world.service.charges()).length < wanted) {
    if (over.aborted) return false;
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

/** Waits until no charged call is open and no worker runs an activity of a refresh, whose loss would show a minute later. */
async function untilQuiet(world: World, enough: AbortSignal): Promise<void> {
  while (!enough.aborted) {
    const { rows } = await sql`select from tramita.intent where state = 'open' limit 1`.execute(world.db);
    if (rows.length === 0 && !(await isAnyStarted(world))) return;
    await sleep(QUIET_LOOK_EVERY_MS);
  }
}

async function isAnyStarted(world: World): Promise<boolean> {
  for (const { workflowId, runId } of await readRunning(world)) {
    const { raw } = await world.client.workflow.getHandle(workflowId, runId).describe();
    if (raw.pendingActivities?.some(({ state }) => Number(state) === STARTED) === true) return true;
  }
  return false;
}
