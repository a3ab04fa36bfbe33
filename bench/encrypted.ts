/**
 * `npm run bench:encrypted`: what encryption of payloads costs; `npm run bench:traces`: what traces cost. The same flows,
 * one paid call each, on the same servers, in rounds that alternate between a worker with it and one without; flows per
 * second, and the size of the workflow bundle with keys. The collector accepts all spans and reads none.
 *
 *     npm run bench:encrypted -- --rounds 12 --flows 200
 *     npm run bench:traces -- --rounds 12 --flows 200
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { inLanes } from '../soak/calls/drive.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { serve } from '../soak/loopback.js';
import { median, spread } from '../soak/numbers.js';
import { startServers } from '../soak/servers.js';
import { startWorkerProcess } from '../soak/worker-process.js';
import { openWorld, type World } from '../soak/world.js';
import { loadTemporalConnection } from '../src/config/index.js';
import type { Shutdown } from '../src/local/index.js';
import { workflowSource } from '../src/workers/workflow-bundle.js';
import { runInShutdown, say, timed, type BenchResult } from './run-bench.js';

const CONCURRENCY = 24;
const OPERATIONS = ['getCase', 'listMovements'];
const FIRST_CASE = 4_000_000;
const ENDS_WITHIN_MS = 60_000;
/** Flows per second with keys or traces, as a share of those without. */
const LEAST_SHARE = 0.9;
/** The failure converter that hides messages adds one small module. */
const MOST_MORE_BYTES = 2_000;

interface Wanted {
  readonly with: 'keys' | 'traces';
  readonly rounds: number;
  readonly flows: number;
}

type Env = Readonly<Record<string, string>>;

interface Side {
  readonly name: 'plain' | Wanted['with'];
  readonly world: World;
  readonly perSecond: number[];
}

async function measure(shutdown: Shutdown, { with: what, rounds, flows }: Wanted): Promise<BenchResult> {
  const servers = await startServers();
  shutdown.add({ name: 'servers', stop: () => servers.stop() });
  const env: Env =
    what === 'keys'
      ? { TRAMITA_PAYLOAD_KEYS: `k1:${randomBytes(32).toString('base64')}` }
      : { OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(shutdown) };
  const open = async (name: Side['name'], env: Env): Promise<Side> => {
    const world = await openWorld(shutdown, { servers, env });
    const worker = await startWorkerProcess(world.env);
    shutdown.add({ name: `worker ${name}`, stop: () => worker.kill() });
    return { name, world, perSecond: [] };
  };
  const sides = [await open('plain', {}), await open(what, env)];

  for (let round = 0; round <= rounds; round += 1) {
    // Round 0 warms up. The order alternates, so that neither side is always first.
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const { seconds } = await timed(() => play(side.world, round * flows, flows));
      if (round > 0) side.perSecond.push(flows / seconds);
    }
    say(
      `round ${round}: ${sides.map(({ name, perSecond }) => `${name} ${perSecond.at(-1)?.toFixed(1) ?? 'warm'}`).join(', ')}`,
    );
  }
  const [plain, other] = sides.map(({ perSecond }) => perSecond) as [number[], number[]];
  const share = median(other) / median(plain);
  const bytes = what === 'keys' ? { plain: await bundleBytes({}), keys: await bundleBytes(env) } : undefined;
  const more = bytes === undefined ? 0 : bytes.keys - bytes.plain;
  return {
    summary: {
      rounds,
      flows,
      share,
      plain: spread(plain),
      [what]: spread(other),
      /** One share per round: this side compared with the other in the same round. */
      shares: spread(plain.map((perSecond, round) => (other[round] ?? 0) / perSecond)),
      ...(bytes === undefined ? {} : { bundleBytes: bytes }),
    },
    missed: [
      ...(share >= LEAST_SHARE ? [] : [`with ${what} ${share.toFixed(2)} of the flows per second, not ${LEAST_SHARE}`]),
      ...(Math.abs(more) <= MOST_MORE_BYTES ? [] : [`the bundle has ${more} bytes more with keys`]),
    ],
  };
}

async function startCollector(shutdown: Shutdown): Promise<string> {
  const { url, close } = await serve((request, response) => request.resume().on('end', () => response.end()));
  shutdown.add({ name: 'collector', stop: close });
  return url;
}

/** Each flow is one paid call, answered at once: none of its time is spent waiting for the service to work. */
async function play({ flows, service }: World, first: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_none, place) => first + place);
  await inLanes(numbers, CONCURRENCY, async (n) => {
    const input = { operation: OPERATIONS[n % OPERATIONS.length] ?? '', params: { cnj: caseNumberOf(FIRST_CASE + n) } };
    const flow = await flows.start({ type: 'callOperation', input, service, abouts: [], label: 'bench' });
    await flows.ended([flow], ENDS_WITHIN_MS);
    const { end } = flow;
    if (end?.kind !== 'done') throw new Error('bench: a flow has not ended well');
  });
}

/** The code that a worker loads, without its source map. */
async function bundleBytes(env: Env): Promise<number> {
  const source = await workflowSource(loadTemporalConnection(env));
  if (!('workflowBundle' in source)) throw new Error('bench: there is no bundle');
  const { workflowBundle } = source;
  const code = 'code' in workflowBundle ? workflowBundle.code : readFileSync(workflowBundle.codePath, 'utf8');
  return Buffer.byteLength(code.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}

const wanted = new Command('bench:encrypted')
  .addOption(new Option('--with <what>', 'on one of the two sides').choices(['keys', 'traces']).default('keys'))
  .option('--rounds <n>', 'of each side, after one to warm up', Number, 12)
  .option('--flows <n>', 'of each round', Number, 200)
  .parse()
  .opts<Wanted>();

runInShutdown(`with ${wanted.with}`, (shutdown) => measure(shutdown, wanted));
