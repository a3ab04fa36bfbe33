/**
 * `npm run bench:engines`: the same refresh, written for other engines as their documents show, compared with tramita: how
 * fast each is, and what each pays when the service fails and its worker is killed. For people on stderr; the last line on
 * stdout is JSON. It asserts only that tramita pays nothing twice and loses nothing silently.
 *
 *     npm run bench:engines -- --flows 300 --rounds 5 --engines tramita,dbos
 */
import { cpus } from 'node:os';
import { Command } from 'commander';
import { commitOf } from '../../soak/report.js';
import type { Shutdown } from '../../src/local/index.js';
import { runInShutdown, say, type BenchResult } from '../run-bench.js';
import type { Contender, Tries } from './contender.js';
import { ENGINES, openContender, triesOf } from './engines.js';
import { findRedis, findRestate, startEngineServers, type EngineServers } from './servers.js';
import { sandboxOptions } from './settings.js';
import { measureWaiting, takeTurn, type Turn } from './speed.js';
import { speedTable, truthTable, type SpeedRow, type TruthRow } from './tables.js';
import { findTruth } from './truth.js';
import { versionsOf } from './versions.js';

/** Flows of a round; and flows that wait while memory is measured. */
const SPEED_FLOWS = 80;
const WAITING_FLOWS = 200;
const NEVER_MS = 24 * 3_600_000;
/** Engines under faults at the same time: this part needs no quiet machine, but one that is not overloaded. */
const AT_ONCE = 2;
/**
 * Duration of a refresh in the part with faults. Courts take longer; and since clocks differ, the times of a shorter one could
 * not be told from those of the refresh before it.
 */
const TRUE_REFRESH_MS = 10_000;
const PER_SECOND = 4;

interface Wanted {
  readonly flows: number;
  readonly rounds: number;
  readonly seed: number;
  readonly engines: readonly string[];
}

async function measure(shutdown: Shutdown, wanted: Wanted): Promise<BenchResult> {
  const engines = wanted.engines.filter(isThere);
  const machine = { cores: cpus().length, model: cpus()[0]?.model ?? '?', node: process.version };
  const commit = commitOf();
  say(`${machine.cores} × ${machine.model}, Node ${machine.node}, commit ${commit}, seed ${wanted.seed}`);
  say(versionsOf(engines));
  const servers = await startEngineServers(shutdown, {
    redis: engines.includes('bullmq'),
    restate: engines.includes('restate'),
  });
  const stage = { shutdown, servers, seed: wanted.seed };
  const speed = wanted.rounds === 0 ? [] : await measureSpeed(stage, engines, wanted.rounds);
  if (speed.length > 0) say(`\n${speedTable(speed)}\n`);
  const truth = wanted.flows === 0 ? [] : await measureTruth(stage, engines, wanted.flows);
  if (truth.length > 0) say(`\n${truthTable(truth)}\n`);
  const ours = truth.find(({ name }) => name === 'tramita')?.verdict;
  const missed = [
    ...(ours === undefined || ours.paidTwice === 0 ? [] : [`tramita paid ${ours.paidTwice} cases twice`]),
    ...(ours === undefined || ours.lostUnseen === 0 ? [] : [`tramita lost ${ours.lostUnseen} paid answers unseen`]),
    ...(ours === undefined || ours.stuck === 0 ? [] : [`${ours.stuck} flows of tramita are stuck`]),
  ];
  const { flows, rounds, seed } = wanted;
  return { summary: { flows, rounds, seed, commit, machine, speed, truth }, missed };
}

interface Stage {
  readonly shutdown: Shutdown;
  readonly servers: EngineServers;
  readonly seed: number;
}

/** Prints what is missing, and how to get it. */
function isThere(engine: string): boolean {
  if (engine === 'bullmq' && findRedis() === undefined) {
    say('BullMQ is left out: there is no redis-server on the PATH; install it (Debian: apt-get install redis-server)');
    return false;
  }
  if (engine === 'restate' && findRestate() === undefined) {
    say(`Restate is left out: its package has no server for ${process.platform} ${process.arch}`);
    return false;
  }
  return true;
}

async function measureSpeed(stage: Stage, engines: readonly string[], rounds: number): Promise<readonly SpeedRow[]> {
  const waiting = new Map<string, number>();
  for (const engine of engines) {
    const contender = await open(stage, engine, 'documented', { refreshMs: NEVER_MS });
    waiting.set(engine, await measureWaiting(contender, WAITING_FLOWS));
    await contender.close();
  }
  const contenders = new Map<string, Contender>();
  for (const engine of engines) contenders.set(engine, await open(stage, engine, 'documented'));
  const turns = new Map<string, Turn[]>();
  // The first round warms up the machine's caches and the tables, and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    // Each engine is first in one of the rounds.
    const order = engines.map((_engine, place) => engines[(place + round) % engines.length] ?? '');
    for (const engine of order) {
      const contender = contenders.get(engine);
      if (contender === undefined) continue;
      const turn = await takeTurn(contender, SPEED_FLOWS);
      say(`round ${round}: ${contender.name} ${turn.flowsPerSecond.toFixed(1)} flows/s, wake ${turn.wakeMs} ms`);
      if (round > 0) turns.set(engine, [...(turns.get(engine) ?? []), turn]);
    }
  }
  for (const contender of contenders.values()) await contender.close();
  return [...contenders].map(([engine, { name }]) => ({
    name,
    turns: turns.get(engine) ?? [],
    waitingKb: waiting.get(engine) ?? NaN,
  }));
}

async function measureTruth(stage: Stage, engines: readonly string[], flows: number): Promise<readonly TruthRow[]> {
  const waiting = engines.flatMap((engine) => triesOf(engine).map((tries) => ({ engine, tries })));
  const order = waiting.map(({ engine, tries }) => `${engine} ${tries}`);
  const rows: { readonly key: string; readonly row: TruthRow }[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { engine, tries } = next;
      const contender = await open(stage, engine, tries, { refreshMs: TRUE_REFRESH_MS });
      const verdict = await findTruth(contender, { flows, perSecond: PER_SECOND, seed: stage.seed });
      await contender.close();
      const { name } = contender;
      say(`${name}, ${tries}: ${verdict.finished} of ${flows} finished, ${verdict.paidTwice} paid twice`);
      rows.push({ key: `${engine} ${tries}`, row: { name, tries, verdict } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return rows.sort((left, right) => order.indexOf(left.key) - order.indexOf(right.key)).map(({ row }) => row);
}

function open(
  { shutdown, servers, seed }: Stage,
  engine: string,
  tries: Tries,
  more: { readonly refreshMs?: number } = {},
): Promise<Contender> {
  return openContender(shutdown, servers, { engine, tries, sandbox: sandboxOptions(seed, more) });
}

const options = new Command('bench:engines')
  .option('--flows <n>', 'flows of each engine under faults and kills; 0 leaves the part out', Number, 200)
  .option('--rounds <n>', 'counted rounds of the speeds; 0 leaves the part out', Number, 5)
  .option('--seed <n>', 'of the faults and of the kills', Number, 1)
  .option('--engines <names>', `comma list of ${ENGINES.join(', ')}`, (text: string) => text.split(','), [...ENGINES])
  .parse()
  .opts<Wanted>();

runInShutdown('engines', (shutdown) => measure(shutdown, options));
