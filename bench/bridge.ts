/**
 * Bench of the bridge, about a minute: accepted deliveries per second compared with a bare route, genuine deliveries while
 * strangers hold unfinished bodies, many large ones at once, and the time from a webhook to an awake flow compared with a
 * plain signal. `--only strangers` measures the second and third alone; `--strangers` and `--large` set their numbers. For
 * people on stderr; the last line on stdout is the summary as JSON. Exit code 1 when a target is missed.
 */
import { parseArgs } from 'node:util';
import { present } from '../src/contract/values/index.js';
import { measureStrangers } from './bridge-slow.js';
import { measureThroughput } from './bridge-throughput.js';
import { measureWake } from './bridge-wake.js';
import { runBench, say, type BenchResult } from './run-bench.js';
import { startServers, type Servers } from '../soak/servers.js';

const LEAST_RATIO = 0.6;
const CLOSED_WITHIN_MS = 12_000;
const MOST_P99_RATIO = 3;
/** Noise of the machine: below this, a p99 says nothing about the strangers. */
const NOISE_MS = 20;
const MOST_GROWTH_MB = 100;

const { values: given } = parseArgs({
  options: {
    only: { type: 'string' },
    strangers: { type: 'string', default: '3000' },
    large: { type: 'string', default: '256' },
  },
});

async function measure(): Promise<BenchResult> {
  const seed = Number(process.env['TRAMITA_BENCH_SEED'] ?? 1);
  const servers = await startServers();
  try {
    const under = await underStrangers(servers.databaseUrl);
    if (given.only === 'strangers') return { summary: { seed, ...under.summary }, missed: under.missed };
    const others = await inQuiet(servers, seed);
    return {
      summary: { seed, ...others.summary, ...under.summary },
      ...present({ ratios: others.ratios }),
      missed: [...others.missed, ...under.missed],
    };
  } finally {
    await servers.stop();
  }
}

async function underStrangers(databaseUrl: string): Promise<BenchResult> {
  const counts = { strangers: Number(given.strangers), large: Number(given.large) };
  const { strangers, large } = await measureStrangers({ databaseUrl, ...counts });
  say(
    `strangers: ${strangers.connections} with unfinished bodies, closed within ${strangers.closedWithinMs.toFixed(0)} ms; ` +
      `memory of the bridge ${strangers.memoryMb.toFixed(0)} MB and ${strangers.memoryGrowthMb.toFixed(0)} MB more; ` +
      `p99 of ${strangers.deliveriesDuring} genuine deliveries ${strangers.attackedP99Ms.toFixed(1)} ms, ` +
      `quiet ${strangers.quietP99Ms.toFixed(1)} ms; ${strangers.timedOut} timed out`,
  );
  say(
    `large: ${large.deliveries} of 1 MB at once, ${large.repeated} repeated, ${large.timedOut} timed out, ${large.lost} lost; ` +
      `slowest ${large.slowestMs.toFixed(0)} ms; memory ${large.memoryGrowthMb.toFixed(0)} MB more`,
  );
  return {
    summary: { strangers, large },
    missed: [
      ...(strangers.closedWithinMs <= CLOSED_WITHIN_MS ? [] : ['strangers stayed']),
      ...(strangers.attackedP99Ms <= MOST_P99_RATIO * Math.max(strangers.quietP99Ms, NOISE_MS)
        ? []
        : [`genuine deliveries suffered from strangers: p99 over ${MOST_P99_RATIO} times the quiet one`]),
      ...(strangers.memoryGrowthMb <= MOST_GROWTH_MB ? [] : [`strangers took more than ${MOST_GROWTH_MB} MB`]),
      ...(strangers.timedOut + large.timedOut === 0 ? [] : ['genuine deliveries timed out']),
      ...(large.lost === 0 ? [] : ['large deliveries were lost']),
    ],
  };
}

async function inQuiet({ databaseUrl, temporalAddress }: Servers, seed: number): Promise<BenchResult> {
  say(
    'deliveries: the bridge beside a bare Fastify route (HMAC, the same row), 32 connections, 15 % repeats, 5 % forged',
  );
  const throughput = await measureThroughput({ databaseUrl, pairs: 7, forMs: 2_000, connections: 32, seed, say });
  const wake = await measureWake({ temporalAddress, databaseUrl, pairs: 100 });
  say(
    `wake: webhook sent to flow awake p50 ${wake.webhookMs.p50.toFixed(1)} ms, p99 ${wake.webhookMs.p99.toFixed(1)} ms; ` +
      `plain signal p50 ${wake.plainSignalMs.p50.toFixed(1)} ms, p99 ${wake.plainSignalMs.p99.toFixed(1)} ms`,
  );
  return {
    summary: { throughput, wake },
    ratios: {
      'webhooks a second ÷ a bare route': throughput.ratio,
      'webhook to awake flow ÷ a plain signal (time: less is better)': wake.ratioP50,
    },
    missed: throughput.ratio >= LEAST_RATIO ? [] : [`deliveries per second: ratio below ${LEAST_RATIO}`],
  };
}

runBench('bridge', measure);
