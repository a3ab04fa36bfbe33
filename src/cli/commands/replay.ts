/**
 * `tramita replay`: checks, before a build gets flows, that it replays their histories. It reads histories and writes nothing.
 * Exit code 1 if one does not replay, because its flow would be stuck.
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
import { formatTable, JSON_OPTION, print, printable, type JsonFlag } from '../output/output.js';
import { runsOfFolder, runsOfNamespace, type FoundRun } from '../with/kept-runs.js';
import { BY_OPTION, noteLookAtFlows } from '../with/note-look.js';
import { readConfig, readTemporal } from '../with/settings.js';
import { withClient } from '../with/with-client.js';

const DEFAULT_LIMIT = 5_000;
/** Failures often share one cause: further ones are only counted. */
const MOST_NAMED = 20;
const LONGEST_MESSAGE = 500;
/** The SDK's text before the reason. */
const PREAMBLE = /^Replay failed .*? Details: /s;

interface Flags extends JsonFlag {
  readonly by: string;
  readonly since: string;
  readonly flow?: string;
  readonly limit: number;
  readonly file?: string;
}

interface Tally {
  readonly flow: string;
  passed: number;
  failed: number;
  /** No worker had completed a task of them. */
  notBegun: number;
}

export function addReplayCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('replay')
    .description('replay histories with this build before it is made current; read-only')
    .option('--since <time>', 'flows that run, or ended since: how long ago (7d), a day or an ISO time', '7d')
    .addOption(new Option('--flow <flow>', 'only this workflow type').choices(WORKFLOW_TYPES))
    .option('--limit <count>', 'maximum number, newest first', parseCount, DEFAULT_LIMIT)
    .option('--file <folder>', 'histories from JSON files of this folder, without a server')
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(async ({ by, since, flow, limit, file, json }: Flags): Promise<ExitCode> => {
        const sinceMs = parseSince(since, Date.now());
        const temporal = readTemporal(context);
        const config = file === undefined ? readConfig(context) : undefined;
        const cut = { isCut: false };
        const onCut = (): void => {
          cut.isCut = true;
        };
        // Before workflows are bundled, so that a missing folder fails at once.
        const fileRuns =
          file === undefined ? undefined : await runsOfFolder(resolve(context.cwd, file), { flow, limit, onCut });
        // Loaded here: most commands do not need the native core.
        const { installQuietRuntime, replayHistories } = await import('../../workers/index.js');
        installQuietRuntime();
        const replayAll = async (runs: AsyncIterable<FoundRun>): Promise<Result> =>
          countResults(runs, (begun) => replayHistories(temporal, begun));
        const result =
          fileRuns === undefined
            ? await withClient(context, (client) => replayAll(runsOfNamespace(client, { sinceMs, flow, limit, onCut })))
            : await replayAll(fileRuns);
        // The caller has given the files, so they are not logged.
        if (config !== undefined)
          await noteLookAtFlows(context, config, { by, via: 'replay', items: result.failures.length });
        print(context, json, { ...result, ...cut }, linesOf(result));
        if (cut.isCut) context.err(`tramita: only ${limit} histories were read, and there are more; raise --limit\n`);
        return result.failed > 0 ? EXIT.failed : EXIT.ok;
      }),
    );
}

interface Result {
  readonly flows: readonly Tally[];
  readonly replayed: number;
  readonly failed: number;
  /** At most `MOST_NAMED`. */
  readonly failures: readonly (Pick<ReplayedRun, 'workflowId' | 'runId' | 'flow'> & { readonly message: string })[];
}

async function countResults(
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
      : `${failed} of ${replayed} histories do not replay: with this build their flows would get stuck. Do not deploy it`,
    ...failures.map(({ flow, workflowId, runId, message }) => `  ${flow} ${workflowId} ${runId ?? ''}: ${message}`),
    ...(failed > failures.length ? [`  and ${failed - failures.length} more`] : []),
  ];
}
