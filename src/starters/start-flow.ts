/**
 * The one way to start a flow: USE_EXISTING for a running id, a new run for a closed one, search attributes and summary set
 * at start (so they cost nothing), and the hash of the input in the memo to tell a joined run from a different one; of a run that
 * was started by plain JSON the input itself is read. A run that has the default id of an older version is joined as well.
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

/** What every starter takes first. `createStarterDeps(config, client)` makes it. */
export interface StarterDeps extends Naming {
  /** Client of the namespace in which the workers run. */
  readonly client: Client;
  /** Task queue of the workers. */
  readonly taskQueue: string;
}

/** What may be set for one start, beside the input. */
export interface StartOptions {
  /** Default: the flow's own id from its subject. */
  readonly workflowId?: string;
  /** Temporal's priority, 1 (first) to 5; 3. Lower ones wait while others want the same account. */
  readonly priorityKey?: number;
  /** Of a portfolio: the `once` key of this refresh and the cap that it shares. Not part of the input. */
  readonly sweep?: SweepMemo;
  /**
   * Starts the run by another way than `client.workflow.start`, and gives the id of its first run: in a Nexus operation of your own,
   * `startWorkflow(context, type, options)` of `@temporalio/nexus`, which leaves the caller's callback with the run.
   */
  readonly startRun?: (type: WorkflowType, options: WorkflowStartOptions) => Promise<string>;
}

const PRIORITIES = [1, 2, 3, 4, 5];

const OPTIONS: Readonly<Record<keyof StartOptions, OptionForm>> = {
  // read by `chosenIdProblem`
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
  const asked = asking(deps, type, plan);
  // Read before the first wait: the caller's own object may change.
  const { workflowId: chosenId, startRun } = options;
  const common = runOptions(deps, start, asked.inputHash);
  const old = chosenId === undefined ? await runningFlow(client, plan.oldWorkflowId) : undefined;
  if (old !== undefined) {
    await refuseDifferentInput(old, asked);
    if (startRun === undefined) return flowHandle(client, old.workflowId, firstRunOf(old));
  }
  const workflowId = chosenId ?? old?.workflowId ?? plan.workflowId;
  const run: WorkflowStartOptions = { ...common, workflowId };
  const newRunId = startRun === undefined ? await startNew(client, type, run) : undefined;
  if (newRunId !== undefined) return flowHandle(client, workflowId, newRunId);
  const runId = await (startRun === undefined ? startBy(client, type, run) : startRun(type, run));
  await refuseDifferentInput(await client.workflow.getHandle(workflowId).describe(), asked);
  return flowHandle(client, workflowId, runId);
}

/** A key or a cap that stands here in place of the input would be lost, and paid for. */
function refuseOptions(options: StartOptions): void {
  const misplaced = optionsProblem('options', options, OPTIONS);
  if (misplaced !== undefined) throw invalidInput(`${misplaced}. What the flow itself takes belongs into its input`);
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

/** Undefined where one runs: only then is there an input to compare, so a new run needs no look at what was started. */
async function startNew(client: Client, type: WorkflowType, run: WorkflowStartOptions): Promise<string | undefined> {
  try {
    return await startBy(client, type, { ...run, workflowIdConflictPolicy: 'FAIL' });
  } catch (error) {
    if (hasErrorName(error, 'WorkflowExecutionAlreadyStartedError')) return undefined;
    throw error;
  }
}

async function startBy(client: Client, type: WorkflowType, run: WorkflowStartOptions): Promise<string> {
  return (await client.workflow.start(type, run)).firstExecutionRunId;
}

/** The run that a start by this plan joins, or that refuses it because it has another input; undefined: there is none. */
export async function findRunning(
  deps: Pick<StarterDeps, 'client' | 'token'>,
  type: WorkflowType,
  plan: Pick<FlowPlan, 'workflowId' | 'oldWorkflowId' | 'settings'>,
): Promise<{ readonly workflowId: string; readonly runId: string; readonly sameInput: boolean } | undefined> {
  const { client } = deps;
  const run = (await runningFlow(client, plan.oldWorkflowId)) ?? (await runningFlow(client, plan.workflowId));
  if (run === undefined) return undefined;
  const { workflowId } = run;
  return { workflowId, runId: firstRunOf(run), sameInput: !(await isOtherInput(run, asking(deps, type, plan))) };
}

/** The run that has this id now and has not ended. */
async function runningFlow(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const described = await client.workflow.getHandle(workflowId).describe();
    return described.status.name === 'RUNNING' ? described : undefined;
  } catch (error) {
    if (hasErrorName(error, 'WorkflowNotFoundError')) return undefined;
    throw error;
  }
}

interface Asked {
  readonly client: Client;
  readonly type: WorkflowType;
  readonly inputHash: string;
  /** Undefined where nothing can be said about this input: the flow itself refuses it. */
  readonly hashOf: (input: unknown) => string | undefined;
}

function asking(
  { client, token }: Pick<StarterDeps, 'client' | 'token'>,
  type: WorkflowType,
  { settings }: Pick<FlowPlan, 'settings'>,
): Asked {
  return {
    client,
    type,
    inputHash: token('input', settings),
    hashOf: (input) => {
      const running = FLOWS[type].plan(input, { token });
      return running.ok ? token('input', running.value.settings) : undefined;
    },
  };
}

type FoundRun = Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'type' | 'memo'>;

async function refuseDifferentInput(run: FoundRun, asked: Asked): Promise<void> {
  if (await isOtherInput(run, asked)) throw new DifferentInput(run.workflowId);
}

async function isOtherInput(run: FoundRun, asked: Asked): Promise<boolean> {
  if (run.type !== asked.type) return true;
  const running: unknown = run.memo?.[MEMO_INPUT_HASH] ?? asked.hashOf(await inputOf(asked.client, run));
  return running !== undefined && running !== asked.inputHash;
}

/** Of a run that was started by plain JSON, and so has no hash: what its first event says. Undefined where it cannot be read. */
async function inputOf(client: Client, { workflowId, runId }: FoundRun): Promise<unknown> {
  const { namespace, loadedDataConverter } = client.options;
  const asked = { namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(asked).catch(unlessUnreadable);
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const context = { type: 'workflow', namespace, workflowId } as const;
  return decodeFromPayloadsAtIndex(loadedDataConverter, 0, payloads, context).catch(() => undefined);
}

/** gRPC NOT_FOUND (5), or PERMISSION_DENIED (7): a role that may only start and describe. */
function unlessUnreadable(error: unknown): { readonly history?: undefined } {
  if ([5, 7].includes((error as { readonly code?: number }).code ?? 0)) return {};
  throw error;
}

/** A run under this id is on its way and would not give what is asked now. Wait for it, or start under another id. */
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
