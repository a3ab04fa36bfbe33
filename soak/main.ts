/**
 * The soaks: `mixed` (`npm run soak`), `matrix`, `flows`, `forget`, `canary` and `rolling` (`npm run soak:…`). Each runs a plan
 * of calls with disturbances, on real servers and real worker processes. Progress on stderr; the last line on stdout is the
 * figures as JSON (`forget`: one line per drill). Exit code 1 when something that must hold does not.
 */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { withShutdown, type LocalProgress, type Shutdown } from '../src/local/index.js';
import { WORKFLOW_TYPES, type WorkflowType } from '../src/protocol/index.js';
import { runMixed, runWholeMatrix, type MixedOptions, type WholeMatrixOptions } from './calls/run-calls.js';
import type { Mode } from './canary/places.js';
import { runCanary, type CanaryOptions } from './canary/run-canary.js';
import { reportCanaries, type Finding } from './canary/verdict.js';
import { runCluster } from './cluster/run-cluster.js';
import { UNDISTURBED, type Disturbance } from './disturb.js';
import { runFlows } from './flows/run-flows.js';
import { openStage } from './flows/stage.js';
import { PG_DUMP, type Way } from './forget/cluster.js';
import { runDrill } from './forget/drill.js';
import { runPortfolio } from './portfolio/run-portfolio.js';
import { printReport, type Report } from './report.js';
import { runRolling } from './rolling/run-rolling.js';
import { openClusterSurroundings, openSurroundings, type Surroundings } from './surroundings.js';
import { openWorld, type World, type WorldOptions } from './world.js';

const WAYS: readonly Way[] = ['replica', 'dump', 'pitr', 'empty', 'row'];
/** Keeps the seeds of drills apart, so that a long drill does not use the cases of the next one. */
const SEEDS_APART = 7;

interface ClusterFlag {
  /** On a cluster of production servers instead of the development server. */
  readonly cluster?: boolean;
}
type MixedFlags = MixedOptions &
  ClusterFlag & {
    readonly portfolio: number;
    readonly refreshed: number;
    readonly portfolioKills: number;
    readonly quietKills: boolean;
    readonly exclusive: boolean;
  };
interface FlowsFlags {
  readonly points: number;
  readonly seed: number;
  readonly flow?: readonly WorkflowType[];
}
interface CanaryFlags extends Omit<CanaryOptions, 'mode' | 'whole'> {
  readonly modes: readonly Mode[];
  readonly small: boolean;
}
interface ForgetFlags {
  readonly ways: readonly string[];
  readonly flows: number;
  readonly seed: number;
  readonly folder: boolean;
  readonly cuts: number;
}

const program = new Command('soak');

withDisturbances(program.command('mixed'), { kills: 10, pauses: 3 })
  .option('--calls <n>', 'charged calls, most of them with a fault', whole, 500)
  .option('--concurrency <n>', 'flows at the same time', whole, 24)
  .option(
    '--portfolio <n>',
    'first run a portfolio of this many cases, whose worker is killed twice; with --calls 0 nothing else',
    whole,
    0,
  )
  .option('--refreshed <n>', 'cases of the portfolio that its cap pays for', whole, 500)
  .option('--portfolio-kills <n>', 'times that the worker of the portfolio is killed', whole, 2)
  .option('--quiet-kills', 'only while none of its charged calls is on the wire', false)
  .option('--cluster', 'on two Temporal nodes, with two bridges, and a folder for each worker', false)
  .option('--node-kills <n>', 'nodes of the cluster, by turns, killed with SIGKILL and started again', whole, 0)
  .option('--database-kills <n>', 'likewise its database', whole, 0)
  .option('--bridge-kills <n>', 'likewise its bridges', whole, 0)
  .option('--exclusive', 'an account whose balance is evidence', false)
  .action((options: MixedFlags) => soak('soak', (shutdown, say) => mixed(shutdown, options, say)));

withDisturbances(program.command('matrix'), { seed: 1 })
  .option('--calls <n>', 'faulted charged calls, at least', whole, 5_000)
  .option('--slow <n>', 'calls that hang or drip past any patience, per operation', whole, 1)
  .option('--workers <n>', 'worker processes', whole, 2)
  .option('--operations <list>', 'only these', listOf, [])
  .option('--faults <list>', 'only these, e.g. F4,F9', listOf, [])
  .action((options: WholeMatrixOptions) =>
    soak('soak:matrix', (shutdown, say) => matrix(shutdown, { ...UNDISTURBED, ...options }, say)),
  );

withSeed(program.command('flows'))
  .option('--points <n>', 'kills that each flow has to meet', whole, 10)
  .option('--flow <name>', 'only this flow; repeatable', flowNames)
  .action((flags: FlowsFlags) => soak('soak:flows', (shutdown, say) => flowsKilled(shutdown, flags, say)));

withSeed(program.command('forget'))
  .option('--ways <list>', WAYS.join(', '), listOf, WAYS)
  .option('--flows <n>', 'flows of each drill', whole, 44)
  .option('--cuts <n>', 'times that all connections to the database are reset', whole, 0)
  .option('--no-folder', 'leave out the drill that loses a folder as well')
  .action(forgetInEachWay);

withSeed(program.command('canary'))
  .option('--modes <list>', 'keys on, keys off', listOf, ['keys off', 'keys on'])
  .option('--small', 'a few flows and faults', false)
  .option('--slow', 'calls that hang as well', false)
  .option('--leak <kind>', 'write this canary into a log, as a leak would: the run has to fail')
  .option('--keep <folder>', 'write everything that is searched into this folder, to find the cause of a leak')
  .action((flags: CanaryFlags) => soak('soak:canary', (shutdown, say) => canary(shutdown, flags, say)));

withSeed(program.command('rolling'))
  .option('--flows <n>', 'flows in every phase', whole, 300)
  .action((flags: Parameters<typeof runRolling>[1]) =>
    soak('soak:rolling', async (shutdown, say) => {
      const startedMs = Date.now();
      return show(await runRolling(shutdown, flags, say), { seed: flags.seed, startedMs });
    }),
  );

program
  .command('cluster')
  .description('two Temporal nodes on PostgreSQL, two workers, two bridges and the sandbox, until Ctrl-C')
  .action(() => stayUp());

program
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : 'soak failed'}\n`);
    process.exitCode = 1;
  })
  // The harness still awaits flows that have not ended, so the process must be ended explicitly.
  .finally(() => process.exit());

type Say = (text: string) => void;

/** Returns whether everything held. */
type Run = (shutdown: Shutdown, say: Say) => Promise<boolean>;

/** A soak that a signal stops has not passed. */
async function soak(name: string, run: Run): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
  const result = await withShutdown({ onProgress: () => undefined, body: (shutdown) => run(shutdown, say) });
  if (result.ended !== 'done' || !result.value) process.exitCode = 1;
}

async function stayUp(): Promise<void> {
  const result = await withShutdown({
    onProgress: sayProgress,
    body: (shutdown) => runCluster(shutdown, sayProgress),
  });
  if (result.ended === 'requested' && result.signal === undefined) throw new Error(result.why);
}

async function mixed(shutdown: Shutdown, options: MixedFlags, say: Say): Promise<boolean> {
  const startedMs = Date.now();
  // Without calls there is nothing to disturb.
  const wanted = options.calls === 0 ? { ...options, ...UNDISTURBED } : options;
  const around = await surround(shutdown, wanted);
  const account = options.exclusive ? { exclusive: true, debitAt: 'answer', refunds: 'never' } : {};
  const open = (webhooks = false): Promise<World> => openWorld(shutdown, { ...around.world, account, webhooks });
  const { seed, calls, concurrency } = options;
  say(`seed ${seed}, ${calls} calls, ${describe(wanted)}`);
  const portfolio =
    options.portfolio === 0
      ? undefined
      : await runPortfolio(
          await open(),
          {
            cases: options.portfolio,
            refreshed: options.refreshed,
            concurrency,
            seed,
            kills: options.portfolioKills,
            quietKills: options.quietKills,
          },
          say,
        );
  // A separate world with its own books: charges of the portfolio must not count as charges of the calls.
  const report = await runMixed(await open(options.cluster), wanted, { ...around, say });
  const all = {
    ...report,
    figures: { ...report.figures, ...(portfolio === undefined ? {} : { portfolio: portfolio.figures }) },
    problems: [...report.problems, ...(portfolio?.problems ?? []).map((text) => `portfolio: ${text}`)],
  };
  return show(all, { seed, startedMs });
}

async function matrix(shutdown: Shutdown, options: WholeMatrixOptions, say: Say): Promise<boolean> {
  const startedMs = Date.now();
  const timed = (text: string): void => say(`${Math.round((Date.now() - startedMs) / 1_000)} s  ${text}`);
  const around = await surround(shutdown, options);
  const workers = Math.max(1, options.workers);
  const report = await runWholeMatrix(shutdown, { ...options, workers }, { ...around, say: timed });
  return show(report, { seed: options.seed, startedMs });
}

async function flowsKilled(
  shutdown: Shutdown,
  { points, seed, flow: types = WORKFLOW_TYPES }: FlowsFlags,
  say: Say,
): Promise<boolean> {
  const startedMs = Date.now();
  say(`seed ${seed}, ${types.length} flows, ${points} points each`);
  return show(await runFlows(await openStage(shutdown), { points, seed, types }, say), { seed, startedMs });
}

async function canary(shutdown: Shutdown, { modes, small, ...flags }: CanaryFlags, say: Say): Promise<boolean> {
  const startedMs = Date.now();
  const findings: Finding[] = [];
  for (const mode of modes) findings.push(await runCanary(shutdown, { ...flags, mode, whole: !small }, say));
  return show(reportCanaries(findings), { seed: flags.seed, startedMs });
}

async function forgetInEachWay({ ways, flows, seed, folder, cuts }: ForgetFlags): Promise<void> {
  const drills = [
    ...WAYS.filter((way) => ways.includes(way)).map((way) => ({ way, losesFolder: false })),
    ...(folder ? [{ way: 'empty' as const, losesFolder: true }] : []),
  ];
  for (const [index, drill] of drills.entries()) {
    await soak('soak:forget', async (shutdown, say) => {
      if (drill.way === 'dump' && !existsSync(PG_DUMP)) {
        say(`dump: left out, there is no ${PG_DUMP} here`);
        return true;
      }
      const startedMs = Date.now();
      const options = { ...drill, flows, cuts, seed: seed + index * SEEDS_APART };
      return show(await runDrill(shutdown, options, say), { seed: options.seed, startedMs });
    });
  }
}

function show(report: Report, common: Parameters<typeof printReport>[1]): boolean {
  printReport(report, common);
  return report.problems.length + report.broken.length === 0;
}

/** Starts servers only if the soak will disturb them. */
async function surround(
  shutdown: Shutdown,
  { cluster = false, restarts, cuts, failovers, nodeKills, databaseKills, bridgeKills }: Disturbance & ClusterFlag,
): Promise<Surroundings & { readonly world: WorldOptions }> {
  if (cluster && restarts + failovers > 0)
    throw new Error('tramita: --restarts and --failovers are not for a --cluster');
  if (cluster) return openClusterSurroundings(shutdown, { cuts, onProgress: sayProgress });
  if (nodeKills + databaseKills + bridgeKills > 0)
    throw new Error('tramita: --node-kills, --database-kills and --bridge-kills need a --cluster');
  return restarts + cuts + failovers > 0 ? openSurroundings(shutdown, { failovers }) : { world: {} };
}

function sayProgress({ kind, text }: LocalProgress): void {
  if (kind !== 'tick') process.stderr.write(`${text}\n`);
}

function describe(wanted: Disturbance & ClusterFlag): string {
  const { kills, pauses, restarts, cuts, failovers, nodeKills, databaseKills, bridgeKills } = wanted;
  const ofCluster = `; nodes ${nodeKills}, database ${databaseKills}, bridges ${bridgeKills}`;
  return `${kills} kills, ${pauses} pauses, ${restarts} restarts, ${cuts} cuts, ${failovers} fail-overs${wanted.cluster === true ? ofCluster : ''}`;
}

function withSeed(command: Command, seed = Math.floor(Date.now() / 1_000) % 1_000_000): Command {
  return command.option('--seed <n>', 'the same seed plans the same soak', whole, seed);
}

function withDisturbances(
  command: Command,
  { seed, kills = 0, pauses = 0 }: { readonly seed?: number; readonly kills?: number; readonly pauses?: number },
): Command {
  return withSeed(command, seed)
    .option('--kills <n>', 'workers killed with SIGKILL', whole, kills)
    .option('--pauses <n>', 'workers frozen with SIGSTOP, past the deadlines', whole, pauses)
    .option('--restarts <n>', 'Temporal and PostgreSQL, by turns, killed with SIGKILL and started again', whole, 0)
    .option('--cuts <n>', 'all connections of the workers to one of them reset, by turns', whole, 0)
    .option('--failovers <n>', 'the database fails over to a replica that lacks the last commits', whole, 0);
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`tramita: expected a whole number, got "${text.slice(0, 20)}"`);
  return Number(text);
}

function listOf(text: string): readonly string[] {
  return text.split(',').filter((each) => each !== '');
}

function flowNames(text: string, before: readonly WorkflowType[] = []): readonly WorkflowType[] {
  const type = WORKFLOW_TYPES.find((each) => each === text);
  if (type === undefined) throw new Error(`tramita: --flow must be one of ${WORKFLOW_TYPES.join(', ')}`);
  return [...before, type];
}
