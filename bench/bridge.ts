/**
 * Bench of the bridge, about a minute: accepted deliveries per second beside a bare route, the way from a webhook to an awake
 * flow beside a plain signal, and genuine deliveries under an attack of slow connections. For people on stderr; the last line
 * on stdout is the summary as JSON. Exit code 1 when a target is missed.
 */
import { measureSlowAttack } from './bridge-slow.js';
import { measureThroughput } from './bridge-throughput.js';
import { measureWake } from './bridge-wake.js';
import { runBench, say, type BenchResult } from './run-bench.js';
import { startServers } from '../soak/servers.js';

const LEAST_RATIO = 0.6;
const CLOSED_WITHIN_MS = 12_000;
const MOST_P99_RATIO = 10;

async function measure(): Promise<BenchResult> {
  const seed = Number(process.env['TRAMITA_BENCH_SEED'] ?? 1);
  const servers = await startServers();
  const { databaseUrl, temporalAddress } = servers;
  try {
    say(
      'deliveries: the bridge beside a bare Fastify route (HMAC, the same row), 32 connections, 15 % repeats, 5 % forged',
    );
    const throughput = await measureThroughput({ databaseUrl, pairs: 7, forMs: 2_000, connections: 32, seed, say });
    const slow = await measureSlowAttack({ databaseUrl, connections: 2_000 });
    say(
      `slow connections: ${slow.connections} closed within ${slow.closedWithinMs.toFixed(0)} ms; p99 of genuine deliveries ` +
        `${slow.attackedP99Ms.toFixed(1)} ms, quiet ${slow.quietP99Ms.toFixed(1)} ms`,
    );
    const wake = await measureWake({ temporalAddress, databaseUrl, pairs: 100 });
    say(
      `wake: webhook sent to flow awake p50 ${wake.webhookMs.p50.toFixed(1)} ms, p99 ${wake.webhookMs.p99.toFixed(1)} ms; ` +
        `plain signal p50 ${wake.plainSignalMs.p50.toFixed(1)} ms, p99 ${wake.plainSignalMs.p99.toFixed(1)} ms`,
    );
    const missed = [
      ...(throughput.ratio >= LEAST_RATIO ? [] : [`deliveries per second: ratio below ${LEAST_RATIO}`]),
      ...(slow.closedWithinMs <= CLOSED_WITHIN_MS ? [] : ['slow connections stayed open']),
      ...(slow.ratioP99 < MOST_P99_RATIO ? [] : ['genuine deliveries suffered from slow connections']),
    ];
    return { summary: { seed, throughput, slow, wake }, missed };
  } finally {
    await servers.stop();
  }
}

runBench('bridge', measure);
