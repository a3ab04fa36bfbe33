/** The refreshes as Temporal saw them: how each case ended, how long people and the sweep waited, how they were queued. */
import type { World } from '../world.js';
import type { EndedCall } from '../types.js';
import { median } from './memory.js';
import { ours, refreshOf, type Asked } from './people.js';
import type { Latency, Priorities } from './types.js';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly status: string;
  readonly startedMs: number;
  /** Undefined while it runs. */
  readonly endedMs: number | undefined;
}

const LOOKED_AT = 3;

export async function readRuns(world: World): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for await (const { workflowId, runId, status, startTime, closeTime } of world.client.workflow.list({
    query: ours(world),
  })) {
    const startedMs = startTime.getTime();
    runs.push({ workflowId, runId, status: status.name, startedMs, endedMs: closeTime?.getTime() });
  }
  return runs;
}

/** Every case that had a run, as a call that may be charged once; it ended as its last run did. Pure. */
export function callsOf(runs: readonly Run[]): readonly EndedCall[] {
  const last = new Map<string, Run>();
  for (const run of runs) {
    if ((last.get(run.workflowId)?.startedMs ?? -1) < run.startedMs) last.set(run.workflowId, run);
  }
  return [...last.values()].map(({ workflowId, status }, place) => ({
    call: refreshOf(caseOf(workflowId), place),
    workflowId,
    end: status === 'COMPLETED' ? 'done' : status === 'RUNNING' ? 'not ended' : 'failed',
    parked: [],
    decisions: 0,
  }));
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

/** Temporal's, of five; 0 on the wire. */
const DEFAULT_KEY = 3;

function caseOf(workflowId: string): string {
  return workflowId.split(/[./]/).at(-1) ?? '';
}

function medianSeconds(runs: readonly Run[]): number {
  return median(runs.map(({ startedMs, endedMs = startedMs }) => endedMs - startedMs)) / 1_000;
}
