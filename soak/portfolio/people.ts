/**
 * The people beside a sweep: one asks for cases of their own while it runs, one decides what parks by the service's charge
 * book. Both go through the same doors as everybody.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readProgress, startRefreshCase } from '../../src/starters/index.js';
import { decide } from '../person.js';
import type { PlannedCall } from '../types.js';
import type { World } from '../world.js';

const LOOK_EVERY_MS = 2_000;

/** A refresh of one case as a call that has arguments of its own. */
export function refreshOf(cnj: string, n: number): PlannedCall {
  return { n, operation: 'requestRefresh', flow: 'refreshCase', input: { cnj }, params: { cnj } };
}

export interface Asked {
  readonly workflowId: string;
  readonly runId: string;
  readonly seconds: number;
}

/** One after the other, each waited for. */
export async function askFor(world: World, cases: readonly string[]): Promise<readonly Asked[]> {
  const { client, token } = world;
  const asked: Asked[] = [];
  for (const cnj of cases) {
    const startedMs = performance.now();
    const deps = { client, taskQueue: world.config.taskQueue, token };
    const handle = await startRefreshCase(deps, { cnj, webhook: false });
    await handle.result();
    const { workflowId, runId } = handle;
    asked.push({ workflowId, runId, seconds: (performance.now() - startedMs) / 1_000 });
  }
  return asked;
}

/** Decides until it is told to stop; returns how often. */
export async function decideParked(world: World, over: AbortSignal): Promise<number> {
  let decisions = 0;
  while (!over.aborted) {
    for (const { workflowId } of await parkedRefreshes(world)) {
      try {
        const progress = await world.client.withDeadline(Date.now() + 5_000, () =>
          readProgress(world.client, workflowId),
        );
        if (progress.state !== 'parked') continue;
        await decide(world, refreshOf(workflowId.split(/[./]/).at(-1) ?? '', 0), { workflowId, progress });
        decisions += 1;
      } catch {
        // It moved meanwhile, or no worker was there: looked at again.
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return decisions;
}

export async function runningRefreshes(world: World): Promise<readonly RunOf[]> {
  return list(world, `${ours(world)} AND ExecutionStatus = "Running"`);
}

async function parkedRefreshes(world: World): Promise<readonly RunOf[]> {
  try {
    return await list(world, `${ours(world)} AND ExecutionStatus = "Running" AND TramitaAttention IS NOT NULL`);
  } catch {
    // Asked again.
    return [];
  }
}

interface RunOf {
  readonly workflowId: string;
  readonly runId: string;
}

async function list({ client }: World, query: string): Promise<readonly RunOf[]> {
  const runs: RunOf[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) runs.push({ workflowId, runId });
  return runs;
}

/** The refreshes of this soak. */
export function ours({ config }: World): string {
  return `WorkflowType = "refreshCase" AND TaskQueue = "${config.taskQueue}"`;
}
