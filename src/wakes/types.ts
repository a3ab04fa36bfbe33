/** What signalling needs from outside: the inbox, Temporal through one function, a log, counters. */
import type { Inbox } from '../inbox/index.js';
import type { WakeInput } from '../protocol/index.js';

/**
 * Signals `wake` to the running execution of a workflow id. Rejects when it could not; an error named
 * `WorkflowNotFoundError`, or with gRPC code 5 and not about a namespace, says that no such flow runs any more.
 */
export interface SignalWake {
  (workflowId: string, payload: WakeInput): Promise<void>;
  /** Namespace of the client. A flow that is unknown there and waits in another namespace has not ended. */
  readonly namespace?: string;
}

export type WakeInbox = Pick<Inbox, 'markWoken' | 'takeUnwoken' | 'dropWaiters'> &
  Partial<Pick<Inbox, 'waitersElsewhere'>>;

/** Fields are names, ids and counts. */
export interface WakesLog {
  warn(fields: Readonly<Record<string, string>>, message: string): void;
  error(fields: Readonly<Record<string, string>>, message: string): void;
}

/**
 * `woken`: delivered at once. `late`: the flow had ended. `failed`: left to the relay. `relayed`: delivered by the relay.
 * `relay_error`: a round of it failed.
 */
export type CountWakes = (name: 'woken' | 'late' | 'failed' | 'relayed' | 'relay_error', by: number) => void;
