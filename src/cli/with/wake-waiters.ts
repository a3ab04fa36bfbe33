/** Wakes the flows that wait for a row of the ledger. A wake that fails stays owed in the database, and a worker delivers it. */
import type { Client } from '@temporalio/client';
import { createSignalWake, deliverWakes } from '../../bridge/index.js';
import { intentKey, type Inbox } from '../../inbox/index.js';

export async function wakeWaiters(
  { client, inbox }: { readonly client: Client; readonly inbox: Inbox },
  row: { readonly intentId: string; readonly workflowIds: readonly string[]; readonly reason: string },
): Promise<void> {
  const eventKey = intentKey(row.intentId);
  await deliverWakes(
    { inbox, signalWake: createSignalWake(client), payloadOf: () => ({ reason: row.reason }) },
    row.workflowIds.map((workflowId) => ({ eventKey, workflowId })),
  );
}
