/** `tramita start <flow>`: starts (or joins) a flow by its typed starter; with `--wait` stays until it ends. */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { createStarterDeps, type Config } from '../../config/index.js';
import { present } from '../../contract/index.js';
import { WORKFLOW_TYPES } from '../../protocol/index.js';
import { starterOf, type FlowHandle } from '../../starters/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { EXIT, failure, usageError, type ExitCode } from '../exit-codes.js';
import { KEYS_CURE, failureText } from '../output/flow-failure.js';
import { START_FLAGS, readFlow, type StartFlags } from '../input/flow-input.js';
import { createStatusLine, JSON_OPTION, print, printJson, type JsonFlag } from '../output/output.js';
import { readStartConfig } from '../with/with-database.js';
import { parkedText, progressLine, waitForFlow } from '../wait-for-flow.js';
import { noPoller } from '../with/no-poller.js';
import { BY_OPTION } from '../with/note-look.js';
import { SEALED_OPTION, shownResult, type ShowSealed } from '../with/shown-result.js';
import { withClient } from '../with/with-client.js';

interface Flags extends StartFlags, JsonFlag {
  readonly sealed?: boolean;
  readonly by?: string;
  readonly input?: string;
  readonly workflowId?: string;
  readonly wait?: boolean;
}

export function addStartCommand(program: Command, { context, run }: CommandSetup): void {
  const start = program
    .command('start')
    .description(`start a flow: ${WORKFLOW_TYPES.join(', ')}`)
    .argument('<flow>', 'workflow type')
    .option('--input <json>', 'the input as one JSON object; flags add to it');
  for (const [member, { takes, help }] of START_FLAGS) {
    const name = member.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    start.option(`--${name}${takes === undefined ? '' : ` ${takes}`}`, help);
  }
  start
    .option('--workflow-id <id>', 'instead of the default workflow id')
    .option('--wait', 'wait until the flow ends and print its result as JSON')
    .option(...SEALED_OPTION)
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(async (flow: string, { input: json, workflowId, wait, json: asJson, sealed, by, ...flags }: Flags) => {
        const { type, input } = readFlow(flow, json, flags);
        const config = await readStartConfig(context);
        return withClient(context, async (client) => {
          const deps = createStarterDeps(config, client);
          const handle = await starterOf(type)(deps, input, present({ workflowId })).catch(rethrow);
          if (wait === true) {
            return waitAndPrint(context, { client, handle, config, show: present({ sealed, by }) });
          }
          const { workflowId: id, runId } = handle;
          print(context, asJson, { workflowId: id, runId }, `started ${id} (run ${runId})`);
          return EXIT.ok;
        });
      }),
    );
}

async function waitAndPrint(
  context: CliContext,
  options: {
    readonly client: Client;
    readonly handle: FlowHandle<unknown>;
    readonly config: Config;
    readonly show: ShowSealed;
  },
): Promise<ExitCode> {
  const { client, handle, config, show } = options;
  const status = createStatusLine(context);
  const onSilence = async (cause: 'no answer' | 'unreadable'): Promise<void> => {
    const problem =
      cause === 'unreadable'
        ? `its progress cannot be read here: ${KEYS_CURE}`
        : await noPoller(client, config.taskQueue);
    if (problem !== undefined) status.show(`${handle.workflowId}: ${problem}`);
  };
  const end = await waitForFlow({
    client,
    handle,
    onSilence,
    onProgress: (progress) => status.show(`${handle.workflowId}: ${progressLine(progress)}`),
  }).finally(status.clear);
  switch (end.kind) {
    case 'done':
      printJson(context, await shownResult(context, config, end.result, { ...show, via: 'start --wait' }));
      return EXIT.ok;
    case 'failed':
      throw failure(failureText(end.failure));
    case 'parked':
      context.err(`${parkedText(handle.workflowId, end)}\n`);
      return EXIT.needsPerson;
  }
}

function rethrow(error: unknown): never {
  const { name, type, message = '' } = error as Partial<Record<'name' | 'type' | 'message', string>>;
  if (type === 'InvalidInput') throw usageError(message);
  if (name === 'DifferentInput') throw failure(message);
  throw error;
}
