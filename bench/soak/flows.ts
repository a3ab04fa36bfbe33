/** The flows of a soak: started as any language would, each remembered until its end with what it was meant to meet. */
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { flowHandle, readProgress } from '../../src/starters/index.js';
import { until } from '../../test/support/until.js';
import type { Ask } from './stock.js';

export type FlowEnd = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly type: string };

export interface FlowRecord {
  readonly workflowId: string;
  readonly ask: Ask;
  /** Fault (or other trouble) that it is meant to meet. */
  readonly label: string;
  /** So long after its send the service may still charge: nobody decides before. */
  readonly lateMs: number;
  end: FlowEnd | undefined;
  /** Attentions it was parked with, in order. */
  readonly parked: string[];
  readonly decisions: string[];
}

export interface StartFlow {
  readonly label: string;
  readonly lateMs?: number;
  readonly account?: string;
  readonly memo?: Readonly<Record<string, unknown>>;
}

export interface FlowBook {
  start(ask: Ask, options: StartFlow): Promise<FlowRecord>;
  find(workflowId: string): FlowRecord | undefined;
  all(): readonly FlowRecord[];
  /** Resolves when all of them have ended; false when some have not after `withinMs`. */
  ended(flows: readonly FlowRecord[], withinMs: number): Promise<boolean>;
}

export function createFlowBook({
  client,
  taskQueue,
}: {
  readonly client: Client;
  readonly taskQueue: string;
}): FlowBook {
  const run = randomBytes(4).toString('hex');
  const flows = new Map<string, FlowRecord>();
  return {
    start: async (ask, { label, lateMs = 0, account = ask.service.name, memo = {} }) => {
      const workflowId = `soak/${run}/${flows.size + 1}`;
      const flow: FlowRecord = {
        ...{ workflowId, ask, label, lateMs, end: undefined },
        parked: [],
        decisions: [],
      };
      flows.set(workflowId, flow);
      const args = [{ ...ask.input, account }];
      const { firstExecutionRunId } = await client.workflow.start(ask.type, { taskQueue, workflowId, args, memo });
      void flowHandle(client, workflowId, firstExecutionRunId)
        .result()
        .then(
          () => (flow.end = { kind: 'done' }),
          (error: unknown) => (flow.end = { kind: 'failed', type: typeOf(error) }),
        );
      return flow;
    },
    find: (workflowId) => flows.get(workflowId),
    all: () => [...flows.values()],
    ended: async (wanted, withinMs) => {
      try {
        await until(() => (wanted.every(({ end }) => end !== undefined) ? true : undefined), { withinMs, everyMs: 20 });
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** For a flow that should have ended: what it waits for. */
export async function describeFlow(
  client: Client,
  { ask, workflowId, parked, decisions }: FlowRecord,
): Promise<string> {
  const history = `parked [${parked.join(', ')}], decided [${decisions.join(', ')}]`;
  const progress = await readProgress(client, workflowId).catch(() => undefined);
  const { state, attention, waitingFor, nextCheckAt } = progress ?? {};
  const now =
    progress === undefined
      ? 'cannot be asked'
      : `${state} ${attention ?? ''} (${waitingFor ?? ''}, ${nextCheckAt ?? ''})`;
  return `${ask.operation} ${workflowId}: ${now}; ${history}`;
}

function typeOf(error: unknown): string {
  const { cause, name } = error as {
    readonly cause?: { readonly type?: string; readonly name?: string };
    readonly name?: string;
  };
  return cause?.type ?? cause?.name ?? name ?? 'unknown';
}
