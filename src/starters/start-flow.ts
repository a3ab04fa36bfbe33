/**
 * The only way to start a flow. A running workflow with the same id, or the default id of an older version, is joined; a closed
 * one gets a new run. Search attributes and summary are set at the start, which costs nothing. A hash in the memo shows whether
 * a joined run has the same input; a run that was started with plain JSON has none, so its input is read.
 */
import type { Client, WorkflowExecutionDescription, WorkflowStartOptions } from '@temporalio/client';
import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import {
  A_FUNCTION,
  AN_OBJECT,
  ANY_FORM,
  hasErrorName,
  optionsProblem,
  present,
  type OptionForm,
} from '../contract/values/index.js';
import {
  FLOWS,
  ID_KEY_FINGERPRINT,
  MEMO_ID_KEY,
  MEMO_INPUT_HASH,
  MEMO_SWEEP,
  SEARCH_ATTRIBUTES,
  firstRunOf,
  idProblem,
  type FlowPlan,
  type Naming,
  type SweepMemo,
  type WorkflowType,
} from '../protocol/index.js';
import { flowHandle, type FlowHandle } from './flow-handle.js';

/** The first argument of every starter. `createStarterDeps(config, client)` makes it. */
export interface StarterDeps extends Naming {
  /** Client of the namespace in which the workers run. */
  readonly client: Client;
  /** Task queue of the workers. */
  readonly taskQueue: string;
}

/** What may be set for one start besides the input. */
export interface StartOptions {
  /** Default: made from the subject of the flow. */
  readonly workflowId?: string;
  /** Temporal's priority, 1 (first) to 5; default 3. It decides which flows wait when several want the same account. */
  readonly priorityKey?: number;
  /** Set by a portfolio: the `once` key of this refresh and the cap that it shares. Not part of the input. */
  readonly sweep?: SweepMemo;
  /**
   * Starts the run in another way than `client.workflow.start`, and returns the id of its first run: in a Nexus operation of your
   * own, `startWorkflow(context, type, options)` of `@temporalio/nexus`, which attaches the caller's callback to the run.
   */
  readonly startRun?: (type: WorkflowType, options: WorkflowStartOptions) => Promise<string>;
}

const PRIORITIES = [1, 2, 3, 4, 5];

const OPTIONS: Readonly<Record<keyof StartOptions, OptionForm>> = {
  // checked by `chosenIdProblem`
  workflowId: ANY_FORM,
  priorityKey: {
    expected: 'a whole number from 1 (first) to 5',
    takes: (value) => PRIORITIES.some((each) => each === value),
  },
  sweep: AN_OBJECT,
  startRun: A_FUNCTION,
};

/** One start as it goes to Temporal. */
interface FlowStart {
  readonly type: WorkflowType;
  readonly input: unknown;
  readonly plan: FlowPlan;
  readonly options: StartOptions;
}

export async function startFlow(deps: StarterDeps, start: FlowStart): Promise<FlowHandle<unknown>> {
  const { type, plan, options } = start;
  const { client } = deps;
  refuseOptions(options);
  const requested = requestOf(deps, type, plan);
  // Read before the first await, because the caller may change its object.
  const { workflowId: chosenId, startRun } = options;
  const common = runOptions(deps, start, requested.inputHash);
  const old = chosenId === undefined ? await runningFlow(client, plan.oldWorkflowId) : undefined;
  if (old !== undefined) {
    await refuseDifferentInput(old, requested);
    if (startRun === undefined) return flowHandle(client, old.workflowId, firstRunOf(old));
  }
  const workflowId = chosenId ?? old?.workflowId ?? plan.workflowId;
  const run: WorkflowStartOptions = { ...common, workflowId };
  if (startRun === undefined) {
    const newRunId = await startNew(client, type, run);
    if (newRunId !== undefined) return flowHandle(client, workflowId, newRunId);
  }
  const runId = await (startRun === undefined ? startOrJoin(client, type, run) : startRun(type, run));
  // This run, and not the newest one: it may have ended by now, and another start may have the id.
  await refuseDifferentInput(await client.workflow.getHandle(workflowId, runId).describe(), requested);
  return flowHandle(client, workflowId, runId);
}

/** A `once` key or a cap that is given here instead of in the input would be ignored, and money spent without it. */
function refuseOptions(options: StartOptions): void {
  const misplaced = optionsProblem('options', options, OPTIONS);
  if (misplaced !== undefined) throw invalidInput(`${misplaced}. What the flow itself takes belongs in its input`);
  const chosen = options.workflowId === undefined ? undefined : chosenIdProblem(options.workflowId);
  if (chosen !== undefined) throw invalidInput(chosen);
}

function runOptions(
  { token, taskQueue }: StarterDeps,
  { type, input, plan, options: { priorityKey, sweep } }: FlowStart,
  inputHash: string,
): Omit<WorkflowStartOptions, 'workflowId'> {
  return {
    taskQueue,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: plan.summary,
    memo: {
      [MEMO_INPUT_HASH]: inputHash,
      [MEMO_ID_KEY]: token(ID_KEY_FINGERPRINT, ''),
      ...present({ [MEMO_SWEEP]: sweep }),
    },
    ...present({ priority: priorityKey === undefined ? undefined : { priorityKey } }),
    typedSearchAttributes: [
      { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.flow, 'KEYWORD'), value: type },
      { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.account, 'KEYWORD'), value: plan.settings.account },
      ...(plan.caseAttribute === undefined
        ? []
        : [{ key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.case, 'KEYWORD'), value: plan.caseAttribute }]),
    ],
  };
}

function chosenIdProblem(workflowId: unknown): string | undefined {
  if (typeof workflowId !== 'string' || workflowId === '')
    return 'workflowId must be a non-empty string; leave it out for the default one';
  return idProblem('workflowId', workflowId);
}

/** Undefined if one is running. Only then is there an input to compare, so a new run need not be described. */
async function startNew(client: Client, type: WorkflowType, run: WorkflowStartOptions): Promise<string | undefined> {
  try {
    return await startOrJoin(client, type, { ...run, workflowIdConflictPolicy: 'FAIL' });
  } catch (error) {
    if (hasErrorName(error, 'WorkflowExecutionAlreadyStartedError')) return undefined;
    throw error;
  }
}

async function startOrJoin(client: Client, type: WorkflowType, run: WorkflowStartOptions): Promise<string> {
  return (await client.workflow.start(type, run)).firstExecutionRunId;
}

/** The run that a start with this plan would join, or be refused by because of its other input; undefined if there is none. */
export async function findRunning(
  deps: Pick<StarterDeps, 'client' | 'token'>,
  type: WorkflowType,
  plan: Pick<FlowPlan, 'workflowId' | 'oldWorkflowId' | 'settings'>,
): Promise<{ readonly workflowId: string; readonly runId: string; readonly sameInput: boolean } | undefined> {
  const { client } = deps;
  const run = (await runningFlow(client, plan.oldWorkflowId)) ?? (await runningFlow(client, plan.workflowId));
  if (run === undefined) return undefined;
  const { workflowId } = run;
  return { workflowId, runId: firstRunOf(run), sameInput: !(await hasOtherInput(run, requestOf(deps, type, plan))) };
}

/** The run in progress under this id. */
async function runningFlow(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const described = await client.workflow.getHandle(workflowId).describe();
    return described.status.name === 'RUNNING' ? described : undefined;
  } catch (error) {
    if (hasErrorName(error, 'WorkflowNotFoundError')) return undefined;
    throw error;
  }
}

interface Requested {
  readonly client: Client;
  readonly type: WorkflowType;
  readonly inputHash: string;
  /** Hash of another input; undefined for an invalid input, which the flow itself refuses. */
  readonly hashOf: (input: unknown) => string | undefined;
}

function requestOf(
  { client, token }: Pick<StarterDeps, 'client' | 'token'>,
  type: WorkflowType,
  { settings }: Pick<FlowPlan, 'settings'>,
): Requested {
  return {
    client,
    type,
    inputHash: token('input', settings),
    hashOf: (input) => {
      const plan = FLOWS[type].plan(input, { token });
      return plan.ok ? token('input', plan.value.settings) : undefined;
    },
  };
}

type FoundRun = Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'type' | 'memo'>;

async function refuseDifferentInput(run: FoundRun, requested: Requested): Promise<void> {
  if (await hasOtherInput(run, requested)) throw new DifferentInput(run.workflowId);
}

async function hasOtherInput(run: FoundRun, { client, type, inputHash, hashOf }: Requested): Promise<boolean> {
  if (run.type !== type) return true;
  const runningHash: unknown = run.memo?.[MEMO_INPUT_HASH] ?? hashOf(await inputOf(client, run));
  return runningHash !== undefined && runningHash !== inputHash;
}

/** The input of a run in its first event, for a run that was started with plain JSON. Undefined if it cannot be read. */
async function inputOf(client: Client, { workflowId, runId }: FoundRun): Promise<unknown> {
  const { namespace, loadedDataConverter } = client.options;
  const request = { namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request).catch(unlessUnreadable);
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const context = { type: 'workflow', namespace, workflowId } as const;
  return decodeFromPayloadsAtIndex(loadedDataConverter, 0, payloads, context).catch(() => undefined);
}

/** gRPC NOT_FOUND (5), or PERMISSION_DENIED (7) for a role that may only start and describe. */
function unlessUnreadable(error: unknown): { readonly history?: undefined } {
  if ([5, 7].includes((error as { readonly code?: number }).code ?? 0)) return {};
  throw error;
}

/** The run in progress under this id has another input, or is another flow. Wait for its end, or start under another id. */
export class DifferentInput extends Error {
  override readonly name = 'DifferentInput';
  readonly workflowId: string;

  constructor(workflowId: string) {
    super(
      `tramita: workflow "${workflowId}" is running with a different input; wait for it to end, or start with a workflowId of your own`,
    );
    this.workflowId = workflowId;
  }
}

export function invalidInput(problem: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`tramita: ${problem}. Nothing was started`, 'InvalidInput');
}
