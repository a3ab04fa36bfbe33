/**
 * Temporal's histories as a witness of the ledger: what the flow learned about each of its charged calls. A call
 * that another flow had made is left out: it is in the other one's history.
 */
import type { Client } from '@temporalio/client';
import { arrayFromPayloads, defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { CallOutcome, ChargedCallInput } from '../../protocol/index.js';
import { failure } from '../exit-codes.js';
import { encodingOf, openPayloads, readHistories, type History } from '../with/histories.js';

/** A call as its history has it; the last word on it counts. */
export interface CallInHistory {
  readonly operation: string;
  readonly input: ChargedCallInput;
  readonly outcome: CallOutcome & { readonly intentId: string };
}

interface Scheduled {
  readonly type: string;
  readonly input: unknown;
}

/** `operations`: names of charged activities. `onFlow` is called after each history. @throws when a history cannot be read. */
export async function* readCallsInHistories(
  client: Client,
  asked: {
    readonly sinceMs: number;
    readonly operations: ReadonlySet<string>;
    readonly onFlow: (count: number) => void;
  },
): AsyncGenerator<CallInHistory> {
  const since = new Date(asked.sinceMs).toISOString();
  const query = `TramitaFlow IS NOT NULL AND (CloseTime IS NULL OR CloseTime > "${since}")`;
  const { payloadCodecs } = client.options.loadedDataConverter;
  let flows = 0;
  for await (const { history } of readHistories(client, query)) {
    yield* await callsOf(history, payloadCodecs, asked.operations);
    flows += 1;
    asked.onFlow(flows);
  }
}

async function callsOf(
  { events }: History,
  codecs: readonly PayloadCodec[],
  operations: ReadonlySet<string>,
): Promise<readonly CallInHistory[]> {
  const scheduled = new Map<string, Scheduled>();
  const calls = new Map<string, CallInHistory>();
  for (const event of events ?? []) {
    const asked = event.activityTaskScheduledEventAttributes;
    if (asked) {
      const input = await first(asked.input?.payloads, codecs);
      scheduled.set(String(event.eventId), { type: asked.activityType?.name ?? '', input });
    }
    const ended = event.activityTaskCompletedEventAttributes;
    if (!ended) continue;
    const activity = scheduled.get(String(ended.scheduledEventId));
    if (activity === undefined) continue;
    const result = await first(ended.result?.payloads, codecs);
    note(calls, { asked: askedFor(activity, scheduled, operations), result });
  }
  return [...calls.values()];
}

/**
 * The charged call that an activity is about: itself, or the one of the same step that did not come back, which the resolver
 * has looked for.
 */
function askedFor(
  activity: Scheduled,
  scheduled: ReadonlyMap<string, Scheduled>,
  operations: ReadonlySet<string>,
): Scheduled | undefined {
  if (operations.has(activity.type)) return activity;
  const about = stepIn(activity.input);
  if (about === undefined) return undefined;
  const earlier = [...scheduled.values()].reverse();
  return earlier.find(({ type, input }) => operations.has(type) && stepIn(input) === about);
}

function stepIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('step' in input) || !('ordinal' in input)) return undefined;
  return JSON.stringify([input.step, input.ordinal]);
}

function note(
  calls: Map<string, CallInHistory>,
  { asked, result }: { readonly asked: Scheduled | undefined; readonly result: unknown },
): void {
  const outcome = outcomeIn(result);
  if (outcome === undefined || outcome.reused) return;
  const known = calls.get(outcome.intentId);
  if (known !== undefined) calls.set(outcome.intentId, { ...known, outcome });
  else if (asked !== undefined) {
    calls.set(outcome.intentId, { operation: asked.type, input: asked.input as ChargedCallInput, outcome });
  }
}

/** Of a charged call, of the end of its polling, and of the resolver. */
function outcomeIn(result: unknown): CallInHistory['outcome'] | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const call = 'call' in result ? result.call : result;
  if (typeof call !== 'object' || call === null || !('outcome' in call) || !('intentId' in call)) return undefined;
  const held = call.outcome === 'HELD' || call.outcome === 'REFUSED';
  return held || typeof call.intentId !== 'string' ? undefined : (call as CallInHistory['outcome']);
}

async function first(payloads: Payload[] | null | undefined, codecs: readonly PayloadCodec[]): Promise<unknown> {
  const [payload] = await openPayloads(codecs, payloads?.slice(0, 1) ?? []);
  if (payload === undefined) return undefined;
  try {
    return arrayFromPayloads(defaultPayloadConverter, [payload])[0];
  } catch {
    const encoding = encodingOf(payload).slice(0, 64);
    throw failure(
      `a history has a payload of encoding "${encoding}", which tramita cannot read; --no-histories goes on without`,
    );
  }
}
