/**
 * `npm run bench:waiting`: ten thousand refreshes that wait on one worker: its memory while nothing happens, how soon a new
 * flow begins beside them, and how soon a new worker works after the old one was killed.
 *
 *     npm run bench:waiting -- --flows 10000 --minutes 3 --heap 512
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { waitUntil, type Shutdown } from '../src/local/index.js';
import { readProgress, startRefreshCase } from '../src/starters/index.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { percentilesOf, type Percentiles } from '../soak/numbers.js';
import { patiently } from '../soak/patiently.js';
import { isFlat, longestLife, watchMemory, type Life } from '../soak/portfolio/memory.js';
import type { Memory } from '../soak/portfolio/types.js';
import { openWorld, type World } from '../soak/world.js';
import { runInShutdown, say, timed, type BenchResult } from './run-bench.js';

const STARTED_AT_ONCE = 50;
/** Flows that begin one after another beside the waiting ones. */
const FRESH = 20;
/** Waiting flows that are queried on a new worker, which has none of them in memory. */
const ASKED = 50;
const LOOK_EVERY_MS = 20;
const ALL_WAIT_WITHIN_MS = 20 * 60_000;
const BEGINS_WITHIN_MS = 120_000;
/** The service asks them to poll again after this time. */
const POLL_AFTER_MS = 5 * 60_000;

const MOST_FRESH_MS = 2_000;
const MOST_RESTART_S = 60;

interface Wanted {
  readonly flows: number;
  readonly heap: number;
  readonly minutes: number;
}

async function measure(shutdown: Shutdown, { flows, minutes, heap }: Wanted): Promise<BenchResult> {
  const world = await openWorld(shutdown, {
    sandbox: { refreshMs: 24 * 3_600_000, pollAfterMs: POLL_AFTER_MS },
    account: { concurrency: 40 },
    // As in the image; the container would have twice that memory.
    env: { MALLOC_ARENA_MAX: '2', NODE_OPTIONS: `--max-semi-space-size=8 --max-old-space-size=${heap}` },
  });
  const watch = watchMemory(world.env);
  shutdown.add({ name: 'memory watch', stop: () => void watch.stop() });
  const first = await watch.start();
  shutdown.add({ name: 'first worker', stop: () => first.kill() });
  const freshAlone = await beginFresh(world, flows + 1);

  const aloneUntilMs = Date.now();
  const begun = await timed(() => startAll(world, flows));
  const startedPerSecond = flows / begun.seconds;
  say(`${flows} flows wait, ${startedPerSecond.toFixed(1)} a second`);
  const waitingSinceMs = Date.now();
  const freshBeside = await beginFresh(world, flows + 1 + FRESH);
  say(`a new flow begins in ${freshBeside.p50.toFixed(0)} ms (p50; ${freshAlone.p50.toFixed(0)} alone)`);
  await sleep(minutes * 60_000);
  const [life] = watch.stop();
  const residentAloneMb = life?.resident.filter(({ atMs }) => atMs < aloneUntilMs).at(-1)?.mb;
  const memory = life === undefined ? null : longestLife([since(life, waitingSinceMs)]);

  await first.kill();
  const restart = await timed(async () => {
    const second = await watch.start();
    shutdown.add({ name: 'second worker', stop: () => second.kill() });
    await begins(world, flows + 1 + 2 * FRESH);
  });
  say(`a new worker works after ${restart.seconds.toFixed(1)} s`);
  const queryMs = await askAbout(world, flows);
  const freshAfter = await beginFresh(world, flows + 2 + 2 * FRESH);
  const figures = {
    flows,
    heapLimitMb: heap,
    startedPerSecond,
    residentAloneMb,
    memory,
    restartSeconds: restart.seconds,
    freshMs: { alone: freshAlone, beside: freshBeside, afterRestart: freshAfter },
    queryMs,
  };
  return { summary: figures, missed: missedBy(figures) };
}

function missedBy(figures: {
  readonly memory: Memory | null;
  readonly restartSeconds: number;
  readonly freshMs: Readonly<Record<string, Percentiles>>;
}): readonly string[] {
  const { memory, restartSeconds, freshMs } = figures;
  return [
    ...(memory === null || isFlat(memory) ? [] : ['the memory of the worker grows']),
    ...(restartSeconds <= MOST_RESTART_S ? [] : [`the new worker works after ${restartSeconds.toFixed(0)} s`]),
    ...Object.entries(freshMs)
      .filter(([, { p99 }]) => p99 > MOST_FRESH_MS)
      .map(([when, { p99 }]) => `a new flow (${when}) begins after ${p99.toFixed(0)} ms`),
  ];
}

/** Resolves when the call of each flow has been answered: pending. */
async function startAll(world: World, flows: number): Promise<void> {
  let next = 0;
  const starter = async (): Promise<void> => {
    while (next < flows) await start(world, (next += 1));
  };
  await Promise.all(Array.from({ length: STARTED_AT_ONCE }, starter));
  const check = async (): Promise<boolean> => {
    const { pending } = await world.db
      .selectFrom('tramita.intent')
      .select((row) => row.fn.countAll<string>().as('pending'))
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow();
    return Number(pending) >= flows;
  };
  await waitUntil({ what: 'that all flows wait', deadlineMs: ALL_WAIT_WITHIN_MS, everyMs: 1_000, check });
}

async function start({ client, taskQueue, token }: World, sequence: number): Promise<string> {
  const { workflowId } = await startRefreshCase({ client, taskQueue, token }, { cnj: cnjOf(sequence) });
  return workflowId;
}

function cnjOf(sequence: number): string {
  return caseNumberOf(1_000_000 + sequence);
}

async function beginFresh(world: World, from: number): Promise<Percentiles> {
  const times: number[] = [];
  for (let n = 0; n < FRESH; n += 1) times.push((await timed(() => begins(world, from + n))).seconds * 1_000);
  return percentilesOf(times);
}

/** Starts a flow and waits until its call is in the ledger, which is later than its first workflow task. */
async function begins(world: World, sequence: number): Promise<void> {
  const workflowId = await start(world, sequence);
  const check = async (): Promise<boolean> => {
    const row = await world.db
      .selectFrom('tramita.intent')
      .select('intent_id')
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst();
    return row !== undefined;
  };
  await waitUntil({ what: 'the beginning of a flow', deadlineMs: BEGINS_WITHIN_MS, everyMs: LOOK_EVERY_MS, check });
}

async function askAbout({ client }: World, flows: number): Promise<Percentiles> {
  const times: number[] = [];
  for (let n = 1; n <= ASKED; n += 1) {
    const cnj = cnjOf(Math.ceil((n * flows) / ASKED));
    // For ten seconds after a worker was killed, Temporal still routes queries to it, and they may fail.
    const { value, seconds } = await timed(() => patiently(() => readProgress(client, `refresh.default.${cnj}`)));
    if (value.state !== 'waiting') throw new Error(`bench: a waiting flow says ${value.state}`);
    times.push(seconds * 1_000);
  }
  return percentilesOf(times);
}

function since({ resident, heaps }: Life, fromMs: number): Life {
  const later = ({ atMs }: { readonly atMs: number }): boolean => atMs >= fromMs;
  return {
    resident: resident.filter(later),
    heaps: new Map([...heaps].map(([heap, samples]) => [heap, samples.filter(later)])),
  };
}

const wanted = new Command('bench:waiting')
  .option('--flows <n>', 'refreshes that wait', Number, 10_000)
  .option('--heap <mb>', 'what V8 may take for each of the two heaps of a worker, in MB', Number, 512)
  .option('--minutes <n>', 'how long the memory is watched', Number, 3)
  .parse()
  .opts<Wanted>();

runInShutdown('waiting', (shutdown) => measure(shutdown, wanted));
