/** `tramita status <workflow id>`: where a flow is, or how it ended. */
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import { needOf, type Progress } from '../../protocol/index.js';
import { attentionOf } from '../../temporal-client/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT, failure, type ExitCode } from '../exit-codes.js';
import { KEYS_CURE, failureText, readFlowFailure, type FlowFailure } from '../output/flow-failure.js';
import { JSON_OPTION, print, printable, type JsonFlag } from '../output/output.js';
import { askProgress, detailsOf, detailsText, isParked, parkedText, progressLine } from '../wait-for-flow.js';
import { noCallPoller, noPoller } from '../with/no-poller.js';
import { BY_OPTION } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { SEALED_OPTION, shownResult, type ShowSealed } from '../with/shown-result.js';
import { ANSWER_WITHIN_MS, withClient } from '../with/with-client.js';

interface FlowStatus extends WhereItIs, HowItEnded {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  /** `RUNNING`, `COMPLETED`, `FAILED`, `CANCELLED`, `TERMINATED`, `TIMED_OUT`. */
  readonly status: string;
}

interface WhereItIs {
  /** Why a running flow needs a person, by its search attribute, which is known without a worker. */
  readonly attention: string | null;
  /** Null if no worker answered, at once if the flow has ended, or the answer cannot be decoded here. */
  readonly progress: Progress | null;
  /** Current details of a running flow, as the Temporal UI shows them: Markdown. Null if no worker answered. */
  readonly details: string | null;
  /** Why `progress` is not known, or that no worker polls the queue on which a call of it waits. */
  readonly problem: string | null;
}

interface HowItEnded {
  readonly result: unknown;
  readonly failure: FlowFailure | null;
}

/** The server knows the end of a flow. Only its steps, for programs, come from a worker. */
const STEPS_WITHIN_MS = 2_000;

const HAS_ENDED = { attention: null, details: null, problem: null };
const RUNS: HowItEnded = { result: null, failure: null };

export function addStatusCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('status')
    .description('show where a flow is; exit code 3 when it needs a person, 1 when it failed')
    .argument('<workflow id>')
    .option(...SEALED_OPTION)
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run((workflowId: string, { json, ...show }: ShowSealed & JsonFlag) => {
        const config = readConfig(context);
        return withClient(context, async (client) => {
          const found = await readStatus(client, workflowId, { withSteps: json === true });
          const result = await shownResult(context, config, found.result, { ...show, via: 'status' });
          const flow = { ...found, result };
          print(context, json, flow, statusText(flow));
          return exitCodeOf(flow);
        });
      }),
    );
}

async function readStatus(
  client: Client,
  workflowId: string,
  { withSteps }: { readonly withSteps: boolean },
): Promise<FlowStatus> {
  const handle = client.workflow.getHandle(workflowId);
  const described = await handle.describe().catch((error: unknown) => {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
    throw failure(`there is no workflow "${workflowId}" in namespace "${client.options.namespace}"`);
  });
  const { runId, type, status } = described;
  const flow = { workflowId, runId, type, status: status.name };
  if (status.name === 'RUNNING') return { ...flow, ...(await readWhere(client, described)), ...RUNS };
  const answer = withSteps ? await askProgress(client, workflowId, STEPS_WITHIN_MS) : undefined;
  return { ...flow, ...HAS_ENDED, progress: answer?.progress ?? null, ...(await readEnd(handle)) };
}

async function readEnd(handle: WorkflowHandle): Promise<HowItEnded> {
  try {
    return { result: await handle.result(), failure: null };
  } catch (error) {
    const ended = readFlowFailure(error);
    if (ended === undefined) throw error;
    return { result: null, failure: ended };
  }
}

async function readWhere(client: Client, described: WorkflowExecutionDescription): Promise<WhereItIs> {
  const { workflowId } = described;
  const answer = await askProgress(client, workflowId);
  const progress = answer?.progress ?? null;
  const details = progress === null ? null : ((await detailsOf(client, workflowId)) ?? null);
  return { attention: attentionOf(described), progress, details, problem: await problemOf(client, described, answer) };
}

async function problemOf(
  client: Client,
  { raw, taskQueue }: WorkflowExecutionDescription,
  answer: Awaited<ReturnType<typeof askProgress>>,
): Promise<string | null> {
  if (answer === undefined) {
    return (
      (await noPoller(client, taskQueue)) ??
      failingTask(raw) ??
      `no worker answered within ${ANSWER_WITHIN_MS / 1_000} s; ask again`
    );
  }
  if (answer.progress === undefined) return `its answer cannot be read here: ${KEYS_CURE}`;
  return noCallPoller(client, raw);
}

/** From this attempt at its next task on, the server refuses queries about a run at once. */
const REFUSES_FROM_ATTEMPT = 3;

/** Undefined unless workers have tried to continue the flow, in vain. */
function failingTask({ pendingWorkflowTask }: WorkflowExecutionDescription['raw']): string | undefined {
  const attempt = pendingWorkflowTask?.attempt ?? 0;
  if (attempt < REFUSES_FROM_ATTEMPT) return undefined;
  return `workers cannot continue it: its next task has failed or timed out ${attempt - 1} times; it waits, and begins no call. Its history in the Temporal UI says why; if they cannot replay it ("tramita replay"), see docs/upgrade.md`;
}

function statusText(flow: FlowStatus): string {
  const head = `${printable(flow.workflowId, Infinity)} (${printable(flow.type)}): ${flow.status}`;
  if (flow.failure !== null) return `${head}\n${failureText(flow.failure)}`;
  if (flow.status !== 'RUNNING') return `${head}\n${JSON.stringify(flow.result, undefined, 2)}`;
  const { attention, progress, details, problem } = flow;
  if (progress === null) {
    const need = needOf(attention);
    const needs = need === null ? '' : `it needs a person: ${printable(need)}\n`;
    return `${head}\n${needs}${problem ?? ''}`;
  }
  if (isParked(progress))
    return `${head}\n${parkedText(flow.workflowId, { why: progressLine(progress), details: details ?? undefined })}`;
  const where = details === null ? progressLine(progress) : detailsText(details);
  return [head, where, ...(problem === null ? [] : ['', `! ${problem}`])].join('\n');
}

function exitCodeOf({ failure: ended, progress, attention, status }: FlowStatus): ExitCode {
  if (ended !== null) return EXIT.failed;
  const isWaiting = progress === null ? needOf(attention) !== null : isParked(progress);
  return status === 'RUNNING' && isWaiting ? EXIT.needsPerson : EXIT.ok;
}
