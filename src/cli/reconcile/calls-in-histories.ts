/**
 * Reads from Temporal's histories what each flow learned about its charged calls, so that a ledger that lost rows can be
 * restored. A call that another flow made is left out: it is in that flow's history.
 */
import type { Client } from '@temporalio/client';
import { arrayFromPayloads, defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { CallOutcome, ChargedCallInput } from '../../protocol/index.js';
import { failure } from '../exit-codes.js';
import {
  encodingOf,
  nameOfHistory,
  openPayloads,
  readHistories,
  runsSince,
  type FlowHistory,
} from '../with/histories.js';

/** A call as its history records it, with its newest outcome. */
export interface CallInHistory {
  readonly operation: string;
  readonly input: ChargedCallInput;
  readonly outcome: CallOutcome & { readonly intentId: string };
}

interface Scheduled {
  readonly type: string;
  readonly input: unknown;
}

/** `operations`: names of charged activities. `onFlow` is called after each history. @throws if a history cannot be read. */
export async function* readCallsInHistories(
  client: Client,
  options: {
    readonly sinceMs: number;
    readonly operations: ReadonlySet<string>;
    readonly onFlow: (count: number) => void;
  },
): AsyncGenerator<CallInHistory> {
  const { payloadCodecs } = client.options.loadedDataConverter;
  let flows = 0;
  for await (const flow of readHistories(client, runsSince(options.sinceMs))) {
    yield* await callsOf(flow, payloadCodecs, options.operations);
    flows += 1;
    options.onFlow(flows);
  }
}

async function callsOf(
  { info, history: { events } }: FlowHistory,
  codecs: readonly PayloadCodec[],
  operations: ReadonlySet<string>,
): Promise<readonly CallInHistory[]> {
  const open: Open = (payloads) => openPayloads(codecs, payloads, nameOfHistory(info));
  const scheduled = new Map<string, Scheduled>();
  const calls = new Map<string, CallInHistory>();
  for (const event of events ?? []) {
    const scheduling = event.activityTaskScheduledEventAttributes;
    if (scheduling) {
      const input = await decodeFirst(scheduling.input?.payloads, open);
      scheduled.set(String(event.eventId), { type: scheduling.activityType?.name ?? '', input });
    }
    const completion = event.activityTaskCompletedEventAttributes;
    if (!completion) continue;
    const activity = scheduled.get(String(completion.scheduledEventId));
    if (activity === undefined) continue;
    const result = await decodeFirst(completion.result?.payloads, open);
    recordOutcome(calls, { call: chargedCallOf(activity, scheduled, operations), result });
  }
  return [...calls.values()];
}

/**
 * The charged call that an activity is about: the activity itself, or for the resolver the latest charged call with the same step
 * and ordinal, whose outcome it has looked for.
 */
function chargedCallOf(
  activity: Scheduled,
  scheduled: ReadonlyMap<string, Scheduled>,
  operations: ReadonlySet<string>,
): Scheduled | undefined {
  if (operations.has(activity.type)) return activity;
  const step = stepIn(activity.input);
  if (step === undefined) return undefined;
  const newestFirst = [...scheduled.values()].reverse();
  return newestFirst.find(({ type, input }) => operations.has(type) && stepIn(input) === step);
}

function stepIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('step' in input) || !('ordinal' in input)) return undefined;
  return JSON.stringify([input.step, input.ordinal]);
}

function recordOutcome(
  calls: Map<string, CallInHistory>,
  { call, result }: { readonly call: Scheduled | undefined; readonly result: unknown },
): void {
  const outcome = outcomeIn(result);
  if (outcome === undefined || outcome.reused) return;
  const known = calls.get(outcome.intentId);
  if (known !== undefined) calls.set(outcome.intentId, { ...known, outcome });
  else if (call !== undefined) {
    calls.set(outcome.intentId, { operation: call.type, input: call.input as ChargedCallInput, outcome });
  }
}

/** Reads the results of a charged call, of the end of its polling, and of the resolver. */
function outcomeIn(result: unknown): CallInHistory['outcome'] | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const call = 'call' in result ? result.call : result;
  if (typeof call !== 'object' || call === null || !('outcome' in call) || !('intentId' in call)) return undefined;
  const held = call.outcome === 'HELD' || call.outcome === 'REFUSED';
  return held || typeof call.intentId !== 'string' ? undefined : (call as CallInHistory['outcome']);
}

type Open = (payloads: readonly Payload[]) => Promise<readonly Payload[]>;

async function decodeFirst(payloads: Payload[] | null | undefined, open: Open): Promise<unknown> {
  const [payload] = await open(payloads?.slice(0, 1) ?? []);
  if (payload === undefined) return undefined;
  try {
    return arrayFromPayloads(defaultPayloadConverter, [payload])[0];
  } catch {
    const encoding = encodingOf(payload).slice(0, 64);
    throw failure(
      `a history has a payload of encoding "${encoding}", which tramita cannot read; --no-histories continues without them`,
    );
  }
}
