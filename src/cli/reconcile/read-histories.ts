/**
 * Temporal's histories as a witness of the ledger: what the flow was told about each of its charged calls. A call
 * that another flow had made is left out: it stands in the other one's history.
 */
import type { Client } from '@temporalio/client';
import { arrayFromPayloads, defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { CallOutcome, ChargedCallInput } from '../../protocol/index.js';
import { unlessGone } from '../../temporal-client/index.js';

/** A call as its history tells it; the last word on it counts. */
export interface ToldCall {
  readonly operation: string;
  readonly input: ChargedCallInput;
  readonly outcome: CallOutcome & { readonly intentId: string };
}

const AT_ONCE = 8;

/** `operations`: names of charged activities. `onFlow` is told after each history. */
export async function* readHistories(
  client: Client,
  asked: {
    readonly sinceMs: number;
    readonly operations: ReadonlySet<string>;
    readonly onFlow: (count: number) => void;
  },
): AsyncGenerator<ToldCall> {
  const since = new Date(asked.sinceMs).toISOString();
  const query = `TramitaFlow IS NOT NULL AND (CloseTime IS NULL OR CloseTime > "${since}")`;
  let flows = 0;
  let batch: Promise<readonly ToldCall[]>[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    batch.push(readHistory(client, { workflowId, runId }, asked.operations));
    flows += 1;
    asked.onFlow(flows);
    if (batch.length < AT_ONCE) continue;
    for (const told of await Promise.all(batch)) yield* told;
    batch = [];
  }
  for (const told of await Promise.all(batch)) yield* told;
}

async function readHistory(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  operations: ReadonlySet<string>,
): Promise<readonly ToldCall[]> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory().catch(unlessGone);
  const scheduled = new Map<string, { readonly type: string; readonly input: unknown }>();
  const calls = new Map<string, ToldCall>();
  for (const event of history?.events ?? []) {
    const asked = event.activityTaskScheduledEventAttributes;
    if (asked) {
      scheduled.set(String(event.eventId), {
        type: asked.activityType?.name ?? '',
        input: first(asked.input?.payloads),
      });
    }
    const ended = event.activityTaskCompletedEventAttributes;
    if (!ended) continue;
    const activity = scheduled.get(String(ended.scheduledEventId));
    if (activity !== undefined) note(calls, activity, { result: first(ended.result?.payloads), operations });
  }
  return [...calls.values()];
}

function note(
  calls: Map<string, ToldCall>,
  { type, input }: { readonly type: string; readonly input: unknown },
  { result, operations }: { readonly result: unknown; readonly operations: ReadonlySet<string> },
): void {
  const outcome = outcomeIn(result);
  if (outcome === undefined || outcome.reused) return;
  const known = calls.get(outcome.intentId);
  if (known !== undefined) calls.set(outcome.intentId, { ...known, outcome });
  else if (operations.has(type)) {
    calls.set(outcome.intentId, { operation: type, input: input as ChargedCallInput, outcome });
  }
}

/** Of a charged call, of the end of its polling, and of the resolver. */
function outcomeIn(result: unknown): ToldCall['outcome'] | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const call = 'call' in result ? result.call : result;
  if (typeof call !== 'object' || call === null || !('outcome' in call) || !('intentId' in call)) return undefined;
  const held = call.outcome === 'HELD' || call.outcome === 'REFUSED';
  return held || typeof call.intentId !== 'string' ? undefined : (call as ToldCall['outcome']);
}

/** Undefined where it cannot be read: another converter wrote it. */
function first(payloads: Payload[] | null | undefined): unknown {
  try {
    return arrayFromPayloads(defaultPayloadConverter, payloads ?? [])[0];
  } catch {
    return undefined;
  }
}
