/**
 * Accepted deliveries per second of the bridge compared with those of the bare route: pairs in one run, in alternating
 * order, so that a slow moment of the machine hits both. The ratio of each pair counts, not the absolute figures.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Side } from './bridge-contender.js';
import { createDeliveries } from './bridge-deliveries.js';
import { median, percentile } from '../soak/numbers.js';
import { createRandom } from '../soak/random.js';
import { runLoad } from './bridge-load.js';
import { nextMessage } from './run-bench.js';

interface Usage {
  /** Processor time used so far, microseconds. */
  readonly cpuUs: number;
  /** Memory in use now. */
  readonly rssBytes: number;
}

export interface Contender {
  readonly port: number;
  readonly usage: () => Promise<Usage>;
  readonly stop: () => void;
}

interface SideFigures {
  readonly perSecond: number;
  readonly cpuUsEach: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Throughput {
  readonly pairs: number;
  /** Median of `ratios`. */
  readonly ratio: number;
  /** One for each pair. */
  readonly ratios: readonly number[];
  readonly bridge: SideFigures;
  readonly bare: SideFigures;
  readonly deliveries: { readonly new: number; readonly duplicate: number; readonly forged: number };
}

export async function startContender(side: Side, databaseUrl: string): Promise<Contender> {
  const child = fork(join(__dirname, 'bridge-contender.js'), [side, databaseUrl], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = (await nextMessage(child)) as { readonly port: number };
  return {
    port,
    usage: async () => {
      const answer = nextMessage(child);
      child.send('usage');
      return (await answer) as Usage;
    },
    stop: () => child.disconnect(),
  };
}

export async function measureThroughput(options: {
  readonly databaseUrl: string;
  readonly pairs: number;
  readonly forMs: number;
  readonly connections: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}): Promise<Throughput> {
  const { databaseUrl, pairs, forMs, connections, seed, say } = options;
  const contenders: Record<Side, Contender> = {
    bridge: await startContender('bridge', databaseUrl),
    bare: await startContender('bare', databaseUrl),
  };
  const figures: Record<Side, SideFigures[]> = { bridge: [], bare: [] };
  const deliveries = { new: 0, duplicate: 0, forged: 0 };
  const measure = async (side: Side, round: string, ms: number): Promise<SideFigures> => {
    const next = createDeliveries({ prefix: `${side}-${round}`, random: createRandom(seed) });
    const before = await contenders[side].usage();
    const load = await runLoad({ port: contenders[side].port, connections, forMs: ms, next });
    const cpuUs = (await contenders[side].usage()).cpuUs - before.cpuUs;
    for (const kind of ['new', 'duplicate', 'forged'] as const) deliveries[kind] += load.answered[kind];
    return {
      perSecond: load.accepted / load.seconds,
      cpuUsEach: cpuUs / (load.accepted + load.answered.forged),
      p50Ms: percentile(load.latenciesMs, 0.5),
      p99Ms: percentile(load.latenciesMs, 0.99),
    };
  };
  try {
    await measure('bridge', 'warm', forMs / 2);
    await measure('bare', 'warm', forMs / 2);
    for (let pair = 0; pair < pairs; pair += 1) {
      const order: readonly Side[] = pair % 2 === 0 ? ['bridge', 'bare'] : ['bare', 'bridge'];
      for (const side of order) figures[side].push(await measure(side, String(pair), forMs));
      const [bridge, bare] = [figures.bridge.at(-1)?.perSecond ?? 0, figures.bare.at(-1)?.perSecond ?? 0];
      say(
        `pair ${pair + 1}: bridge ${bridge.toFixed(0)}/s, bare ${bare.toFixed(0)}/s, ratio ${(bridge / bare).toFixed(2)}`,
      );
    }
  } finally {
    contenders.bridge.stop();
    contenders.bare.stop();
  }
  const ratios = figures.bridge.map((bridge, index) => bridge.perSecond / (figures.bare[index]?.perSecond ?? 0));
  return {
    pairs,
    ratio: median(ratios),
    ratios,
    bridge: middle(figures.bridge),
    bare: middle(figures.bare),
    deliveries,
  };
}

function middle(all: readonly SideFigures[]): SideFigures {
  const of = (name: keyof SideFigures): number => median(all.map((figures) => figures[name]));
  return { perSecond: of('perSecond'), cpuUsEach: of('cpuUsEach'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}
