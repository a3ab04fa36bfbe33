/**
 * `npm run bench:refresh`: flows per second of a refresh, beside a plain workflow of Temporal's that makes the same two requests and
 * keeps no ledger; by turns on the same servers, each with a worker process and a service of its own.
 *
 *     npm run bench:refresh -- --rounds 5 --flows 300
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Command } from 'commander';
import { inLanes } from '../soak/calls/drive.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { median } from '../soak/numbers.js';
import { startServers } from '../soak/servers.js';
import { startWorkerProcess } from '../soak/worker-process.js';
import { openWorld } from '../soak/world.js';
import { withShutdown, type Shutdown } from '../src/local/index.js';
import { nextMessage, runBench, say, timed, type BenchResult } from './run-bench.js';

const CONCURRENCY = 100;
const FIRST_CASE = 5_000_000;
const ENDS_WITHIN_MS = 120_000;

interface Wanted {
  readonly rounds: number;
  readonly flows: number;
}

interface Side {
  readonly name: 'tramita' | 'plain';
  readonly refresh: (cnj: string) => Promise<void>;
  readonly perSecond: number[];
}

async function measure(shutdown: Shutdown, { rounds, flows }: Wanted): Promise<BenchResult> {
  const servers = await startServers();
  shutdown.add({ name: 'servers', stop: () => servers.stop() });
  const open = () => openWorld(shutdown, { servers, account: { concurrency: CONCURRENCY, pollsPerMinute: 60_000 } });
  const [ours, other] = [await open(), await open()];
  const worker = await startWorkerProcess(ours.env);
  shutdown.add({ name: 'worker', stop: () => worker.kill() });
  const plain = fork(join(__dirname, 'plain-refresh-worker.js'), [
    ...[servers.temporalAddress, 'bench-plain', other.service.sandbox.url],
  ]);
  shutdown.add({ name: 'plain worker', stop: () => void plain.kill() });
  await nextMessage(plain);

  const sides: readonly Side[] = [
    {
      name: 'tramita',
      perSecond: [],
      refresh: async (cnj) => {
        const order = { type: 'refreshCase', input: { cnj, webhook: false }, abouts: [], label: 'bench' } as const;
        const flow = await ours.flows.start({ ...order, service: ours.service });
        await ours.flows.ended([flow], ENDS_WITHIN_MS);
        if (flow.end?.kind !== 'done') throw new Error('bench: a flow has not ended well');
      },
    },
    {
      name: 'plain',
      perSecond: [],
      refresh: (cnj) =>
        other.client.workflow.execute('plainRefresh', {
          taskQueue: 'bench-plain',
          workflowId: `plain-${cnj}`,
          args: [cnj],
        }),
    },
  ];
  for (let round = 0; round <= rounds; round += 1) {
    // The first is to warm up. By turns, so that neither is always the first.
    for (const { refresh, perSecond } of round % 2 === 0 ? sides : [...sides].reverse()) {
      const cases = Array.from({ length: flows }, (_none, at) => caseNumberOf(FIRST_CASE + round * flows + at));
      const { seconds } = await timed(() => inLanes(cases, CONCURRENCY, refresh));
      if (round > 0) perSecond.push(flows / seconds);
    }
    const told = sides.map(({ name, perSecond }) => `${name} ${perSecond.at(-1)?.toFixed(1) ?? 'warm'}`);
    say(`round ${round}: ${told.join(', ')}`);
  }
  const [mine = [], theirs = []] = sides.map(({ perSecond }) => perSecond);
  const shares = mine.map((perSecond, round) => perSecond / (theirs[round] ?? Infinity));
  return {
    summary: { rounds, flows, tramita: spread(mine), plain: spread(theirs), ofRounds: spread(shares) },
    ratios: { 'refreshes a second ÷ plain Temporal': median(shares) },
    missed: [],
  };
}

function spread(values: readonly number[]) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

const wanted = new Command('bench:refresh')
  .option('--rounds <n>', 'of each side, after one to warm up', Number, 5)
  .option('--flows <n>', 'of each round', Number, 300)
  .parse()
  .opts<Wanted>();

runBench('refresh', async () => {
  const result = await withShutdown({
    onProgress: () => undefined,
    body: (shutdown) => measure(shutdown, wanted),
  });
  if (result.ended === 'requested') throw new Error(`bench: ended by ${result.why}`);
  return result.value;
});
