/** One wave of flows with canaries in their inputs, and the person who decides what parks in the meantime. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createStarterDeps } from '../../src/config/index.js';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/protocol/index.js';
import { readProgress, resumeFlow, settleCharge, starterOf } from '../../src/starters/index.js';
import { KINDS, placeAt } from '../flows/kinds.js';
import { progressWithin } from '../flow-book.js';
import type { World } from '../world.js';
import { badAsks, CHARGED, personalAsks, type Ask, type Fault } from './asked.js';
import type { Canaries } from './canaries.js';

export interface Wave {
  readonly index: number;
  readonly seed: number;
  /** Each is armed for every charged operation, `TIMES` times. */
  readonly faults: readonly Fault[];
  readonly endsWithinMs: number;
}

export interface Played {
  readonly workflowIds: readonly string[];
  /** Messages of the starters to their callers, who may log them. */
  readonly errors: readonly string[];
}

/** A case with documents. */
export const HAPPY = '1000001-51.2026.8.26.0100';
const TIMES = 2;
const LOOK_EVERY_MS = 250;
const ANSWERS_WITHIN_MS = 5_000;
const DECIDED_WITHIN_MS = 10_000;
const MOST_DECISIONS = 3;
/** Case numbers per seed, one per wave. */
const WAVES_PER_SEED = 40;
const SEEDS = 1_000;

/** Every type of flow with ordinary input, flows that name a person, and flows that must be refused. */
export async function playWave(world: World, canaries: Canaries, wave: Wave): Promise<Played> {
  const { service, client, config, taskQueue } = world;
  for (const fault of wave.faults) {
    for (const operation of CHARGED) await service.arm({ ...fault, operation, times: TIMES });
  }
  const n = (wave.seed % SEEDS) * WAVES_PER_SEED + wave.index + 1;
  const deps = createStarterDeps(config, client);
  const workflowIds: string[] = [];
  const errors: string[] = [];
  const start = async ({ type, input }: Ask): Promise<void> => {
    try {
      workflowIds.push((await starterOf(type)(deps, input, {})).workflowId);
    } catch (error) {
      errors.push(error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error));
    }
  };
  const happy: Ask = { type: 'refreshCase', input: { cnj: HAPPY, documents: true, download: true } };
  const bad = badAsks(canaries);
  await Promise.all([happy, ...personalAsks(canaries, n), ...(await ordinary(world, n)), ...bad].map(start));
  // Bypasses the starters, which would refuse them, as a program in another language could.
  for (const [place, { type, input }] of bad.entries()) {
    const workflowId = `bad-${wave.index}-${place}`;
    await client.workflow.start(type, { taskQueue, workflowId, args: [input] });
    workflowIds.push(workflowId);
  }
  await untilEnded(world, wave.endsWithinMs);
  return { workflowIds, errors };
}

async function ordinary(world: World, n: number): Promise<readonly Ask[]> {
  const place = placeAt(world, world.service);
  const asks: Ask[] = [];
  for (const type of WORKFLOW_TYPES) {
    try {
      const { input } = await KINDS[type](n, place);
      asks.push({ type, input });
    } catch {
      // The service was told to fail, or the database is down.
    }
  }
  return asks;
}

function running(taskQueue: string): string {
  return `TaskQueue = "${taskQueue}" AND ExecutionStatus = "Running"`;
}

export async function untilEnded({ client, taskQueue }: World, withinMs: number): Promise<void> {
  const untilMs = Date.now() + withinMs;
  while (Date.now() < untilMs && (await client.workflow.count(running(taskQueue))).count > 0)
    await sleep(LOOK_EVERY_MS);
}

/** For people: flows that are still running, and what they wait for. */
export async function describeRunning({ client, taskQueue }: World): Promise<readonly string[]> {
  const described: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: running(taskQueue) })) {
    const progress = await progressWithin(client, workflowId, ANSWERS_WITHIN_MS);
    described.push(`${workflowId}: ${progress?.state ?? 'no answer'} (${progress?.waitingFor ?? ''})`);
  }
  return described;
}

/**
 * Decides what is parked: first that it was not charged, then that the flow is given up. The notes name persons, as people's
 * notes do. A note with a personal number is refused.
 */
export function decideParked(
  { client, taskQueue }: World,
  { name, cpf }: Canaries,
): { readonly refusals: readonly string[]; readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const tries = new Map<string, number>();
  const query = `${running(taskQueue)} AND ${SEARCH_ATTRIBUTES.attention} IS NOT NULL`;
  const refusals: string[] = [];
  const named = { by: 'canary', note: `spoke with ${name}` };
  const numbered = { by: 'canary', note: `spoke with ${name}, CPF ${cpf}` };
  const within = <T>(ms: number, ask: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + ms, ask);
  const decide = async (workflowId: string): Promise<void> => {
    const done = tries.get(workflowId) ?? 0;
    tries.set(workflowId, done + 1);
    if (done >= MOST_DECISIONS) {
      await client.workflow.getHandle(workflowId).terminate('the canary run ends it');
      return;
    }
    const { attention, steps } = await within(ANSWERS_WITHIN_MS, () => readProgress(client, workflowId));
    const isCharge = attention !== null && ['unknown-charge', 'ledger-lost', 'charged-lost'].includes(attention);
    const decision = attention === 'charged-lost' || done > 0 ? 'abandon' : 'not-charged';
    const say = (words: typeof named): Promise<unknown> =>
      within(DECIDED_WITHIN_MS, async () =>
        isCharge
          ? settleCharge(client, workflowId, { step: steps.at(-1)?.step ?? '', decision, ...words })
          : resumeFlow(client, workflowId, words),
      );
    await say(numbered).catch((error: unknown) => refusals.push(toldBy(error)));
    await say(named);
  };
  const look = async (): Promise<void> => {
    // The flow has moved in the meantime, or no worker was there: the next round tries again.
    for await (const { workflowId } of client.workflow.list({ query })) await decide(workflowId).catch(() => undefined);
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      await look().catch(() => undefined);
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    refusals,
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}

function toldBy(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
