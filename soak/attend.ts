/**
 * Attends a flow until it has ended: looks after it every so often, so that what parks can be decided meanwhile. A server that
 * is away ends the question, not the flow: it is asked again. What a look does is the caller's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { JsonObject } from '../src/contract/index.js';
import type { Progress } from '../src/protocol/index.js';
import { readProgress } from '../src/starters/index.js';

export type FlowEnd =
  | { readonly kind: 'done'; readonly result: JsonObject }
  | { readonly kind: 'failed'; readonly type: string; readonly details: JsonObject };

export interface Attendance {
  readonly everyMs: number;
  readonly untilMs: number;
  readonly look: () => Promise<void>;
  /** Asked once the flow itself has ended: whether all that belongs to it has, too. */
  readonly isOver?: () => Promise<boolean>;
}

/** How the flow has ended; undefined: not in time. */
export async function attend(
  handle: WorkflowHandle,
  { everyMs, untilMs, look, isOver = () => Promise.resolve(true) }: Attendance,
): Promise<FlowEnd | undefined> {
  let end: FlowEnd | undefined;
  const over = endOf(handle, everyMs).then((given) => (end = given));
  for (;;) {
    await Promise.race([over, sleep(everyMs)]);
    if (end !== undefined && (await isOver())) return end;
    if (Date.now() > untilMs) return end;
    await look();
  }
}

/** Undefined where nobody answers in time: no worker is there. */
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

async function endOf(handle: WorkflowHandle, everyMs: number): Promise<FlowEnd> {
  for (;;) {
    try {
      return { kind: 'done', result: (await handle.result()) as JsonObject };
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { type?: string; name?: string; details?: unknown[] } };
      if (name === 'WorkflowFailedError') {
        const [details = {}] = cause?.details ?? [];
        return { kind: 'failed', type: cause?.type ?? cause?.name ?? 'Failed', details: details as JsonObject };
      }
      await sleep(everyMs);
    }
  }
}
