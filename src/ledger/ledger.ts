/** The ledger by who uses it: each caller takes the part that it needs. */
import type { DoubtPendingInput } from '../protocol/index.js';
import type { Writable } from '../store/index.js';
import type { BalanceTold } from './book-balance.js';
import type { AccountHolds } from './write-hold.js';
import type { Decision } from './decide-charge.js';
import type { AccountEvidence } from './evidence.js';
import type { Intent } from './intent.js';
import type { KnownRow } from './intent-row.js';
import type { Foresight } from './foresee.js';
import type { IntentVerdict } from './intent-verdict.js';
import type { JournalEntry } from './journal/journal-entry.js';
import type { LedgerLife } from './life/decide-life.js';
import type { CallOfFlow, ClosedStep, LostAttempt } from './lost-attempt.js';
import type { OpenIntent } from './opening-request.js';
import type { PollLooks } from './poll-look.js';
import type { IntentReads } from './read-intents.js';
import type { LostRow, Restored, Witness } from './restore-row.js';
import type { Moved, Settled, Settlement } from './settlement.js';
import type { UnexpectedCharges } from './unexpected-charges.js';

/** The way of a charged call. None of it sends anything. */
export interface ChargedCalls {
  /** One transaction. Throws when the database is away (nothing is sent then). */
  openIntent(request: OpenIntent): Promise<IntentVerdict>;
  /**
   * The answer of the call that this attempt made, or of the poll that ended it. Idempotent. A row that joined another one
   * settles that one: whichever flow polls, the charge is settled where it was made, and every joined row follows.
   */
  settle(intentId: string, settlement: Settlement, by?: SettledBy): Promise<Settled>;
  /**
   * Closes the door of a step whose activity did not come back: an open row becomes `unknown` (once `openedAtMs` +
   * `deadlineMs` has passed; before that the row is returned as it is). Where no row is, `decide-missing-row.ts` says what
   * that proves: a `closed` one is written so that a late attempt sends nothing, or an `unknown` one for a call that the
   * ledger has forgotten. Returns the row as it is now.
   */
  closeStep(attempt: LostAttempt): Promise<ClosedStep>;
}

export interface SettledBy {
  /** The workflow for which this is settled: it knows, and is not woken. */
  readonly askedBy?: string;
  /** The row as the caller has written or read it: one round trip less while nobody has changed it since. */
  readonly row?: KnownRow | undefined;
  /**
   * Written in the same transaction; more than once where the row was not as expected, so it must change nothing the second time.
   * Not written with a conflict, but where `row` did not show it yet. Where it is refused, that throws, and nothing is written.
   */
  readonly beside?: readonly Writable[] | undefined;
  /** The call as it was opened: a row that the ledger has forgotten is written again and settled. Absent: that throws. */
  readonly callIfLost?: () => Promise<JournalEntry | undefined>;
}

/** What may move a row that no call of its own settles. */
export interface Decisions {
  /**
   * Records a person's decision on an undecided row (`undecided.ts`). The same decision again changes nothing; another one
   * about a final row, or one about any other row, throws an error named `DecisionRefused`.
   */
  decide(decision: Decision & MovedBy): Promise<Moved>;
  /** A pending row that nothing has confirmed is `unknown` again; any other stays as it is. */
  doubt(request: Pick<DoubtPendingInput, 'doubt'> & MovedBy): Promise<Moved>;
  /** An undecided row that was proven to be repeatable becomes `closed`; any other stays. */
  closeByEvidence(intentId: string, closing: EvidenceClosing): Promise<Moved>;
  /** Open rows older than `olderThanMs` become `unknown`, 100 at a time, `slow` operations later. */
  sweep(olderThanMs: number, slow?: SlowOperations): Promise<readonly Moved[]>;
}

export interface MovedBy {
  readonly intentId: string;
  /** The workflow in which it is decided: it knows, and is not woken. */
  readonly askedBy?: string;
}

export interface EvidenceClosing {
  readonly proof: Readonly<Record<string, unknown>>;
  /** True: it may be repeated although it may have been charged. */
  readonly keepsReserve: boolean;
}

/** Operations whose calls live longer: files. */
export interface SlowOperations {
  readonly operations: readonly string[];
  readonly olderThanMs: number;
}

/** Rows that the ledger has lost, and the life of its database. */
export interface LostRows {
  /** Writes a missing row again, from a witness. Returns the row that its step has now. */
  restore(lost: LostRow): Promise<Restored>;
  /** The answer of such a call, which the journal knows: the row is written again and settled, if the answer is about it. */
  settleLost(call: JournalEntry, settlement: Settlement): Promise<Settled>;
  /** The same from what a flow or its history knows of a call that the service accepted. */
  restoreFromFlow(
    call: CallOfFlow &
      Pick<Intent, 'intentId' | 'openedAtMs'> & { readonly requestId?: string; readonly witness?: Witness },
  ): Promise<Restored>;
  /** The life of the database as it is now. */
  life(): Promise<LedgerLife>;
}

/** What free reads tell, beyond their charges. */
export interface FreeBalances {
  /** The floor of the account goes by it, unless an answer has told a newer one. */
  bookBalance(told: BalanceTold): Promise<void>;
}

export type Ledger = ChargedCalls &
  Decisions &
  LostRows &
  IntentReads &
  PollLooks &
  Foresight &
  AccountEvidence &
  FreeBalances &
  UnexpectedCharges &
  AccountHolds;
