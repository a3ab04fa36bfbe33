/** Reads whole histories of the flows that a query finds, and decrypts their payloads or fails with the reason. */
import type { Client, WorkflowExecutionInfo, WorkflowHandle } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { unlessGone } from '../../temporal-client/index.js';
import { failure } from '../exit-codes.js';

const AT_ONCE = 8;

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export interface FlowHistory {
  readonly info: WorkflowExecutionInfo;
  readonly history: History;
}

/** The query for runs of our flows that are running, or have ended since then. */
export function runsSince(sinceMs: number): string {
  return `${SEARCH_ATTRIBUTES.flow} IS NOT NULL AND (CloseTime IS NULL OR CloseTime > "${new Date(sinceMs).toISOString()}")`;
}

/** In the order of Temporal's list. A flow that is deleted meanwhile is left out. */
export async function* readHistories(client: Client, query: string): AsyncGenerator<FlowHistory> {
  let batch: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query })) {
    batch.push(info);
    if (batch.length < AT_ONCE) continue;
    yield* await fetchHistories(client, batch);
    batch = [];
  }
  yield* await fetchHistories(client, batch);
}

async function fetchHistories(client: Client, batch: readonly WorkflowExecutionInfo[]): Promise<FlowHistory[]> {
  const fetches = batch.map(async (info) => {
    const handle = client.workflow.getHandle(info.workflowId, info.runId);
    return { info, history: await handle.fetchHistory().catch(unlessGone) };
  });
  return (await Promise.all(fetches)).flatMap(({ info, history }) => (history ? [{ info, history }] : []));
}

/** @throws if a payload stays encrypted: an unreadable payload must not count as an absent one. */
export async function openPayloads(
  codecs: readonly PayloadCodec[],
  payloads: readonly Payload[],
): Promise<readonly Payload[]> {
  const opened = await decode([...codecs], [...payloads]);
  if (opened.some((payload) => encodingOf(payload) === 'binary/encrypted')) {
    throw failure(
      'a history is encrypted with a key that TRAMITA_PAYLOAD_KEYS does not have, and what cannot be read cannot be searched: give the keys that the workers have had',
    );
  }
  return opened;
}

export function encodingOf({ metadata }: Payload): string {
  return Buffer.from(metadata?.['encoding'] ?? []).toString();
}
