/** A soak of charged calls, by the mixed plan or by the matrix, with disturbances; afterwards the books are audited. */
import type { Shutdown } from '../../src/local/index.js';
import { auditFlows } from '../books.js';
import { lastsMs, runDisturbed, type Disturbance } from '../disturb.js';
import { startPerson } from '../person.js';
import type { Report } from '../report.js';
import type { Surroundings } from '../surroundings.js';
import { openWorld, type World, type WorldOptions } from '../world.js';
import { CHARGED, SOAK_FILTERS } from './arguments.js';
import { createAsks } from './asks.js';
import { driveCalls } from './drive.js';
import { NO_FAULT, reportCalls, type CallFacts } from './figures.js';
import {
  MATRIX_OPERATIONS,
  PENDING,
  planMatrix,
  runMatrix,
  stockMatrix,
  type MatrixOptions,
  type MatrixStage,
} from './matrix.js';
import { planCalls } from './plan.js';
import { askEach, runEach, runUnreachable, stockUnreachable } from './unreachable.js';

export type MixedOptions = Disturbance & {
  readonly calls: number;
  readonly seed: number;
  /** Flows that run at the same time. */
  readonly concurrency: number;
};
export type WholeMatrixOptions = MatrixOptions & Disturbance & { readonly workers: number; readonly seed: number };

const SAID_EVERY = 50;
/** Number of faulted calls in the matrix per call to an unreachable service. */
const CALLS_PER_UNREACHABLE = 1_500;
const CONTROLS_EACH = 2;
const END_WITHIN_MS = 240_000;

interface Around extends Surroundings {
  readonly say: (text: string) => void;
}

export async function runMixed(world: World, options: MixedOptions, { say, ...surroundings }: Around): Promise<Report> {
  const calls = planCalls(options);
  const onEnd = (count: number): void => {
    if (count % SAID_EVERY === 0 || count === calls.length) say(`${count}/${calls.length} calls`);
  };
  // On a cluster the calls last as long as the disturbances need; otherwise the disturbances must fit into the run of the
  // calls.
  const everyMs = surroundings.cluster === undefined ? 0 : lastsMs(options) / calls.length;
  const plan = (): Promise<void> => driveCalls(world, calls, { concurrency: options.concurrency, everyMs, onEnd });
  // With pauses there are three workers: one to kill, one to freeze, and one that works.
  const workers = calls.length === 0 ? 0 : options.pauses > 0 ? 3 : 2;
  const facts = await runCalls(world, { ...options, workers }, { ...surroundings, plan });
  const report = reportCalls(facts, { exposed: facts.flows.length });
  if (surroundings.cluster === undefined) return report;
  return { ...report, broken: [...report.broken, ...missing(facts.disturbed, options)] };
}

/** Disturbances for which the plan left no time. */
function missing(seen: Disturbance, wanted: Disturbance): readonly string[] {
  const kinds = ['kills', 'nodeKills', 'databaseKills', 'bridgeKills'] as const;
  return kinds
    .filter((kind) => seen[kind] < wanted[kind])
    .map((kind) => `${kind} is ${seen[kind]}, not ${wanted[kind]}`);
}

export async function runWholeMatrix(
  shutdown: Shutdown,
  options: WholeMatrixOptions,
  { say, world: around, ...surroundings }: Around & { readonly world: WorldOptions },
): Promise<Report> {
  const sandbox = { seed: `soak ${options.seed}`, refreshMs: 150, queryMs: 150, pollAfterMs: 100 };
  const world = await openWorld(shutdown, {
    ...around,
    sandbox,
    filters: SOAK_FILTERS,
    tls: true,
    accounts: { [PENDING]: { ...sandbox, dialect: { pending: Object.keys(CHARGED) } } },
    account: { requestsPerMinute: 100_000, concurrency: 60 },
  });
  const stage: MatrixStage = { world, asks: createAsks(world.config.gaps), say };
  const plan = planMatrix(world.services, options);
  const isWhole = options.faults.length === 0 && options.calls > 0;
  const stock = await stockMatrix(stage, plan);
  const unreachable = await stockUnreachable(stage, isWhole ? Math.ceil(options.calls / CALLS_PER_UNREACHABLE) : 0);
  const controls = await askEach(stage, MATRIX_OPERATIONS, CONTROLS_EACH);
  say(`ready: ${plan.lanes.flat().length + plan.polls.length} cells, ${plan.calls} calls with a fault`);
  const facts = await runCalls(world, options, {
    ...surroundings,
    plan: async () => {
      await runEach(stage, controls, { label: NO_FAULT, withinMs: END_WITHIN_MS });
      if (options.calls > 0) await runMatrix(stage, plan, stock);
      await runUnreachable(stage, unreachable);
      say(`waiting for ${world.flows.all().filter(({ end }) => end === undefined).length} flows`);
      await world.flows.ended(world.flows.all(), END_WITHIN_MS);
    },
  });
  const { workersLost: _lost, ...disturbed } = facts.disturbed;
  return reportCalls(facts, {
    exposed: facts.flows.filter(({ label }) => label !== NO_FAULT).length,
    okRate: Object.values(disturbed).every((times) => times === 0),
  });
}

async function runCalls(
  world: World,
  wanted: Disturbance & { readonly workers: number },
  given: Surroundings & { readonly plan: () => Promise<void> },
): Promise<CallFacts> {
  const person = startPerson(world);
  const { disturbed } = await runDisturbed(world, wanted, given).finally(() => person.stop());
  const flows = world.flows.all();
  const fired = await Promise.all(Object.values(world.services).map((service) => service.fired()));
  return {
    disturbed,
    flows,
    fired: new Map(fired.flatMap((each) => [...each])),
    audited: await auditFlows(world, flows),
  };
}
