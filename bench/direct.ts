/**
 * What is paid twice and what is lost, about four minutes: the same charged calls with the same faults of network and
 * service, made by a backend that calls the service once, by one that makes three attempts, and by tramita. Counted in the
 * charge books. For people on stderr; the last line on stdout is the summary as JSON. Exit code 1 when tramita pays twice
 * or loses an answer silently.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { auditFlows } from '../soak/books.js';
import { aboutPlanned, armCall, driveCalls, inLanes } from '../soak/calls/drive.js';
import { isAnswered } from '../soak/calls/figures.js';
import { planCalls, type PlannedCall } from '../soak/calls/plan.js';
import { openPool } from '../soak/pool.js';
import { formatTable } from '../soak/format-table.js';
import { startPerson } from '../soak/person.js';
import { startServers } from '../soak/servers.js';
import { openWorld, type World } from '../soak/world.js';
import { withShutdown } from '../src/local/index.js';
import type { FindingKind } from '../src/testing/index.js';
import { callDirectly } from './direct-call.js';
import { runBench, say, type BenchResult } from './run-bench.js';

const CALLS = Number(process.env['TRAMITA_BENCH_CALLS'] ?? 400);
const SEED = Number(process.env['TRAMITA_BENCH_SEED'] ?? 1);
const AT_ONCE = 8;
/** Longer than an outage of the plan (0.3 s): a call that fails at once must not use up the next calls in the same outage. */
const PAUSE_MS = 400;

/** Result of one way to call, over all calls. */
interface Outcome {
  readonly answered: number;
  readonly paidTwice: number;
  /** Paid, without an answer, and the caller does not know it. */
  readonly lostSilently: number;
  /** Paid, without an answer, and reported as such: `ChargedLost`, with the ids of the charge. */
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
      outcomes.set('tramita', await byTramita(await world(), calls));
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
  const ends = new Map<PlannedCall, string>();
  await inLanes(calls, AT_ONCE, async (call) => {
    await armCall(world, call);
    ends.set(call, await callDirectly(world.service.sandbox.url, call, tries));
    await sleep(PAUSE_MS);
  });
  const book = await world.service.charges();
  const paid = calls.map((call) => {
    const about = aboutPlanned(call, world.config);
    const charges = book.filter((charge) => charge.about === about || charge.subject.cnj === about);
    return { end: ends.get(call), charges: charges.filter(({ operation }) => operation === call.operation).length };
  });
  return {
    answered: paid.filter(({ end }) => end === 'answer').length,
    paidTwice: paid.filter(({ charges }) => charges > 1).length,
    lostSilently: paid.filter(({ end, charges }) => end === 'error' && charges > 0).length,
    lostAndTold: 0,
    decidedByPerson: 0,
    charges: paid.reduce((sum, { charges }) => sum + charges, 0),
  };
}

/** Runs the calls beside the soak's person, who looks charges up in the charge book. */
async function byTramita(world: World, calls: readonly PlannedCall[]): Promise<Outcome> {
  const pool = await openPool(world, 2);
  const person = startPerson(world);
  try {
    await driveCalls(world, calls, { concurrency: AT_ONCE });
  } finally {
    await person.stop();
    await pool.stop();
  }
  const flows = world.flows.all();
  const { findings, charges } = await auditFlows(world, flows);
  const count = (...kinds: readonly FindingKind[]): number =>
    findings.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    answered: flows.filter(isAnswered).length,
    paidTwice: findings.filter(({ surplus }) => surplus !== undefined).length,
    lostSilently:
      count('charge without a row', 'denied charge', 'row without a charge') +
      flows.filter(({ end }) => end === undefined).length,
    lostAndTold: flows.filter(({ end }) => end?.kind === 'failed' && end.type === 'ChargedLost').length,
    decidedByPerson: flows.filter(({ decisions }) => decisions.length > 0).length,
    charges: charges.length,
  };
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
