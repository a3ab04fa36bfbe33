/** Words of parking: where a flow stands when it waits for a person, and what ends the wait. Types only. */
import type { Attention, SettleChargeInput } from '../../protocol/index.js';
import type { ParkedNote } from './details.js';

export interface ParkingPlace {
  readonly attention: Attention;
  readonly waitingFor: string;
  /** The ledger row that a decision is about; only where `settleCharge` is accepted. */
  readonly intentId?: string;
  readonly accepts: readonly ('settleCharge' | 'resume' | 'wake')[];
  /** More than the general rules ask of a decision here. */
  readonly decisionProblem?: (decision: SettleChargeInput) => string | undefined;
  /**
   * Looks again by itself after this, given how long the attention has stood; otherwise only the end of patience moves it.
   */
  readonly lookAgainAfterMs?: (waitedMs: number) => number;
  /** Counted from the moment this attention was raised. */
  readonly giveUpAfterMs: number;
  /** Wakes already seen by the caller; later ones end the wait. */
  readonly wakesSeen?: number;
  readonly note: ParkedNote;
}

export type Verdict =
  | { readonly by: 'decision'; readonly decision: SettleChargeInput }
  | { readonly by: 'resume' }
  | { readonly by: 'wake' }
  | { readonly by: 'timer' }
  | { readonly by: 'giving up' };
