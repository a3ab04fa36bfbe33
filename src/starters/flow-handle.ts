/** Waits for a run, also through outages of the server and across resets, which continue it in another run. */
import type { Client, Connection, WorkflowExecutionDescription } from '@temporalio/client';
import { hasErrorName } from '../contract/values/index.js';
import { firstRunOf } from '../protocol/index.js';

/** A flow that was started or joined: its ids, and its result to wait for. */
export interface FlowHandle<Result> {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Id of the run. */
  readonly runId: string;
  /** Waits for the end, also through outages of the server. Throws the client's `WorkflowFailedError`. */
  result(): Promise<Result>;
}

/**
 * The handle of a run that was started before, by its ids, to wait for its end again. An outage of the server makes the library's
 * `result()` reject; it is then called again, however long the outage lasts. A run that was reset continues in another one,
 * which is then waited for instead. Its wait ends by `client.withDeadline` and `client.withAbortSignal`.
 */
export function flowHandle<Result>(client: Client, workflowId: string, runId: string): FlowHandle<Result> {
  return {
    workflowId,
    runId,
    result: async () => {
      let currentRunId = runId;
      const signal = signalOf(client);
      for (;;) {
        try {
          return (await client.workflow.getHandle(workflowId, currentRunId).result()) as Result;
        } catch (error) {
          if (isUnavailable(error)) {
            await client.connection.ensureConnected().catch(() => undefined);
            if (signal?.aborted === true) throw error;
            continue;
          }
          const newest = isTerminated(error) ? await newestRun(client, workflowId, currentRunId) : undefined;
          if (newest === undefined || newest === currentRunId) throw error;
          currentRunId = newest;
        }
      }
    },
  };
}

/** The signal of `client.withAbortSignal`. The library ends by it only calls that have begun when it is aborted, no later ones. */
function signalOf({ connection }: Client): AbortSignal | undefined {
  return (connection as Partial<Pick<Connection, 'callContextStorage'>>).callContextStorage?.getStore()?.abortSignal;
}

/** A reset terminates the run that it replaces. */
function isTerminated(error: unknown): boolean {
  return hasErrorName((error as { readonly cause?: unknown } | null)?.cause, 'TerminatedFailure');
}

/**
 * The newest run of the chain that this run belongs to. It need not be the first of its chain: a start may have joined it after
 * an earlier reset. Undefined if another start has the id now, or if the server cannot tell.
 */
async function newestRun(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const described = (id?: string): Promise<WorkflowExecutionDescription | undefined> =>
    client.workflow
      .getHandle(workflowId, id)
      .describe()
      .catch(() => undefined);
  const newest = await described();
  if (newest === undefined) return undefined;
  const run = firstRunOf(newest) === runId ? newest : await described(runId);
  return run !== undefined && firstRunOf(run) === firstRunOf(newest) ? newest.runId : undefined;
}

/** gRPC UNAVAILABLE (14): the server is away, the run continues. */
function isUnavailable(error: unknown): boolean {
  return (error as { readonly cause?: { readonly code?: unknown } | null } | null)?.cause?.code === 14;
}
