/**
 * `refreshCase` runs as the portfolio's dispatcher sees them: started or joined under their own ids, with a lower priority
 * than people's, and watched by their result and by their attention. The runs write nothing for it.
 */
import { hasErrorName, present } from '../contract/values/index.js';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { SweepEnd, SweepRun, SweepRuns } from '../activities/index.js';
import { firstRunOf, needOf } from '../protocol/index.js';
import { flowHandle, startRefreshCase, type StarterDeps } from '../starters/index.js';
import { attentionOf, unlessGone } from '../temporal-client/index.js';

/** Temporal's priorities go from 1 (first) to 5; runs that people start have 3, the default. */
const SWEEP_PRIORITY = 4;
/** How often the attention of a run is read, because nobody waits for a parked run. */
const LOOK_EVERY_MS = 15_000;
/**
 * A signal ends only the first attempt of a call; a retry ends by the deadline. The server ends a long poll a second before the
 * deadline, so with this margin it does not end before the look does.
 */
const DEADLINE_AFTER_LOOK_MS = 1_000;

export function createSweepRuns(deps: StarterDeps, lookEveryMs = LOOK_EVERY_MS): SweepRuns {
  const watching = { client: deps.client, lookEveryMs };
  return {
    start: async ({ input, once, budget }) => {
      try {
        const { workflowId, runId } = await startRefreshCase(deps, input, {
          priorityKey: SWEEP_PRIORITY,
          sweep: { once, ...present({ budget }) },
        });
        return { kind: 'started', workflowId, runId };
      } catch (error) {
        if (hasErrorName(error, 'DifferentInput')) return { kind: 'other input' };
        throw error;
      }
    },
    watch: (run, signal) => watch(watching, run, signal),
    look: (run, signal) => look(watching, run, signal),
  };
}

interface Watching {
  readonly client: Client;
  readonly lookEveryMs: number;
}

async function watch(watching: Watching, run: SweepRun, signal: AbortSignal): Promise<SweepEnd> {
  for (;;) {
    signal.throwIfAborted();
    const end = (await endWithin(watching, run, signal)) ?? (await attentionNow(watching.client, run.workflowId));
    if (end !== undefined) return end;
  }
}

/** How the run stands now; undefined while it is running and needs nobody. */
async function look(watching: Watching, run: SweepRun, signal: AbortSignal): Promise<SweepEnd | undefined> {
  const { client } = watching;
  const described = await client.workflow.getHandle(run.workflowId).describe().catch(unlessGone);
  if (described?.status.name !== 'RUNNING') return endWithin(watching, run, signal);
  // Another start may have the id by now.
  return (await isOfChain(client, described, run.runId)) ? attentionIn(described) : endWithin(watching, run, signal);
}

/** Is the run in the chain of the newest one? A run that was joined between two resets is neither its first nor its newest. */
async function isOfChain(client: Client, newest: WorkflowExecutionDescription, runId: string): Promise<boolean> {
  const first = firstRunOf(newest);
  if ([newest.runId, first].includes(runId)) return true;
  const run = await client.workflow.getHandle(newest.workflowId, runId).describe().catch(unlessGone);
  return run !== undefined && firstRunOf(run) === first;
}

/** Undefined if it has not ended in time. No call outlives this function, because none may outlive the connection. */
async function endWithin({ client, lookEveryMs }: Watching, { workflowId, runId }: SweepRun, signal: AbortSignal) {
  // A new one for each look: for every call, the SDK leaves a listener, and with it the call, on the signal.
  const over = new AbortController();
  const deadline = new Date(Date.now() + lookEveryMs + DEADLINE_AFTER_LOOK_MS);
  // A signal does not end a call that begins after it; the deadline does.
  const stop = (): void => {
    deadline.setTime(Date.now());
    over.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, lookEveryMs);
  try {
    return await client.withDeadline(deadline, () =>
      client.withAbortSignal(over.signal, () => endOf(client, workflowId, runId)),
    );
  } catch (error) {
    if (over.signal.aborted && !signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function endOf(client: Client, workflowId: string, runId: string): Promise<SweepEnd> {
  try {
    await flowHandle(client, workflowId, runId).result();
    return { kind: 'done' };
  } catch (error) {
    const { name, cause } = error as { readonly name?: string; readonly cause?: unknown };
    // Deleted, by hand or after the retention of its namespace: its end will never be known.
    if (name === 'WorkflowNotFoundError') return { kind: 'failed', type: 'NotFound' };
    if (name !== 'WorkflowFailedError') throw error;
    // The failure's type is ours; cancelled, terminated and timed out runs have a cause without one.
    const type = cause instanceof ApplicationFailure ? cause.type : undefined;
    return { kind: 'failed', type: type ?? (cause as { readonly name?: string } | undefined)?.name ?? 'Failed' };
  }
}

/** Undefined if the run needs nobody. */
async function attentionNow(client: Client, workflowId: string): Promise<SweepEnd | undefined> {
  // The newest run: a refresh with many pages continues as a new one.
  const described = await client.workflow.getHandle(workflowId).describe();
  // A run that has ended keeps its last attention.
  return described.status.name === 'RUNNING' ? attentionIn(described) : undefined;
}

function attentionIn(described: WorkflowExecutionDescription): SweepEnd | undefined {
  const need = needOf(attentionOf(described));
  return need === null ? undefined : { kind: 'parked', attention: need };
}
