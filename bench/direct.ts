/**
 * What is paid twice and what is lost, about four minutes: the same charged calls with the same faults of network and service,
 * made by a backend that calls the service once, by one that tries three times, and by tramita. Counted in the charge books. For
 * people on stderr; the last line on stdout is the summary as JSON. Exit code 1 when tramita pays twice or loses silently.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTable } from '../soak/format-table.js';
import { auditSoak } from '../soak/audit.js';
import { openPool } from '../soak/disturb.js';
import { driveCalls } from '../soak/drive.js';
import { chargesOf } from '../soak/person.js';
import { planCalls } from '../soak/plan.js';
import { ledgerRows } from '../soak/run-soak.js';
import { startServers } from '../soak/servers.js';
import type { PlannedCall } from '../soak/types.js';
import { openWorld, type World } from '../soak/world.js';
import { withShutdown, type Shutdown } from '../src/local/index.js';
import { callDirectly } from './direct-call.js';
import { runBench, say, type BenchResult } from './run-bench.js';

const CALLS = Number(process.env['TRAMITA_BENCH_CALLS'] ?? 400);
const SEED = Number(process.env['TRAMITA_BENCH_SEED'] ?? 1);
const AT_ONCE = 8;
/** Longer than an outage of the plan (0.3 s): who fails at once must not spend the next calls on the same one. */
const PAUSE_MS = 400;

/** Of one way to call, over all calls. */
interface Outcome {
  readonly answered: number;
  readonly paidTwice: number;
  /** Paid, without an answer, and nobody knows. */
  readonly lostSilently: number;
  /** Paid, without an answer, and said so: `ChargedLost`, with the ids of the charge. */
  readonly lostAndTold: number;
  /** A person had to look at the account page. */
  readonly decidedByPerson: number;
  readonly charges: number;
}

async function measure(): Promise<BenchResult> {
  const calls = planCalls({ calls: CALLS, seed: SEED });
  const outcomes = new Map<string, Outcome>();
  await withShutdown({
    onProgress: () => undefined,
    body: async (shutdown) => {
      const servers = await startServers();
      shutdown.add({ name: 'servers', stop: () => servers.stop() });
      const world = (): Promise<World> =>
        openWorld(shutdown, { servers, account: { exclusive: true, debitAt: 'answer', refunds: 'never' } });
      say(
        `${CALLS} calls, ${calls.filter(({ fault }) => fault !== undefined).length} of them with a fault, seed ${SEED}`,
      );
      outcomes.set('one try', await directly(await world(), calls, 1));
      outcomes.set('three tries', await directly(await world(), calls, 3));
      outcomes.set('tramita', await byTramita(await world(), calls, shutdown));
    },
  });
  say(tableOf(outcomes));
  const ours = outcomes.get('tramita');
  const missed = [
    ...(ours?.paidTwice === 0 ? [] : [`tramita paid ${ours?.paidTwice ?? '?'} calls twice`]),
    ...(ours?.lostSilently === 0 ? [] : [`tramita lost ${ours?.lostSilently ?? '?'} answers without a word`]),
  ];
  return { summary: { calls: CALLS, seed: SEED, ...Object.fromEntries(outcomes) }, missed };
}

async function directly(world: World, calls: readonly PlannedCall[], tries: number): Promise<Outcome> {
  const waiting = [...calls];
  const ends = new Map<PlannedCall, string>();
  const lane = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      await arm(world, call);
      ends.set(call, await callDirectly(world.sandbox.url, call, tries));
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const books = { book: await world.charges(), requests: await world.requests() };
  const paid = calls.map((call) => ({ end: ends.get(call), charges: chargesOf(call, books).length }));
  return {
    answered: paid.filter(({ end }) => end === 'answer').length,
    paidTwice: paid.filter(({ charges }) => charges > 1).length,
    lostSilently: paid.filter(({ end, charges }) => end === 'error' && charges > 0).length,
    lostAndTold: 0,
    decidedByPerson: 0,
    charges: paid.reduce((sum, { charges }) => sum + charges, 0),
  };
}

/** With the person of the soak, who looks charges up in the charge book. */
async function byTramita(world: World, calls: readonly PlannedCall[], shutdown: Shutdown): Promise<Outcome> {
  const pool = await openPool(world, 2);
  shutdown.add({ name: 'workers', stop: () => pool.stop() });
  const ended = await driveCalls(world, calls, { concurrency: AT_ONCE });
  const books = { book: await world.charges(), requests: await world.requests() };
  const problems = auditSoak({ ended, ledger: await ledgerRows(world), ...books });
  const count = (kind: string): number => problems.filter((problem) => problem.kind === kind).length;
  return {
    answered: ended.filter(({ end, failure }) => end === 'done' || failure === 'NotFound' || failure === 'Rejected')
      .length,
    paidTwice: count('double charge'),
    lostSilently: count('lost silently') + count('not ended'),
    lostAndTold: ended.filter(({ failure }) => failure === 'ChargedLost').length,
    decidedByPerson: ended.filter(({ decisions }) => decisions > 0).length,
    charges: ended.reduce((sum, { call }) => sum + chargesOf(call, books).length, 0),
  };
}

/** The fault waits for the next request of its operation, as in the soak. */
async function arm({ control }: World, { fault }: PlannedCall): Promise<void> {
  if (fault === undefined) return;
  const { fault: name, operation, options } = fault;
  const times = name === 'F0' ? {} : { times: 1 };
  await control('/faults', { operation: name === 'F0' ? '*' : operation, fault: name, ...times, ...options });
}

function tableOf(outcomes: ReadonlyMap<string, Outcome>): string {
  const head = ['', 'answered', 'paid twice', 'lost silently', 'lost and told', 'decided by a person', 'charges'];
  const rows = [...outcomes].map(
    ([name, { answered, paidTwice, lostSilently, lostAndTold, decidedByPerson, charges }]) => [
      name,
      ...[answered, paidTwice, lostSilently, lostAndTold, decidedByPerson, charges].map(String),
    ],
  );
  return formatTable([head, ...rows]);
}

runBench('direct', measure);
