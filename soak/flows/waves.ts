/**
 * Waves of all flows together. First undisturbed at the twin, which shows how long each takes. Then again: each flow starts
 * before one kill, so early that the kill hits it at a random part of its duration. Every other kill waits until the journal of
 * the service shows that a charged request has begun. A new worker takes over at once. Flows of earlier waves are still running
 * then, and are hit again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowType } from '../../src/protocol/index.js';
import { readRows } from '../books.js';
import { startPerson } from '../person.js';
import { createRandom, type Random } from '../random.js';
import { startWorkerProcess } from '../worker-process.js';
import { chargesOfRun } from './charges.js';
import { play, workflowIdOf } from './play.js';
import type { Stage } from './stage.js';
import type { FlowCase, FlowRun, Pair } from './types.js';

export interface WaveOptions {
  /** Number of kills that must hit each flow type. */
  readonly points: number;
  readonly seed: number;
  readonly types: readonly WorkflowType[];
}

interface Waves {
  readonly pairs: readonly Pair[];
  readonly kills: readonly number[];
}

/** A flow may have ended before its kill, or not have begun; then another case of its type is used. */
const SPARE_WAVES = 10;
/** Share of the duration at which kills are aimed: smaller when flows ended too early, greater when they had not begun. */
const SMALLER = 0.7;
const LEAD_MS = 400;
const CALM_WITHIN_MS = 2_500;
/** Short, so that no flow ends in the meantime. */
const BEGUN_WITHIN_MS = 300;
const BEGUN_LATEST_MS = 200;
const CASES_PER_SEED = 1_000;
const SEEDS = 500;

export async function runWaves(stage: Stage, options: WaveOptions, say: (text: string) => void): Promise<Waves> {
  const { points, seed, types } = options;
  const random = createRandom(seed);
  const kills: number[] = [];
  const going: Promise<Omit<Pair, 'kills'>>[] = [];
  const met = new Map<WorkflowType, number>();
  const shares = new Map<WorkflowType, number>();
  let n = 1 + (seed % SEEDS) * CASES_PER_SEED;
  const next = (type: WorkflowType): FlowCase => ({ type, n: (n += 1) });
  let worker = await startWorkerProcess(stage.world.env);
  const person = startPerson(stage.world);
  try {
    // The first runs of a process are slow, so they say nothing about durations.
    await playCalm(stage, types.map(next), random);
    for (let wave = 1; wave <= points + SPARE_WAVES; wave += 1) {
      const wanted = types.filter((type) => (met.get(type) ?? 0) < points);
      if (wanted.length === 0) break;
      const cases = wanted.map(next);
      const calm = await playCalm(stage, cases, random);
      const shareOf = (type: WorkflowType): number => random.next() * (shares.get(type) ?? 1);
      const started = await startBefore(stage, { calm, shareOf });
      going.push(...started.pairs);
      await until(started.killAtMs);
      if (wave % 2 === 0 && wave <= points) await untilCharging(stage, random);
      const killedAtMs = Date.now();
      kills.push(killedAtMs);
      await worker.kill();
      const [found, fresh] = await Promise.all([
        Promise.all(cases.map((flow) => placeOf(stage, flow, killedAtMs))),
        startWorkerProcess(stage.world.env),
      ]);
      worker = fresh;
      for (const [index, { type }] of cases.entries()) {
        const share = shares.get(type) ?? 1;
        if (found[index] === 'on its way') met.set(type, (met.get(type) ?? 0) + 1);
        else shares.set(type, found[index] === 'over' ? share * SMALLER : Math.min(1, share / SMALLER));
      }
      const hit = found.filter((place) => place === 'on its way').length;
      say(`wave ${wave}: ${hit} of ${cases.length} flows on their way when the worker was killed; ${slowestOf(calm)}`);
    }
    say(`waiting for ${going.length} flows`);
    const ended = await Promise.all(going);
    const hitBy = ({ killed }: Omit<Pair, 'kills'>): readonly number[] =>
      kills.filter((kill) => kill >= killed.startedAtMs && kill <= killed.endedAtMs);
    return { kills, pairs: ended.map((pair) => ({ ...pair, kills: hitBy(pair) })) };
  } finally {
    await worker.kill();
    void Promise.allSettled(going);
    await person.stop();
  }
}

/** Staggered as before the kill, so that they take as long. */
function playCalm(stage: Stage, cases: readonly FlowCase[], random: Random): Promise<FlowRun[]> {
  return Promise.all(
    cases.map(async (flow) => {
      await sleep(random.integer(CALM_WITHIN_MS));
      return play(stage, { flow, side: 'undisturbed', abouts: new Set() });
    }),
  );
}

/** Each flow at its own distance from the kill; resolves when all are planned, not when all have started. */
async function startBefore(
  stage: Stage,
  { calm, shareOf }: { readonly calm: readonly FlowRun[]; readonly shareOf: (type: WorkflowType) => number },
): Promise<{ readonly killAtMs: number; readonly pairs: readonly Promise<Omit<Pair, 'kills'>>[] }> {
  const rows = await readRows(stage.world);
  const book = await stage.services.undisturbed.charges();
  const ready = calm.map((run) => {
    const abouts = new Set(chargesOfRun(run, rows, book).map(({ about }) => about));
    return { run, abouts, leadMs: shareOf(run.case.type) * (run.endedAtMs - run.startedAtMs) };
  });
  const killAtMs = Date.now() + LEAD_MS + Math.max(...ready.map(({ leadMs }) => leadMs));
  const pairs = ready.map(async ({ run, leadMs, abouts }) => {
    await until(killAtMs - leadMs);
    return { undisturbed: run, killed: await play(stage, { flow: run.case, side: 'killed', abouts }) };
  });
  // Awaited at the end; until then a failure must not end the process as an unhandled rejection.
  for (const pair of pairs) pair.catch(() => undefined);
  return { killAtMs, pairs };
}

/** Waits until the next charged request is in the journal, and then for a moment within its answer. */
async function untilCharging({ services }: Stage, random: Random): Promise<void> {
  const { killed } = services;
  const before = (await killed.received()).at(-1)?.n ?? 0;
  const untilMs = Date.now() + BEGUN_WITHIN_MS;
  while (Date.now() < untilMs) {
    // The service delays exactly the charged requests.
    if ((await killed.received()).some(({ n, fault }) => n > before && fault !== null)) break;
    await sleep(15);
  }
  await sleep(random.integer(BEGUN_LATEST_MS));
}

function slowestOf(calm: readonly FlowRun[]): string {
  const seconds = ({ startedAtMs, endedAtMs }: FlowRun): number => (endedAtMs - startedAtMs) / 1_000;
  const [slowest] = [...calm].sort((left, right) => seconds(right) - seconds(left));
  return slowest === undefined ? '' : `slowest undisturbed: ${slowest.case.type}, ${seconds(slowest).toFixed(1)} s`;
}

/** Where the kill hit a flow. Nothing moves the flow now; one that began after the kill waits for a worker. */
async function placeOf(
  { world }: Stage,
  flow: FlowCase,
  killedAtMs: number,
): Promise<'on its way' | 'over' | 'not begun'> {
  try {
    const { status, startTime } = await world.client.workflow.getHandle(workflowIdOf(world, flow, 'killed')).describe();
    if (startTime.getTime() >= killedAtMs) return 'not begun';
    return status.name === 'RUNNING' ? 'on its way' : 'over';
  } catch {
    return 'not begun';
  }
}

function until(ms: number): Promise<void> {
  return sleep(Math.max(0, ms - Date.now()));
}
