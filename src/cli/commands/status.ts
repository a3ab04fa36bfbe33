/** `tramita status <workflow id>`: where a flow is, or how it ended. */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { Progress } from '../../protocol/index.js';
import { readProgress } from '../../starters/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT, failure, type ExitCode } from '../exit-codes.js';
import { failureText, readFlowFailure, type FlowFailure } from '../output/flow-failure.js';
import { JSON_OPTION, print } from '../output/output.js';
import { isParked, parkedText, progressLine } from '../wait-for-flow.js';
import { BY_OPTION, SEALED_OPTION, shownResult, type ShowSealed } from '../with/shown-result.js';
import { ANSWER_WITHIN_MS, withClient } from '../with/with-client.js';

interface FlowStatus {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  /** `RUNNING`, `COMPLETED`, `FAILED`, `CANCELLED`, `TERMINATED`, `TIMED_OUT`. */
  readonly status: string;
  /** Null when no worker answered. */
  readonly progress: Progress | null;
  readonly result: unknown;
  readonly failure: FlowFailure | null;
}

export function addStatusCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('status')
    .description('show where a flow is; exit code 3 when it needs a person, 1 when it failed')
    .argument('<workflow id>')
    .option(...SEALED_OPTION)
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run((workflowId: string, { json, ...show }: ShowSealed & { json?: boolean }) =>
        withClient(context, async (client) => {
          const found = await readStatus(client, workflowId);
          const result = await shownResult(context, found.result, { ...show, via: 'status --sealed' });
          const seen = { ...found, result };
          print(context, json, seen, statusText(seen));
          return exitCodeOf(seen);
        }),
      ),
    );
}

async function readStatus(client: Client, workflowId: string): Promise<FlowStatus> {
  const handle = client.workflow.getHandle(workflowId);
  const { runId, type, status } = await handle.describe().catch((error: unknown) => {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
    throw failure(`there is no workflow "${workflowId}" in namespace "${client.options.namespace}"`);
  });
  const progress = await client
    .withDeadline(Date.now() + ANSWER_WITHIN_MS, () => readProgress(client, workflowId))
    .catch(() => null);
  const common = { workflowId, runId, type, status: status.name, progress };
  if (status.name === 'RUNNING') return { ...common, result: null, failure: null };
  try {
    return { ...common, result: await handle.result(), failure: null };
  } catch (error) {
    const ended = readFlowFailure(error);
    if (ended === undefined) throw error;
    return { ...common, result: null, failure: ended };
  }
}

function statusText(seen: FlowStatus): string {
  const head = `${seen.workflowId} (${seen.type}): ${seen.status}`;
  if (seen.failure !== null) return `${head}\n${failureText(seen.failure)}`;
  if (seen.status !== 'RUNNING') return `${head}\n${JSON.stringify(seen.result, undefined, 2)}`;
  if (seen.progress === null) return `${head}\nno worker answers: start one with "tramita worker"`;
  if (isParked(seen.progress)) return `${head}\n${parkedText(seen.workflowId, seen.progress)}`;
  return `${head}\n${progressLine(seen.progress)}`;
}

function exitCodeOf({ failure: ended, progress, status }: FlowStatus): ExitCode {
  if (ended !== null) return EXIT.failed;
  return status === 'RUNNING' && progress !== null && isParked(progress) ? EXIT.needsPerson : EXIT.ok;
}
