/**
 * What free evidence can say about an undecided charge. It decides only on proof: anything else leaves the charge
 * to a person. `looked` tells people what was read and what it showed; it never contains a personal number.
 */
import type { Amount } from '../../contract/index.js';
import type { Intent, NewReading, Settlement } from '../../ledger/index.js';
import type { CallSubject } from '../../protocol/index.js';
import type { AccountDeps, EventDeps, LedgerDeps, RecordDeps, ServiceDeps } from '../deps.js';

export type EvidenceDeps = ServiceDeps & LedgerDeps & RecordDeps & Pick<EventDeps, 'eventsFor'>;

/** A row that is `unknown`, or `charged_lost` and not decided. */
export interface UndecidedCall {
  readonly account: AccountDeps;
  readonly intent: Intent;
  readonly subject: CallSubject;
}

export type Finding = Found & {
  /** The balance that has decided it; it becomes the opening balance of later calls. */
  readonly reading?: NewReading;
};

type Proof = Readonly<Record<string, unknown>>;

type Found =
  /** The call was accepted (adopted as pending) or done: the row is settled by `settlement`. */
  | { readonly found: 'sent'; readonly settlement: Settlement; readonly looked: string }
  /** It cost nothing: it may be sent again. */
  | { readonly found: 'not charged'; readonly proof: Proof; readonly looked: string }
  /** It may be repeated even if it was charged: the reservation stays. */
  | { readonly found: 'repeatable'; readonly proof: Proof; readonly looked: string }
  /** It was charged, and this evidence brings no answer. */
  | { readonly found: 'charged'; readonly charged: Amount; readonly proof: Proof; readonly looked: string }
  | { readonly found: 'nothing'; readonly looked: string };

export function nothing(looked: string): Finding {
  return { found: 'nothing', looked };
}
