/** The only Temporal call that waking needs, over a client that the caller creates and closes. */
import type { Client } from '@temporalio/client';
import { SIGNAL_WAKE } from '../protocol/index.js';
import type { SignalWake } from './types.js';

/** Deadline of the call itself: a call that we only stopped waiting for would exceed the limit of concurrent signals. */
export const SIGNAL_WITHIN_MS = 10_000;

/**
 * Makes the {@link SignalWake} of a bridge from a client. It signals the latest run of the id and rejects with
 * `WorkflowNotFoundError` when none is running in the client's namespace.
 */
export function createSignalWake(client: Pick<Client, 'workflow'>): SignalWake {
  const signal = (workflowId: string, payload: Parameters<SignalWake>[1]): Promise<void> =>
    client.workflow.withDeadline(Date.now() + SIGNAL_WITHIN_MS, () =>
      client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, payload),
    );
  return Object.assign(signal, { namespace: client.workflow.options.namespace });
}
