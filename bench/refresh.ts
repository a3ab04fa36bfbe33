/**
 * `npm run bench:refresh`: flows per second of a refresh, and the CPU of its worker, compared with a plain Temporal
 * workflow that makes the same requests and keeps no ledger. Both alternate on the same servers; each has its own worker
 * process and service. Both poll once a second, as the service asks them to.
 *
 *     npm run bench:refresh -- --rounds 5 --polls 1 --at-once 100 --flows 300
 *
 * `--cluster`: on two Temporal nodes that keep their state in PostgreSQL, behind a balancer, instead of the development server.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Command } from 'commander';
import { inLanes } from '../soak/calls/drive.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { median, spread } from '../soak/numbers.js';
import { startServers } from '../soak/servers.js';
import { openClusterSurroundings } from '../soak/surroundings.js';
import { startWorkerProcess } from '../soak/worker-process.js';
import { openWorld } from '../soak/world.js';
import type { Shutdown } from '../src/local/index.js';
import { cpuMsOf } from './engines/program.js';
import { nextMessage, runInShutdown, say, timed, type BenchResult } from './run-bench.js';

const FIRST_CASE = 5_000_000;
const ENDS_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 1_000;
/** Workers live for days, but a JavaScript engine compiles for some 1,500 refreshes, and longer for the larger program. */
const WARM_ROUNDS = 5;
/** How long the service still works after the last poll that finds it working; with one poll, its whole work. */
const WORKS_MS = 300;

/** CPU is reported for a side's worker, and for the servers that both use. */
const PARTS = ['worker', 'temporal', 'postgres'] as const;
type Part = (typeof PARTS)[number];
type PerPart = Readonly<Record<Part, number>>;

interface Wanted {
  readonly rounds: number;
  readonly polls: number;
  readonly atOnce?: number;
  readonly flows?: number;
  readonly cluster?: boolean;
}

interface Side {
  readonly name: 'tramita' | 'plain';
  readonly refresh: (cnj: string) => Promise<void>;
  readonly perSecond: number[];
  readonly workerPid: number;
  /** Milliseconds per flow, one entry per round. */
  readonly cpuMs: PerPart[];
}

async function measure(
  shutdown: Shutdown,
  { rounds, polls, atOnce = 100 * polls, flows = 3 * atOnce, cluster = false }: Wanted,
): Promise<BenchResult> {
  const servers = await (cluster ? startCluster(shutdown) : startDevelopment(shutdown));
  const open = () =>
    openWorld(shutdown, {
      servers,
      account: { concurrency: atOnce, pollsPerMinute: 60_000 },
      sandbox: { refreshMs: (polls - 1) * POLL_EVERY_MS + WORKS_MS, pollAfterMs: POLL_EVERY_MS },
    });
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
      workerPid: worker.pid,
      cpuMs: [],
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
      workerPid: plain.pid ?? -1,
      cpuMs: [],
      refresh: (cnj) =>
        other.client.workflow.execute('plainRefresh', {
          taskQueue: 'bench-plain',
          workflowId: `plain-${cnj}`,
          args: [cnj],
        }),
    },
  ];
  for (let round = 1 - WARM_ROUNDS; round <= rounds; round += 1) {
    // The order alternates, so that neither side is always first.
    for (const { refresh, perSecond, workerPid, cpuMs } of round % 2 === 0 ? sides : [...sides].reverse()) {
      const cases = Array.from({ length: flows }, (_none, at) =>
        caseNumberOf(FIRST_CASE + (round + WARM_ROUNDS) * flows + at),
      );
      const pids = { worker: [workerPid], ...servers.pids };
      const cpuNow = () => perPart((part) => cpuMsOf(pids[part]));
      const before = cpuNow();
      const { seconds } = await timed(() => inLanes(cases, atOnce, refresh));
      const after = cpuNow();
      if (round < 1) continue;
      perSecond.push(flows / seconds);
      cpuMs.push(perPart((part) => (after[part] - before[part]) / flows));
    }
    const speeds = sides.map(({ name, perSecond }) => `${name} ${perSecond.at(-1)?.toFixed(1) ?? 'warm'}`);
    say(`round ${round}: ${speeds.join(', ')}`);
  }
  const [mine = [], theirs = []] = sides.map(({ perSecond }) => perSecond);
  const shares = mine.map((perSecond, round) => perSecond / (theirs[round] ?? Infinity));
  const [ourCpu = [], theirCpu = []] = sides.map(({ cpuMs }) => cpuMs);
  const cpuShares = ourCpu.map(({ worker: cpu }, round) => cpu / (theirCpu[round]?.worker ?? Infinity));
  const cpu = sides.map(({ name, cpuMs }) => [name, perPart((part) => median(cpuMs.map((each) => each[part])))]);
  const where = `${cluster ? ', cluster' : ''}${polls === 1 ? '' : `, ${polls} polls`}`;
  return {
    summary: {
      rounds,
      flows,
      polls,
      atOnce,
      cluster,
      tramita: spread(mine),
      plain: spread(theirs),
      ofRounds: spread(shares),
      cpuMs: Object.fromEntries(cpu) as object,
    },
    ratios: {
      [`refreshes a second ÷ plain Temporal${where}`]: median(shares),
      [`worker CPU ÷ plain Temporal${where}`]: median(cpuShares),
    },
    missed: [],
  };
}

interface BenchServers {
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly pids: Readonly<Record<Exclude<Part, 'worker'>, readonly number[]>>;
}

async function startDevelopment(shutdown: Shutdown): Promise<BenchServers> {
  const servers = await startServers();
  shutdown.add({ name: 'servers', stop: () => servers.stop() });
  const { temporal, postgres } = servers.pids();
  return { ...servers, pids: { temporal: [temporal], postgres: [postgres] } };
}

/** CPU that its nodes cause in PostgreSQL counts as PostgreSQL's. */
async function startCluster(shutdown: Shutdown): Promise<BenchServers> {
  const pids: Record<keyof BenchServers['pids'], number[]> = { temporal: [], postgres: [] };
  const { cluster } = await openClusterSurroundings(shutdown, {
    onProgress: () => undefined,
    onSpawn: ({ name, identity }) => pids[name === 'postgres' ? 'postgres' : 'temporal'].push(identity.pid),
  });
  return { ...cluster, pids };
}

function perPart(of: (part: Part) => number): PerPart {
  return Object.fromEntries(PARTS.map((part) => [part, of(part)])) as PerPart;
}

const wanted = new Command('bench:refresh')
  .option('--rounds <n>', `of each side, after ${WARM_ROUNDS} to warm up`, Number, 5)
  .option('--flows <n>', 'of each round; three times as many as are at once', Number)
  .option('--polls <n>', 'of each refresh, one a second', Number, 1)
  .option(
    '--at-once <n>',
    'of a side on their way, 100 for each poll; fewer than the machine can do tell the time of a refresh',
    Number,
  )
  .option('--cluster', 'two Temporal nodes on PostgreSQL instead of the development server')
  .parse()
  .opts<Wanted>();

runInShutdown('refresh', (shutdown) => measure(shutdown, wanted));
