/** To *settle* is to bring a row to a final state: the findings, and the result. */
import type { Amount } from '../contract/index.js';
import type { Wake } from '../inbox/index.js';
import type { AmountSource, Intent, IntentState } from './intent.js';

/** What a call, a poll or a person found out. Members left out keep what the row has. */
export interface Settlement {
  readonly state: Exclude<IntentState, 'open' | 'closed'>;
  readonly charged?: Amount | null;
  /** Default `told`. */
  readonly amountSource?: AmountSource;
  readonly balanceAfter?: Amount | null;
  readonly requestId?: string | null;
  readonly metaRequestId?: string | null;
  readonly searchLogId?: string | null;
  readonly httpStatus?: number | null;
  readonly errorCode?: string | null;
  readonly reason?: string | null;
  readonly finalState?: string | null;
  readonly rawStatus?: string | null;
  readonly serviceOpenedAtMs?: number | null;
  /** With a 429: when the service wants to be asked again, epoch ms by our clock. Calls of the account wait until then. */
  readonly throttledUntilMs?: number;
  readonly body?: { readonly bytes: Buffer; readonly contentType: string | null };
  readonly evidence?: Readonly<Record<string, unknown>>;
}

/** A row after something was found out or decided about it. */
export interface Moved {
  readonly intent: Intent;
  /** Of the flows that wait for this row. They are owed until the inbox's `markWoken`: the relay delivers them otherwise. */
  readonly wakes: readonly Wake[];
}

export interface Settled extends Moved {
  /** False if the row had been decided before: the late answer was stored as a conflict, with an alarm. */
  readonly applied: boolean;
  /** An event about this work was already in the inbox. */
  readonly eventSeen: boolean;
}
