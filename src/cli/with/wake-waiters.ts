/** Wakes the flows that wait for a row of the ledger. A wake that fails stays owed in the database, and a worker delivers it. */
import type { Client } from '@temporalio/client';
import { createSignalWake, deliverWakes } from '../../bridge/index.js';
import type { Inbox, Wake } from '../../inbox/index.js';

export async function wakeWaiters(
  { client, inbox }: { readonly client: Client; readonly inbox: Inbox },
  wakes: readonly Wake[],
  reason: string,
): Promise<void> {
  await deliverWakes({ inbox, signalWake: createSignalWake(client), payloadOf: () => ({ reason }) }, wakes);
}
