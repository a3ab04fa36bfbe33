/** A run that is waited for: through outages of the server, and into the run that took its place by a reset. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { hasErrorName } from '../contract/values/index.js';
import { firstRunOf } from '../protocol/index.js';

/** A flow that was started or joined: where it is, and its result to wait for. */
export interface FlowHandle<Result> {
  /** Where the run is found, now and later. */
  readonly workflowId: string;
  /** This run of it. */
  readonly runId: string;
  /** Waits for the end; re-attaches by itself after an outage of the server. Throws the client's `WorkflowFailedError`. */
  result(): Promise<Result>;
}

/**
 * The handle of a run that was started before, by its ids: to wait for its end again. Outages of the server reject a pending
 * `result()` of the library: it is asked again as long as the server may come back. A run that was reset goes on in another one,
 * which is waited for in its place.
 */
export function flowHandle<Result>(client: Client, workflowId: string, runId: string): FlowHandle<Result> {
  return {
    workflowId,
    runId,
    result: async () => {
      let waitsFor = runId;
      for (;;) {
        try {
          return (await client.workflow.getHandle(workflowId, waitsFor).result()) as Result;
        } catch (error) {
          if (isUnavailable(error)) {
            await client.connection.ensureConnected().catch(() => undefined);
            continue;
          }
          const newest = isTerminated(error) ? await newestRun(client, workflowId, waitsFor) : undefined;
          if (newest === undefined || newest === waitsFor) throw error;
          waitsFor = newest;
        }
      }
    },
  };
}

/** A reset terminates the run that it takes the place of. */
function isTerminated(error: unknown): boolean {
  return hasErrorName((error as { readonly cause?: unknown } | null)?.cause, 'TerminatedFailure');
}

/**
 * The last run of the chain of this one, which need not be its first: a start may have joined it after an earlier reset. Undefined
 * where another start has the id now, or nobody knows.
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

/** gRPC UNAVAILABLE (14): the server is away, the run goes on. */
function isUnavailable(error: unknown): boolean {
  const cause: unknown = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 14;
}
