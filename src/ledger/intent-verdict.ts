/** What the ledger answers to a call that asks to be sent. */
import type { Amount } from '../contract/index.js';
import type { AccountHold } from './account-hold.js';
import type { Intent } from './intent.js';
import type { KnownRow } from './intent-row.js';

export type IntentVerdict =
  /** The row is open and ours: send. `row` is present if this call wrote it; the answer is settled on it. */
  | { readonly kind: 'send'; readonly intent: Intent; readonly row?: KnownRow }
  /**
   * Nothing is to be sent: this row (own, `once`, `maxAge` or joined) has an answer or is pending. `eventSeen`: an event
   * about this pending work is in the inbox already, so the first look need not wait for one.
   */
  | { readonly kind: 'stored'; readonly intent: Intent; readonly eventSeen?: boolean }
  /** An equal call of another flow is open: wait until it settles. */
  | { readonly kind: 'open elsewhere'; readonly intent: Intent }
  /** An equal call of another flow is unknown: park on it. */
  | { readonly kind: 'unknown elsewhere'; readonly intent: Intent }
  /** Another attempt opened the row, or a retry found no row: the outcome is unknown. Nothing was written. */
  | { readonly kind: 'ambiguous'; readonly intent?: Intent }
  /** Closed before it was sent (by the resolver), or by a decision: send nothing. `evidence.decision` is a person's decision. */
  | { readonly kind: 'closed'; readonly intent: Intent }
  | {
      readonly kind: 'over budget';
      readonly cap: 'flow' | 'day' | 'balance' | 'shared';
      readonly limit: Amount;
      readonly needed: Amount;
      /** What this call is expected to cost. */
      readonly price: Amount;
      /** For a floor: the last balance that was reported, less the known charges since. */
      readonly balance?: Amount;
    }
  /** Calls of the account wait unsent: nothing was written, ask again under the same ordinal. */
  | ({ readonly kind: 'account held' } & AccountHold)
  /** The `once` key was used with other arguments. */
  | { readonly kind: 'once conflict'; readonly problem: string }
  /** A row of this very step is about another call. */
  | { readonly kind: 'step conflict'; readonly problem: string };
