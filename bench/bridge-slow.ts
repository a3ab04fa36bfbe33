/**
 * Genuine deliveries before and while strangers hold connections with unfinished bodies, then many deliveries of 1 MB at
 * once. The bridge runs in another process, whose memory is watched all the time.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { BENCH_SECRET, buildBody, buildCnj, buildRequest } from './bridge-deliveries.js';
import { percentile } from '../soak/numbers.js';
import { openLine } from './bridge-load.js';
import { startContender, type Contender } from './bridge-throughput.js';
import { nextMessage } from './run-bench.js';

interface Strangers {
  readonly connections: number;
  /** Time until the bridge had closed the last connection. */
  readonly closedWithinMs: number;
  readonly quietP99Ms: number;
  readonly attackedP99Ms: number;
  readonly ratioP99: number;
  readonly deliveriesDuring: number;
  /** Deliveries without an answer within the 10 s that the service waits. */
  readonly timedOut: number;
  /** Resident memory of the bridge before the attack, and its largest growth. */
  readonly memoryMb: number;
  readonly memoryGrowthMb: number;
}

interface LargeOnes {
  readonly deliveries: number;
  /** Answered 429 or 503, then sent again. */
  readonly repeated: number;
  readonly timedOut: number;
  /** Answered 202 but missing in the database. */
  readonly lost: number;
  readonly slowestMs: number;
  readonly memoryGrowthMb: number;
}

const PAUSE_MS = 5;
const QUIET = 600;
/** The service's time limit (interface "Delivery"). */
const TIMEOUT_MS = 10_000;
const LARGE_BYTES = 1_000_000;
const MOST_REPEATS = 50;

export async function measureStrangers(options: {
  readonly databaseUrl: string;
  readonly strangers: number;
  readonly large: number;
}): Promise<{ readonly strangers: Strangers; readonly large: LargeOnes }> {
  const bridge = await startContender('bridge', options.databaseUrl);
  let sent = 0;
  const deliverOne = async (): Promise<number> => {
    sent += 1;
    const request = buildRequest(buildBody(`slow-${sent}`, buildCnj(sent)), BENCH_SECRET);
    const { status, tookMs } = await ask(bridge.port, request);
    if (status !== 202 && status !== undefined) throw new Error(`bench: a genuine delivery was answered ${status}`);
    await pause();
    return status === undefined ? Infinity : tookMs;
  };
  try {
    const quiet: number[] = [];
    while (quiet.length < QUIET) quiet.push(await deliverOne());
    const strangers = await underStrangers({ bridge, count: options.strangers, quiet, deliverOne });
    const large = await manyLarge({ ...options, bridge });
    return { strangers, large };
  } finally {
    bridge.stop();
  }
}

async function underStrangers(run: {
  readonly bridge: Contender;
  readonly count: number;
  readonly quiet: readonly number[];
  readonly deliverOne: () => Promise<number>;
}): Promise<Strangers> {
  const memory = await watchMemory(run.bridge);
  const crowd = fork(join(__dirname, 'bridge-strangers.js'), [String(run.bridge.port), String(run.count)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let isOver = false;
  const attacked: number[] = [];
  const serving = (async () => {
    while (!isOver) attacked.push(await run.deliverOne());
  })();
  await nextMessage(crowd);
  const { closedWithinMs } = (await nextMessage(crowd)) as { readonly closedWithinMs: number };
  isOver = true;
  await serving;
  crowd.disconnect();
  const answered = attacked.filter(Number.isFinite);
  const [quietP99Ms, attackedP99Ms] = [percentile([...run.quiet], 0.99), percentile(answered, 0.99)];
  return {
    connections: run.count,
    closedWithinMs,
    quietP99Ms,
    attackedP99Ms,
    ratioP99: attackedP99Ms / quietP99Ms,
    deliveriesDuring: attacked.length,
    timedOut: attacked.length - answered.length,
    ...(await memory.stop()),
  };
}

/** Sends all at once. Each is retried as the service would, but sooner. */
async function manyLarge(run: {
  readonly bridge: Contender;
  readonly databaseUrl: string;
  readonly large: number;
}): Promise<LargeOnes> {
  const memory = await watchMemory(run.bridge);
  const padding = 'x'.repeat(LARGE_BYTES);
  let [repeated, timedOut, slowestMs] = [0, 0, 0];
  const deliver = async (place: number): Promise<void> => {
    const body = Buffer.from(JSON.stringify({ id: `large-${place}`, event: 'x', data: { padding } }));
    const request = buildRequest(body, BENCH_SECRET);
    for (let tries = 0; tries < MOST_REPEATS; tries += 1) {
      const { status, tookMs } = await ask(run.bridge.port, request);
      slowestMs = Math.max(slowestMs, tookMs);
      if (status === 202) return;
      if (status === undefined) timedOut += 1;
      else if (status !== 503 && status !== 429) throw new Error(`bench: a large delivery was answered ${status}`);
      repeated += 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  await Promise.all(Array.from({ length: run.large }, (_, place) => deliver(place)));
  const { memoryGrowthMb } = await memory.stop();
  const lost = run.large - (await countLarge(run.databaseUrl));
  return { deliveries: run.large, repeated, timedOut, lost, slowestMs, memoryGrowthMb };
}

async function countLarge(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly count: number }>(
      "select count(*)::int as count from tramita.event_feed where event_id like 'large-%' and length(body) > $1",
      [LARGE_BYTES],
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

/** Uses a new connection; `status` is undefined when no answer came in time. */
async function ask(
  port: number,
  request: Buffer,
): Promise<{ readonly status: number | undefined; readonly tookMs: number }> {
  const startedAt = performance.now();
  const line = await openLine(port);
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    patience = setTimeout(resolve, TIMEOUT_MS, undefined);
  });
  try {
    const answer = await Promise.race([line.ask(request).catch(() => undefined), late]);
    return { status: answer?.status, tookMs: performance.now() - startedAt };
  } finally {
    clearTimeout(patience);
    line.close();
  }
}

const MB = 1_048_576;
const LOOK_EVERY_MS = 50;

/** Watches the resident memory of a process until it is stopped. */
async function watchMemory(
  bridge: Contender,
): Promise<{ readonly stop: () => Promise<{ readonly memoryMb: number; readonly memoryGrowthMb: number }> }> {
  const before = (await bridge.usage()).rssBytes;
  let most = before;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      most = Math.max(most, (await bridge.usage()).rssBytes);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await looking;
      return { memoryMb: before / MB, memoryGrowthMb: (most - before) / MB };
    },
  };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
