/** The refreshes as Temporal recorded them: which have ended, how long people's and the sweep's took, and their priorities. */
import { median } from '../numbers.js';
import type { World } from '../world.js';
import type { Asked } from './people.js';
import type { Latency, Priorities } from './types.js';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly status: string;
  readonly startedMs: number;
  /** Undefined while it is running. */
  readonly endedMs: number | undefined;
}

const LOOKED_AT = 3;

/** The refreshes of this soak. */
export async function readRuns({ client, taskQueue }: World, more = ''): Promise<readonly Run[]> {
  const runs: Run[] = [];
  const query = `WorkflowType = "refreshCase" AND TaskQueue = "${taskQueue}"${more}`;
  for await (const { workflowId, runId, status, startTime, closeTime } of client.workflow.list({ query })) {
    runs.push({
      workflowId,
      runId,
      status: status.name,
      startedMs: startTime.getTime(),
      endedMs: closeTime?.getTime(),
    });
  }
  return runs;
}

export function readRunning(world: World): Promise<readonly Run[]> {
  return readRuns(world, ' AND ExecutionStatus = "Running"');
}

/** Pure. */
export function compareLatency(runs: readonly Run[], asked: readonly Asked[]): Latency {
  const own = new Set(asked.map(({ runId }) => runId));
  const people = runs.filter(({ runId }) => own.has(runId));
  const fromMs = Math.min(...people.map(({ startedMs }) => startedMs));
  const untilMs = Math.max(...people.map(({ endedMs = 0 }) => endedMs));
  const sweep = runs.filter(
    ({ runId, status, startedMs }) =>
      !own.has(runId) && status === 'COMPLETED' && startedMs >= fromMs && startedMs <= untilMs,
  );
  return { interactive: medianSeconds(people), sweep: medianSeconds(sweep), sweepSamples: sweep.length };
}

export async function readPriorities(world: World, runs: readonly Run[], asked: readonly Asked[]): Promise<Priorities> {
  const own = new Set(asked.map(({ runId }) => runId));
  const keysOf = async (some: readonly Run[]): Promise<readonly number[]> => {
    const keys: number[] = [];
    for (const { workflowId, runId } of some.slice(0, LOOKED_AT)) {
      const { priority } = await world.client.workflow.getHandle(workflowId, runId).describe();
      const { priorityKey = 0 } = priority ?? {};
      keys.push(priorityKey === 0 ? DEFAULT_KEY : priorityKey);
    }
    return keys;
  };
  return {
    interactive: await keysOf(runs.filter(({ runId }) => own.has(runId))),
    sweep: await keysOf(runs.filter(({ runId }) => !own.has(runId))),
  };
}

/** Temporal's default, of the keys 1 to 5; on the wire it is 0. */
const DEFAULT_KEY = 3;

function medianSeconds(runs: readonly Run[]): number {
  return median(runs.map(({ startedMs, endedMs = startedMs }) => endedMs - startedMs)) / 1_000;
}
