/**
 * `tramita replay`: does this build replay what flows have done? Asked before a build is let in. It reads histories and writes
 * nothing; exit code 1 where one does not replay, because its flow would be stuck.
 */
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { cutNumbers, maskPersonalNumbers } from '../../contract/values/index.js';
import { WORKFLOW_TYPES } from '../../protocol/index.js';
import type { ReplayedRun } from '../../workers/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { parseCount } from '../input/parse-count.js';
import { parseSince } from '../input/parse-time.js';
import { formatTable, JSON_OPTION, print, printable } from '../output/output.js';
import { runsOfFolder, runsOfNamespace, type FoundRun } from '../replay/kept-runs.js';
import { BY_OPTION, noteLookAtFlows } from '../with/note-look.js';
import { readConfig, readTemporal } from '../with/settings.js';
import { withClient } from '../with/with-client.js';

const DEFAULT_LIMIT = 5_000;
/** One reason mends all: the others are only counted. */
const MOST_NAMED = 20;
const LONGEST_MESSAGE = 500;
/** What the SDK says around the reason. */
const PREAMBLE = /^Replay failed .*? Details: /s;

interface Flags {
  readonly by: string;
  readonly since: string;
  readonly flow?: string;
  readonly limit: number;
  readonly file?: string;
  readonly json?: boolean;
}

interface Tally {
  readonly flow: string;
  passed: number;
  failed: number;
  /** No worker had taken them up. */
  notBegun: number;
}

export function addReplayCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('replay')
    .description('replay histories with this build, before it is let in; reads only')
    .option('--since <time>', 'flows that run, or ended since: so long ago (7d), a day or an ISO time', '7d')
    .addOption(new Option('--flow <flow>', 'only this workflow type').choices(WORKFLOW_TYPES))
    .option('--limit <count>', 'at most so many, newest first', parseCount, DEFAULT_LIMIT)
    .option('--file <folder>', 'histories from JSON files of this folder, without a server')
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(async ({ by, since, flow, limit, file, json }: Flags): Promise<ExitCode> => {
        const sinceMs = parseSince(since, Date.now());
        const temporal = readTemporal(context);
        const config = file === undefined ? readConfig(context) : undefined;
        const cut = { isCut: false };
        const onCut = (): void => void Object.assign(cut, { isCut: true });
        // Before the flows are bundled: a folder that is not there needs none.
        const kept =
          file === undefined ? undefined : await runsOfFolder(resolve(context.cwd, file), { flow, limit, onCut });
        // Loaded here: the native core is of no use to most commands.
        const { installQuietRuntime, replayHistories } = await import('../../workers/index.js');
        installQuietRuntime();
        const judge = async (runs: AsyncIterable<FoundRun>): Promise<Result> =>
          count(runs, (begun) => replayHistories(temporal, begun));
        const result =
          kept === undefined
            ? await withClient(context, (client) => judge(runsOfNamespace(client, { sinceMs, flow, limit, onCut })))
            : await judge(kept);
        // Files are what the caller has given.
        if (config !== undefined)
          await noteLookAtFlows(context, config, { by, via: 'replay', items: result.failures.length });
        print(context, json, { ...result, ...cut }, linesOf(result));
        if (cut.isCut) context.err(`tramita: there are more histories than the newest ${limit}; raise --limit\n`);
        return result.failed > 0 ? EXIT.failed : EXIT.ok;
      }),
    );
}

interface Result {
  readonly flows: readonly Tally[];
  readonly replayed: number;
  readonly failed: number;
  /** The first ones. */
  readonly failures: readonly (Pick<ReplayedRun, 'workflowId' | 'runId' | 'flow'> & { readonly message: string })[];
}

async function count(
  runs: AsyncIterable<FoundRun>,
  replay: (runs: AsyncIterable<FoundRun>) => AsyncIterable<ReplayedRun>,
): Promise<Result> {
  const tallies = new Map<string, Tally>();
  const tallyOf = (name: string): Tally => {
    const flow = printable(name);
    const tally = tallies.get(flow) ?? { flow, passed: 0, failed: 0, notBegun: 0 };
    tallies.set(flow, tally);
    return tally;
  };
  async function* begun(): AsyncGenerator<FoundRun> {
    for await (const run of runs) {
      if (run.begun) yield run;
      else tallyOf(run.flow).notBegun += 1;
    }
  }
  const failures: Result['failures'][number][] = [];
  for await (const { problem, ...run } of replay(begun())) {
    const tally = tallyOf(run.flow);
    if (problem === undefined) {
      tally.passed += 1;
      continue;
    }
    tally.failed += 1;
    if (failures.length === MOST_NAMED) continue;
    const message = printable(cutNumbers(problem.replace(PREAMBLE, '')), LONGEST_MESSAGE);
    failures.push({ ...run, workflowId: maskPersonalNumbers(printable(run.workflowId, Infinity)), message });
  }
  const flows = [...tallies.values()].sort((left, right) => left.flow.localeCompare(right.flow));
  const failed = flows.reduce((sum, tally) => sum + tally.failed, 0);
  return { flows, failed, failures, replayed: flows.reduce((sum, { passed }) => sum + passed, failed) };
}

function linesOf({ flows, replayed, failed, failures }: Result): readonly string[] {
  if (flows.length === 0) return ['no history was found, so nothing was replayed'];
  return [
    formatTable(
      ['FLOW', 'PASSED', 'FAILED', 'NOT BEGUN'],
      flows.map((tally) => [tally.flow, String(tally.passed), String(tally.failed), String(tally.notBegun)]),
    ),
    '',
    failed === 0
      ? `${replayed} histories replay with this build`
      : `${failed} of ${replayed} histories do not replay: with this build their flows would stand still. Do not let it in`,
    ...failures.map(({ flow, workflowId, runId, message }) => `  ${flow} ${workflowId} ${runId ?? ''}: ${message}`),
    ...(failed > failures.length ? [`  and ${failed - failures.length} more`] : []),
  ];
}
