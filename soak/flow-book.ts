/** The flows of a soak: started as from any language, and recorded until their end with the calls that they are about. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Charge } from '../sandbox/index.js';
import type { JsonObject } from '../src/contract/index.js';
import type { Attention, Progress, WorkflowType } from '../src/protocol/index.js';
import { readProgress } from '../src/starters/index.js';
import { patiently } from './patiently.js';
import type { Service } from './service.js';

export type FlowEnd =
  | { readonly kind: 'done'; readonly result: JsonObject }
  | { readonly kind: 'failed'; readonly type: string; readonly details: JsonObject };

/** What a flow is started with, and what is known of it in advance. */
export interface FlowOrder {
  readonly type: WorkflowType;
  readonly input: JsonObject;
  readonly service: Service;
  /** Names of its calls in the charge book, by page; empty if the flow is not about one call. */
  readonly abouts: readonly string[];
  /** The fault (or other trouble) that it is meant to meet. */
  readonly label: string;
  readonly workflowId?: string;
  /** Further workflows that it starts. */
  readonly others?: readonly string[];
  readonly account?: string;
  readonly memo?: Readonly<Record<string, unknown>>;
  /** How long after a send the service may still charge: the person does not decide earlier. */
  readonly lateMs?: number;
  /** Whether a charge is for this step; `abouts` decides when it is absent. */
  readonly owns?: (charge: Charge, step: ParkedStep, row: ParkedRow | undefined) => boolean | Promise<boolean>;
}

export interface ParkedStep {
  readonly workflowId: string;
  readonly step: string;
  readonly operation: string;
}

export interface ParkedRow {
  readonly intentId: string;
  readonly state: string;
  readonly openedAtMs: number;
}

/** A step that waited for a person. */
export interface Parking extends ParkedStep {
  readonly attention: Attention;
  readonly atMs: number;
  /** The ledger's row of the step at that time. */
  readonly row: ParkedRow | undefined;
  /** The service's charge for it; undefined: none. */
  readonly charge: Charge | undefined;
}

export interface Flow extends FlowOrder {
  readonly workflowId: string;
  readonly startedAtMs: number;
  end: FlowEnd | undefined;
  readonly parked: Parking[];
  /** The person's decisions, in order. */
  readonly decisions: string[];
}

export interface FlowBook {
  start(order: FlowOrder): Promise<Flow>;
  /** The flow that runs as this workflow, or that has started it. */
  find(workflowId: string): Flow | undefined;
  all(): readonly Flow[];
  /** Resolves with true when all of them have ended, with false when `withinMs` is over first. */
  ended(flows: readonly Flow[], withinMs: number): Promise<boolean>;
}

const ASK_AGAIN_MS = 500;

export function createFlowBook({
  client,
  taskQueue,
}: {
  readonly client: Client;
  readonly taskQueue: string;
}): FlowBook {
  const run = randomBytes(4).toString('hex');
  const flows = new Map<string, Flow>();
  const byWorkflow = new Map<string, Flow>();
  const ends = new Map<Flow, Promise<void>>();
  return {
    start: async (order) => {
      const { type, input, account = order.service.name, memo = {}, others = [] } = order;
      const workflowId = order.workflowId ?? `soak/${run}/${flows.size + 1}`;
      const flow: Flow = {
        ...order,
        workflowId,
        startedAtMs: Date.now(),
        end: undefined,
        parked: [],
        decisions: [],
      };
      flows.set(workflowId, flow);
      for (const each of [workflowId, ...others]) byWorkflow.set(each, flow);
      const options = { taskQueue, workflowId, args: [{ ...input, account }], memo };
      const handle = await patiently(
        () => client.workflow.start(type, { ...options, workflowIdConflictPolicy: 'USE_EXISTING' }),
        ASK_AGAIN_MS,
      );
      ends.set(
        flow,
        endOf(handle).then((end) => {
          flow.end = end;
        }),
      );
      return flow;
    },
    find: (workflowId) => byWorkflow.get(workflowId),
    all: () => [...flows.values()],
    ended: async (wanted, withinMs) => {
      const late = new AbortController();
      const all = Promise.all(wanted.map(async (flow) => ends.get(flow)));
      await Promise.race([all, sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
      return wanted.every(({ end }) => end !== undefined);
    },
  };
}

/** 0 for the first page (and without pages). */
export function pageOf(step: string): number {
  const [, page = '1'] = /\/([^/]+)$/.exec(step) ?? [];
  return page === '1' ? 0 : 1;
}

/** Undefined when no worker answers in time. */
export async function progressWithin(
  client: Client,
  workflowId: string,
  withinMs: number,
): Promise<Progress | undefined> {
  try {
    return await client.withDeadline(Date.now() + withinMs, () => readProgress(client, workflowId));
  } catch {
    return undefined;
  }
}

/** For a flow that should have ended: what it waits for. */
export async function describeFlow(client: Client, { label, workflowId, parked, decisions }: Flow): Promise<string> {
  const progress = await progressWithin(client, workflowId, 5_000);
  const { state, attention, waitingFor, nextCheckAt } = progress ?? {};
  const now =
    state === undefined ? 'cannot be asked' : `${state} ${attention ?? ''} (${waitingFor ?? ''}, ${nextCheckAt ?? ''})`;
  const history = `parked [${parked.map((each) => each.attention).join(', ')}], decided [${decisions.join(', ')}]`;
  return `${label}: ${workflowId}: ${now}; ${history}`;
}

/** An unavailable server ends this request, not the flow: it is asked again. */
async function endOf(handle: WorkflowHandle): Promise<FlowEnd> {
  for (;;) {
    try {
      return { kind: 'done', result: (await handle.result()) as JsonObject };
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { type?: string; name?: string; details?: unknown[] } };
      if (name === 'WorkflowFailedError') {
        const [details = {}] = cause?.details ?? [];
        return { kind: 'failed', type: cause?.type ?? cause?.name ?? 'Failed', details: details as JsonObject };
      }
      await sleep(ASK_AGAIN_MS);
    }
  }
}
