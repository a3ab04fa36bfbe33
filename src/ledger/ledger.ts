/** The ledger by who uses it: each caller takes the part that it needs. */
import type { DoubtPendingInput } from '../protocol/index.js';
import type { Writable } from '../store/index.js';
import type { BalanceToBook } from './book-balance.js';
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
import type { LostRow, Witness } from './restore-row.js';
import type { Moved, Settled, Settlement } from './settlement.js';
import type { UnexpectedCharges } from './unexpected-charges.js';

/** What a charged call needs of the ledger. Nothing here sends. */
export interface ChargedCalls {
  /** One transaction. Throws when the database is away (nothing is sent then). */
  openIntent(request: OpenIntent): Promise<IntentVerdict>;
  /**
   * Settles a row with the answer of its call, or of the poll that ended it. Idempotent. For a row that joined another one, the
   * original is settled, whichever flow polls, and every joined row follows.
   */
  settle(intentId: string, settlement: Settlement, by?: SettledBy): Promise<Settled>;
  /**
   * Closes the step of an activity that did not come back. An open row becomes `unknown` once `openedAtMs` + `deadlineMs` has
   * passed; before that it stays as it is. If there is no row, `decide-missing-row.ts` decides what that proves: a `closed` row
   * is written so that a late attempt sends nothing, or an `unknown` one for a lost call. Returns the current row.
   */
  closeStep(attempt: LostAttempt): Promise<ClosedStep>;
}

/**
 * Who settles: the call itself (its attempt or the spool), or free evidence about an undecided row. Both may be late: the row may
 * have become pending meanwhile.
 */
export type SettlementSource = 'call' | 'evidence';

export interface SettledBy {
  /** Absent: a poll of the pending work. */
  readonly source?: SettlementSource;
  /** The workflow for which this is settled; it is not woken. */
  readonly askedBy?: string;
  /** The row as the caller wrote or read it: saves a round trip if nobody has changed it since. */
  readonly row?: KnownRow | undefined;
  /**
   * Statements of the same transaction. They must be idempotent: if `row` turns out to be stale, they are executed twice. On a
   * conflict they are not executed, unless a stale `row` hid it. If one fails, this throws and nothing is written.
   */
  readonly beside?: readonly Writable[] | undefined;
  /** The call as it was opened, to write a row that the ledger has lost again and settle it. Absent: a missing row throws. */
  readonly callIfLost?: () => Promise<JournalEntry | undefined>;
}

/** Changes of a row that do not come from its own call. */
export interface Decisions {
  /**
   * Records a person's decision on an undecided row (`undecided.ts`). The same decision again changes nothing; another one
   * about a final row, or one about any other row, throws an error named `DecisionRefused`.
   */
  decide(decision: Decision & MovedBy): Promise<Moved>;
  /** A pending row that nothing has confirmed becomes `unknown` again; any other stays as it is. */
  doubt(request: Pick<DoubtPendingInput, 'doubt'> & MovedBy): Promise<Moved>;
  /** An undecided row that was proven to be repeatable becomes `closed`; any other stays. */
  closeByEvidence(intentId: string, closing: EvidenceClosing): Promise<Moved>;
  /** Open rows older than `olderThanMs` become `unknown`, 100 at a time; those of `slow` operations after their own limit. */
  sweep(olderThanMs: number, slow?: SlowOperations): Promise<readonly Moved[]>;
}

export interface MovedBy {
  readonly intentId: string;
  /** The workflow that asked for the change; it is not woken. */
  readonly askedBy?: string;
}

export interface EvidenceClosing {
  readonly proof: Readonly<Record<string, unknown>>;
  /** True: the call may be repeated although it may have been charged. */
  readonly keepsReserve: boolean;
}

/** Operations whose calls may take longer: files. */
export interface SlowOperations {
  readonly operations: readonly string[];
  readonly olderThanMs: number;
}

/** Rows that the ledger has lost, and the life of its database. */
export interface LostRows {
  /** Writes a missing row again, from a witness. Returns the row that its step has now. */
  restore(lost: LostRow): Promise<Intent>;
  /** Writes the row of a journaled call again and settles it with its answer, if the answer applies to the row of the step. */
  settleLost(call: JournalEntry, settlement: Settlement): Promise<Settled>;
  /** Like `restore`, from what a flow or its history knows of a call that the service accepted. */
  restoreFromFlow(
    call: CallOfFlow &
      Pick<Intent, 'intentId' | 'openedAtMs'> & { readonly requestId?: string; readonly witness?: Witness },
  ): Promise<Intent>;
  /** The life of the database as it is now. */
  life(): Promise<LedgerLife>;
}

/** Balances that were read for free. */
export interface FreeBalances {
  /** The account's floor uses this balance, unless an answer has reported a newer one. */
  bookBalance(balance: BalanceToBook): Promise<void>;
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
