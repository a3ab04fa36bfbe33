/** Where a flow waits for a person: what people read there, which answers it takes, and how the flow ends without one. */
import type { Attention, CallFacts, FailureType, SettleChargeInput } from '../../protocol/index.js';

/** The call that a failure is about. */
export interface FailedCall {
  readonly operation?: string;
  readonly facts?: CallFacts;
}

interface ParkedNote {
  readonly step: string;
  /** What happened: what was sent when, what was looked at. */
  readonly story: string;
  /** What each answer does, one line each. */
  readonly choices: readonly string[];
}

/** What a parked flow waits for. It gives up `GIVE_UP_AFTER_MS` after the wait began. */
export interface ParkingPlace {
  readonly attention: Attention;
  readonly waitingFor: string;
  /** The ledger row that a decision is about; only where `settleCharge` is accepted. */
  readonly intentId?: string;
  readonly accepts: readonly ('settleCharge' | 'resume' | 'wake')[];
  /** Rules for a decision here, beyond the general ones. */
  readonly decisionProblem?: (decision: SettleChargeInput) => string | undefined;
  /** The flow looks again by itself after this, given how long it has waited; absent: it never does. */
  readonly lookAgainAfterMs?: (waitedMs: number) => number;
  /** Wakes already seen by the caller; later ones end the wait. */
  readonly wakesSeen?: number;
  readonly note: ParkedNote;
  /** How the flow fails if nobody answers in time. */
  readonly givesUp: FailedCall & { readonly type: FailureType; readonly message: string };
}

/** What ends the wait. */
export type Verdict =
  { readonly by: 'decision'; readonly decision: SettleChargeInput } | { readonly by: 'resume' | 'wake' | 'timer' };
