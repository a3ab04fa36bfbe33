/**
 * The six outcomes of a charged call: what each proves, the state of its row in the ledger, and what a flow does then. They are
 * values, never exceptions: a charged activity has one attempt, and the flow decides from its outcome. Sending again is always
 * a new ordinal of the step, with a row of its own.
 *
 * | Outcome        | Ledger state   | What it proves                                | What the flow does                                |
 * | -------------- | -------------- | --------------------------------------------- | ------------------------------------------------- |
 * | `DONE`         | `done`         | 2xx with a well-formed body, stored           | takes the answer                                  |
 * | `PENDING`      | `pending`      | 202: the charge is fixed, polling is free     | waits for the end; never sends again              |
 * | `REJECTED`     | `rejected`     | 4xx or 429: no charge expected                | sends again when asked to wait; else parks if it  |
 * |                |                |                                               | has paid and this can be cured, or fails          |
 * | `NOT_SENT`     | `not_sent`     | not one byte reached a connected socket       | sends again, five times; then parks if it has     |
 * |                |                |                                               | paid, or fails                                    |
 * | `CHARGED_LOST` | `charged_lost` | a 2xx status line, but the body is unusable   | looks for free evidence, then parks; only a       |
 * | `UNKNOWN`      | `unknown`      | it may have been charged                      | person's `not-charged` lets it send again         |
 *
 * The ledger has two more states. `open`: the call may be on its way; an equal call of another flow is {@link CallHeld}.
 * `closed`: decided, or shut before any call; its flow gets `NOT_SENT`, or `UNKNOWN` with `decided` after `abandon`.
 *
 * Outcomes are public JSON and have capitals; the ledger state of an outcome is the same word in small letters
 * ({@link OutcomeState}). Nothing else spells them otherwise.
 */
import type { Reading } from './activities/readings.js';

export type CallOutcomeName = 'DONE' | 'PENDING' | 'REJECTED' | 'NOT_SENT' | 'CHARGED_LOST' | 'UNKNOWN';
/** State of the ledger row of a call with this outcome. */
export type OutcomeState = Lowercase<CallOutcomeName>;

/** A read that should have been free, and what it was charged. */
export interface UnexpectedRead {
  readonly operation: string;
  /** Decimal string. */
  readonly amount: string;
  readonly metaRequestId: string | null;
  readonly searchLogId: string | null;
  /** Set if the flow's own step made this read: it has a receipt already. */
  readonly booked?: true;
}

/** What every outcome has beside its name. Small, free of secrets and of signed links. */
export interface CallFacts {
  /** Ledger row; absent only where nothing was written (database away, or the activity never ran). */
  readonly intentId?: string;
  readonly status?: number;
  readonly errorCode?: string;
  /** What the service said, cleaned and cut; for messages. */
  readonly reason?: string;
  /** What *this flow* was charged, a decimal string; null: unknown; `"0"`: nothing new was paid. */
  readonly charged: string | null;
  /** The source of `charged`, if the answer did not report it: the interface's price list, or the balance. */
  readonly amountSource?: 'listed' | 'evidence';
  /** True when another flow's call was joined, or an answer already paid for was reused: nothing was sent. */
  readonly reused: boolean;
  /** Set if `reused`: the workflow that made the call. Absent from older workers. */
  readonly madeBy?: string;
  readonly requestId?: string;
  readonly metaRequestId?: string;
  readonly searchLogId?: string;
  /** Epoch ms at which the intent was written, just before the send. */
  readonly openedAtMs?: number;
  /** Epoch ms of settlement by our clock. */
  readonly settledAtMs?: number;
  /** While it is undecided: what the ledger keeps reserved for it, a decimal string. Absent from older workers. */
  readonly reserved?: string;
  /** What the resolver looked at besides our ledger, and what it said; for people. */
  readonly looked?: string;
  /** Pending on evidence or by a person's decision, without a 202 of its own: a person may decide until it is final. */
  readonly adopted?: true;
  /** The balance has proved that it was charged: the decision `not-charged` is refused. */
  readonly provenPaid?: true;
  /** Its answer was lost, and it was sent again because a repetition does no harm: what it cost is unknown. */
  readonly mayBeCharged?: true;
  /** The ledger has lost the row of this call, or may have: it was restored from what the flow knows. */
  readonly ledgerLost?: true;
  /** The charge of a read by the resolver, or of this very call, that should have been free. */
  readonly unexpected?: UnexpectedRead;
  /** Charges of further reads by the same look; older workers name only the first. */
  readonly moreUnexpected?: readonly UnexpectedRead[];
  /** False while the answer is only in the local spool (database away): a free activity settles it. */
  readonly settled: boolean;
}

export type CallOutcome =
  | (CallFacts & { readonly outcome: 'DONE'; readonly reading: Reading })
  | (CallFacts & { readonly outcome: 'PENDING' } & PendingPlan)
  | (CallFacts & { readonly outcome: 'REJECTED'; readonly retryAfterMs?: number; readonly aboutBalance?: boolean })
  /** `decided`: its outcome was unknown; it is sent again by a person's decision, or because a repetition does no harm. */
  | (CallFacts & { readonly outcome: 'NOT_SENT'; readonly decided?: true })
  /** `decided`: a person has decided; there is nothing left to wait for. */
  | (CallFacts & { readonly outcome: 'CHARGED_LOST'; readonly decided?: true })
  | (CallFacts & { readonly outcome: 'UNKNOWN'; readonly decided?: true });

/** How to wait for pending work. Configuration reaches the flow only here. */
export interface PendingPlan {
  /** First delay by the service's hints, ms; null when it gave none. */
  readonly hintMs: number | null;
  /** True when the end is to be announced by webhook; then the first timer is `patienceMs`. */
  readonly webhookExpected: boolean;
  readonly patienceMs: number;
  /** The account's last webhooks did not come, so the flow polls after the hint although a webhook may come. */
  readonly webhooksSilent?: true;
  /** True when an event about this work was already in the inbox at settlement. */
  readonly eventSeen: boolean;
  /** Since when this work is waited for, epoch ms (a joined wait began earlier). */
  readonly sinceMs: number;
  /** Queue on which polls of the account have a rate of their own; absent where the worker serves none. */
  readonly pollQueue?: string;
}

/** Nothing was sent, and no row of ours decides: the flow waits. */
export type CallHeld =
  /** Another flow's equal call is on its way: wait until `intentId` settles, then take its answer. */
  | { readonly outcome: 'HELD'; readonly because: 'open elsewhere'; readonly intentId: string }
  /** Another flow's equal call is unknown: park on that intent and end with its decision. */
  | {
      readonly outcome: 'HELD';
      readonly because: 'unknown elsewhere';
      readonly intentId: string;
      readonly openedAtMs: number;
      /** The workflow that made that call; absent from older workers. */
      readonly madeBy?: string;
    }
  /**
   * A cap or the balance floor would be passed. Amounts are decimal strings: `needed` is what the cap (or the balance) would
   * have to be, `price` the expected cost of the call, `balance` the last reported one less the charges known since. Older
   * workers leave out the last two.
   */
  | {
      readonly outcome: 'HELD';
      readonly because: 'budget';
      /** `shared`: one budget for several flows. */
      readonly cap: 'flow' | 'day' | 'balance' | 'shared';
      readonly limit: string;
      readonly needed: string;
      readonly price?: string;
      readonly balance?: string;
    }
  /** The account's last charged calls ended in 5xx or without an answer: further ones wait until the service is back. */
  | { readonly outcome: 'HELD'; readonly because: 'outage'; readonly sinceMs: number }
  /** The service asked the account to wait (429) until `untilMs`, epoch ms. */
  | { readonly outcome: 'HELD'; readonly because: 'throttled'; readonly untilMs: number }
  /** The ledger may have forgotten calls (its database has another life): nothing is sent until it is reconciled. */
  | { readonly outcome: 'HELD'; readonly because: 'ledger'; readonly sinceMs: number }
  /** The ledger cannot be written (the database is away, or a lock cannot be taken): nothing is sent without an intent. */
  | { readonly outcome: 'HELD'; readonly because: 'database'; readonly sinceMs: number; readonly reason: string };

/** The call can never be made as asked: the flow fails with `InvalidInput`. */
export interface CallRefused {
  readonly outcome: 'REFUSED';
  readonly problem: string;
}

/**
 * What a charged activity returns. `caseAttribute` is set if the account masks case numbers; `floorRead` if the balance was
 * read at the floor of the account and that read was charged.
 */
export type ChargedCallResult = (CallOutcome | CallHeld | CallRefused) & {
  readonly caseAttribute?: string;
  readonly floorRead?: UnexpectedRead;
};
