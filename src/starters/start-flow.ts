/**
 * The one way to start a flow: USE_EXISTING for a running id, a new run for a closed one, search attributes and summary set
 * at start (so they cost nothing), and the hash of the input in the memo to tell a joined run from a different one.
 */
import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ID_KEY_FINGERPRINT,
  MEMO_ID_KEY,
  MEMO_INPUT_HASH,
  MEMO_SWEEP,
  SEARCH_ATTRIBUTES,
  type SweepMemo,
  type WorkflowType,
} from '../protocol/index.js';
import { DifferentInput } from './errors.js';

/** What every starter takes first. `createStarterDeps(config, client)` makes it. */
export interface StarterDeps {
  readonly client: Client;
  readonly taskQueue: string;
  /** Keyed HMAC. */
  readonly token: (kind: string, value: unknown) => string;
  /** Does this account mask case numbers? Default: no. */
  readonly masksCnj?: (account: string) => boolean;
}

/** What may be set for one start, beside the input. */
export interface StartOptions {
  /** Default: the flow's own id from its subject. */
  readonly workflowId?: string;
  /** Temporal's priority, 1 (first) to 5; 3. Lower ones wait while others want the same account. */
  readonly priorityKey?: number;
  /** Of a portfolio: the `once` key of this refresh and the cap that it shares. Not part of the input. */
  readonly sweep?: SweepMemo;
}

/** A flow that was started or joined: where it is, and its result to wait for. */
export interface FlowHandle<Result> {
  readonly workflowId: string;
  readonly runId: string;
  /** Waits for the end; re-attaches by itself after an outage of the server. Throws the client's `WorkflowFailedError`. */
  result(): Promise<Result>;
}

/** One start as it goes to Temporal. */
export interface FlowStart {
  readonly type: WorkflowType;
  readonly input: unknown;
  readonly settings: unknown;
  readonly workflowId: string;
  readonly account: string;
  /** The case number (or its token); absent where the flow is not about one case. */
  readonly caseAttribute?: string | undefined;
  readonly summary: string;
  readonly options?: StartOptions;
}

export async function startFlow<Result>(deps: StarterDeps, start: FlowStart): Promise<FlowHandle<Result>> {
  const { priorityKey, sweep } = start.options ?? {};
  const inputHash = deps.token('input', start.settings);
  const handle = await deps.client.workflow.start(start.type, {
    workflowId: start.workflowId,
    taskQueue: deps.taskQueue,
    args: [start.input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    memo: {
      [MEMO_INPUT_HASH]: inputHash,
      [MEMO_ID_KEY]: deps.token(ID_KEY_FINGERPRINT, ''),
      ...(sweep === undefined ? {} : { [MEMO_SWEEP]: sweep }),
    },
    ...(priorityKey === undefined ? {} : { priority: { priorityKey } }),
    staticSummary: start.summary,
    typedSearchAttributes: [
      { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.flow, 'KEYWORD'), value: start.type },
      { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.account, 'KEYWORD'), value: start.account },
      ...(start.caseAttribute === undefined
        ? []
        : [{ key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.case, 'KEYWORD'), value: start.caseAttribute }]),
    ],
  });
  await refuseDifferentInput(handle, { ...start, inputHash });
  return flowHandle<Result>(deps.client, start.workflowId, handle.firstExecutionRunId);
}

async function refuseDifferentInput(
  handle: WorkflowHandleWithFirstExecutionRunId,
  start: FlowStart & { readonly inputHash: string },
): Promise<void> {
  const { memo, type } = await handle.describe();
  const running: unknown = memo?.[MEMO_INPUT_HASH];
  // A run started by plain JSON has no hash: nothing can be said against it.
  if (type !== start.type || (running !== undefined && running !== start.inputHash)) {
    throw new DifferentInput(start.workflowId);
  }
}

/**
 * The handle of a run that was started before, by its ids: to wait for its end again. Outages of the server reject a pending
 * `result()` of the library: it is asked again as long as the server may come back.
 */
export function flowHandle<Result>(client: Client, workflowId: string, runId: string): FlowHandle<Result> {
  return {
    workflowId,
    runId,
    result: async () => {
      for (;;) {
        try {
          return (await client.workflow
            .getHandle(workflowId, undefined, { firstExecutionRunId: runId })
            .result()) as Result;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          await client.connection.ensureConnected().catch(() => undefined);
        }
      }
    },
  };
}

/** gRPC UNAVAILABLE (14): the server is away, the run goes on. */
function isUnavailable(error: unknown): boolean {
  const cause: unknown = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 14;
}
