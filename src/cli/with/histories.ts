/** Reads whole histories of the flows that a query finds, and decrypts their payloads or fails with the reason. */
import type { Client, WorkflowExecutionInfo, WorkflowHandle } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { unlessGone } from '../../temporal-client/index.js';
import { failure } from '../exit-codes.js';
import { printable } from '../output/output.js';

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

/** `of`: where the payloads are. @throws if one stays encrypted: an unreadable payload must not count as an absent one. */
export async function openPayloads(
  codecs: readonly PayloadCodec[],
  payloads: readonly Payload[],
  of: string,
): Promise<readonly Payload[]> {
  const opened = await decode([...codecs], [...payloads]);
  const closed = opened.find((payload) => encodingOf(payload) === 'binary/encrypted');
  if (closed !== undefined) {
    const key = printable(metadataOf(closed, 'encryption-key-id'));
    throw failure(
      `${of} is encrypted with the key "${key}", which TRAMITA_PAYLOAD_KEYS does not have, and what cannot be read cannot be searched: add that key; if it is lost for good, delete what was written with it in Temporal`,
    );
  }
  return opened;
}

export function nameOfHistory({ workflowId, runId }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>): string {
  return `the history of "${printable(workflowId, Infinity)}" (run ${runId})`;
}

export function encodingOf(payload: Payload): string {
  return metadataOf(payload, 'encoding');
}

function metadataOf({ metadata }: Payload, name: string): string {
  return Buffer.from(metadata?.[name] ?? []).toString();
}
