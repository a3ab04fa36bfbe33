/** The one thing the bridge asks of Temporal, over a client that the caller made and closes. */
import type { Client } from '@temporalio/client';
import { SIGNAL_WAKE } from '../protocol/index.js';
import type { SignalWake } from './types.js';

/**
 * Makes the {@link SignalWake} of a bridge from a client. It signals the latest run of the id and rejects with
 * `WorkflowNotFoundError` when none is running.
 */
export function createSignalWake(client: Pick<Client, 'workflow'>): SignalWake {
  return (workflowId, payload) => client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, payload);
}
