/**
 * Words of the charge ledger. An *intent* is the row written before a charged call's socket opens; to *settle* is to
 * bring it to a final state. Amounts are integers of 1/10,000; `null` means that the service did not say.
 */
import type { Amount, FlagName, JsonObject, Parameters, Prices } from '../contract/index.js';
import type { ChargeDecision, OutcomeState, StepKey } from '../protocol/index.js';
import type { LedgerLife } from './life/decide-life.js';
import type { LostRow, Witness } from './life/restore-row.js';
import type { DoubtRequest } from './doubt-pending.js';

/**
 * - `open`: written, the call may be on its way.
 * - `pending`: 202; the charge is fixed, the same row is settled by the final answer.
 * - `done`, `rejected`, `not_sent`, `charged_lost`: settled.
 * - `unknown`: it may have been charged; counts as spent at its reserve until decided.
 * - `closed`: decided (`not-charged`, `abandon`), or shut before any call was made; a late attempt sends nothing.
 */
export type IntentState = 'open' | OutcomeState | 'closed';

/**
 * Where a charge is known from: the answer told it; the interface fixes the price and the answer is silent; the balance of an
 * exclusive account showed it.
 */
export type AmountSource = 'told' | 'listed' | 'evidence';

export interface Intent {
  readonly intentId: string;
  readonly account: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly workflowType: string;
  readonly step: string;
  readonly ordinal: number;
  readonly once: string | null;
  /** Id of a built-in or configured operation. */
  readonly operation: string;
  /** Keyed token of operation, parameters and body, without flags: equal calls have equal subjects. */
  readonly subject: string;
  readonly flags: readonly FlagName[];
  readonly state: IntentState;
  /** The intent of another flow (or of an earlier run) whose answer this row took; nothing was sent for this row. */
  readonly joined: string | null;
  readonly reserved: Amount;
  readonly charged: Amount | null;
  /** Null where no charge is known, and where the row joined another one. */
  readonly amountSource: AmountSource | null;
  readonly balanceAfter: Amount | null;
  readonly requestId: string | null;
  readonly metaRequestId: string | null;
  readonly searchLogId: string | null;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
  readonly bodySha256: string | null;
  /** Final state word of a refresh, set by the poll that settled it: `done`, `empty` or `failed`. */
  readonly finalState: string | null;
  readonly rawStatus: string | null;
  /** A running word of the refresh was seen after this intent (proof that a later success is ours). */
  readonly runningSeen: boolean;
  /** Our opening time by the service's clock (opening time + measured skew), once its `Date` is known. */
  readonly serviceOpenedAtMs: number | null;
  /** Webhook expected for the end of this work, as decided when it was sent. */
  readonly webhookExpected: boolean;
  readonly openedAtMs: number;
  readonly settledAtMs: number | null;
  readonly evidence: Readonly<Record<string, unknown>> | null;
}

export interface OpenIntent extends StepKey {
  readonly account: string;
  readonly operation: string;
  readonly workflowType: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
  readonly flags: readonly FlagName[];
  readonly once?: string;
  readonly webhookExpected: boolean;
  /** A UUID made once in the activity's body, and the id of the new row: a lost commit acknowledgement is recognised by it. */
  readonly attemptToken: string;
  /** `activityInfo().attempt`. */
  readonly attempt: number;
  readonly maxAgeMs?: number;
  readonly notBeforeMs?: number;
  /** When the run asked (its start), epoch ms: what other runs have bought since is shared, though not older than `notBeforeMs`. */
  readonly askedAtMs?: number;
  /** Cap of the flow's input; the account's caps come with the ledger's settings. */
  readonly maxSpend?: Amount;
  /** A cap over all calls that carry the same key, in whatever flow. */
  readonly budget?: { readonly key: string; readonly limit: Amount };
  readonly joinIntent?: string;
  /** Keys under which events about this call are waited for, e.g. `cnj:<20 digits>`. */
  readonly waiterKeys: readonly string[];
}

export type IntentVerdict =
  /** The row is open and ours: send. */
  | { readonly kind: 'send'; readonly intent: Intent }
  /**
   * Nothing is to be sent: this row (own, `once`, `maxAge` or joined) has an answer or is pending. `eventSeen`: an event
   * about this pending work is in the inbox already, so the first look need not wait for one.
   */
  | { readonly kind: 'stored'; readonly intent: Intent; readonly reused: boolean; readonly eventSeen?: boolean }
  /** An equal call of another flow is open: wait until it settles. */
  | { readonly kind: 'open elsewhere'; readonly intent: Intent }
  /** An equal call of another flow is unknown: park on it. */
  | { readonly kind: 'unknown elsewhere'; readonly intent: Intent }
  /** Open by another attempt, or a later attempt without a row: the outcome is unknown. Nothing was written. */
  | { readonly kind: 'ambiguous'; readonly intent?: Intent }
  /** Shut before it was sent (resolver), or decided: send nothing. `evidence.decision` tells a person's decision. */
  | { readonly kind: 'closed'; readonly intent: Intent }
  | {
      readonly kind: 'over budget';
      readonly cap: 'flow' | 'day' | 'balance' | 'shared';
      readonly limit: Amount;
      readonly needed: Amount;
    }
  /** Calls of the account wait unsent: nothing was written, ask again under the same ordinal. */
  | ({ readonly kind: 'account held' } & AccountHold)
  /** The `once` key was used with other arguments. */
  | { readonly kind: 'once conflict'; readonly problem: string }
  /** A row of this very step is about another call. */
  | { readonly kind: 'step conflict'; readonly problem: string };

/** Why the calls of an account wait. */
export type AccountHold =
  /** Charged calls in a row ended in 5xx or without an answer; free calls are not held. */
  | { readonly because: 'outage'; readonly sinceMs: number; readonly failures: number }
  /** The service asked the account to wait (429 with `Retry-After`). Told to a charged call: all calls; to a free one: free calls. */
  | { readonly because: 'throttled'; readonly untilMs: number }
  /** The database has another life than before: rows may be lost, nothing is sent until every journal was heard. */
  | { readonly because: 'ledger'; readonly sinceMs: number };

/** What a call, a poll or a person found out. Members left out keep what the row has. */
export interface Settlement {
  readonly state: OutcomeState;
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

export interface Settled {
  readonly intent: Intent;
  /** False when the row had been decided before: the late answer was kept as a conflict, with an alarm. */
  readonly applied: boolean;
  /** An event about this work was already in the inbox. */
  readonly eventSeen: boolean;
  /**
   * Workflows that wait for this row and should get `wake`. They are owed that signal until the inbox is told
   * (`markWoken` with the event key `intent:<id of the settled row>`): the relay sends it otherwise.
   */
  readonly wake: readonly string[];
}

/** Whether anything of an account was under way at one moment; two of them tell whether anything moved in between. */
export interface QuietState {
  /** Sequence of its newest row; 0 where there is none. */
  readonly seq: number;
  /** Rows whose charge may still move. */
  readonly busy: number;
  /** How many of its rows stand among the newest sequences. */
  readonly recentRows: number;
  /** Every transaction of the database with a number below this one had ended. */
  readonly endedBelow: number;
  /** The number that was given just then: whatever had begun to write before has a lower one. */
  readonly begunBelow: number;
}

/** A balance that was read while nothing of the account was under way. */
export interface BalanceReading {
  readonly amount: Amount;
  /** Sequence of the account's newest row then. */
  readonly seq: number;
  readonly takenAtMs: number;
}

/** A read that should have been free was charged. */
export interface UnexpectedCharge {
  readonly account: string;
  readonly operation: string;
  /** The flow for which it was read. */
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly workflowType: string;
  readonly charged: Amount;
  readonly balanceAfter: Amount | null;
  readonly metaRequestId: string | null;
  readonly searchLogId: string | null;
  readonly httpStatus: number | null;
}

export interface EvidenceClosing {
  readonly proof: Readonly<Record<string, unknown>>;
  /** True: it may be repeated although it may have been charged. */
  readonly keepsReserve: boolean;
}

export interface RunSpent {
  readonly known: Amount;
  /** Charges that the service has not told (yet). */
  readonly unknown: number;
}

export interface SettlementConflict {
  readonly intentId: string;
  /** The settlement as it came, without its body. */
  readonly settlement: Readonly<Record<string, unknown>>;
  readonly bodySha256: string | null;
  readonly foundAtMs: number;
}

export interface LedgerFilter {
  readonly account?: string;
  readonly workflowId?: string;
  readonly firstRunId?: string;
  readonly state?: IntentState;
  readonly operation?: string;
  /** Newest rows only; 1,000. */
  readonly limit?: number;
}

export interface LedgerSettings {
  /** Limits of one account, in amounts; absent = no limit. */
  readonly accounts: Readonly<
    Record<
      string,
      {
        readonly maxSpendPerDay?: Amount;
        readonly maxSpendPerFlow?: Amount;
        readonly minBalance?: Amount;
        /** Charged calls in a row that may end in 5xx or without an answer before further ones wait; 0: none ever wait. */
        readonly outageAfter?: number;
      }
    >
  >;
  /** Configured prices by operation id; `default` where nothing else is known. */
  readonly prices: Prices;
}

/** A call as the flow knows it that asked for it. */
export interface CallOfFlow extends StepKey {
  readonly account: string;
  readonly operation: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
  readonly workflowType: string;
  readonly flags: readonly FlagName[];
  readonly once: string | null;
  readonly waiterKeys: readonly string[];
}

/** A step whose activity did not come back, with all that its flow knows of it. */
export interface LostAttempt extends CallOfFlow {
  /** Longest life of the call. */
  readonly deadlineMs: number;
  /** When the flow asked for it, epoch ms; null where an older flow does not say. */
  readonly askedAtMs: number | null;
  /** The row that the flow was told of; undefined where it was told of none. */
  readonly known?: { readonly intentId: string; readonly isCopy: boolean; readonly openedAtMs?: number };
  /** The flow has waited long enough for a row to come back. */
  readonly isOverdue: boolean;
}

export type ClosedStep = { readonly kind: 'row'; readonly intent: Intent } | { readonly kind: 'held' };

export interface Ledger {
  /** One transaction; never sends anything itself. Throws when the database is away (nothing is sent then). */
  openIntent(request: OpenIntent): Promise<IntentVerdict>;
  /**
   * The answer of the call that this attempt made, or of the poll that ended it. Idempotent. A row that joined another one
   * settles that one: whoever polls, the charge is settled where it was made, and every joined row follows. `askedBy` is
   * the workflow for which this is settled: it knows, and is not woken.
   */
  settle(intentId: string, settlement: Settlement, askedBy?: string): Promise<Settled>;
  /**
   * Closes the door of a step whose activity did not come back: an open row becomes `unknown` (once `openedAtMs` +
   * `deadlineMs` has passed; before that the row is returned as it is). Where no row is, `decide-missing-row.ts` says what
   * that proves: a `closed` one is written so that a late attempt sends nothing, or an `unknown` one for a call that the
   * ledger has forgotten. `held`: its journals are being heard, ask again. Returns the row as it is now.
   */
  closeStep(attempt: LostAttempt): Promise<ClosedStep>;
  /** Writes a row again that is missing, from a witness; the row that stands at its step now. */
  restore(lost: LostRow): Promise<{ readonly intent: Intent; readonly wasMissing: boolean }>;
  /** The same from what a flow or its history knows of a call that the service accepted. */
  restoreFromFlow(
    call: CallOfFlow & {
      readonly intentId: string;
      readonly openedAtMs: number;
      readonly requestId?: string;
      readonly witness?: Witness;
    },
  ): Promise<{ readonly intent: Intent; readonly wasMissing: boolean }>;
  /** The life of the database as it is now. */
  life(): Promise<LedgerLife>;
  /**
   * Records a person's decision on an `unknown` or `charged_lost` row, or on a pending one that was adopted on evidence or by a
   * person; returns whom to wake. The same decision again changes nothing; another one about a final row, or one about any other
   * row, throws an error named `DecisionRefused`.
   */
  decide(decision: {
    readonly intentId: string;
    readonly decision: ChargeDecision;
    readonly by: string;
    readonly note?: string;
    readonly requestId?: string;
    /** The workflow in which it is decided: it knows, and is not woken. */
    readonly askedBy?: string;
  }): Promise<{ readonly intent: Intent; readonly wake: readonly string[] }>;
  /** A pending row that nothing has confirmed is `unknown` again; any other stays as it is. */
  doubt(request: DoubtRequest): Promise<{ readonly intent: Intent; readonly wake: readonly string[] }>;
  markRunningSeen(intentId: string): Promise<void>;
  find(intentId: string): Promise<Intent | undefined>;
  /** Late answers that contradicted a decided row, newest first. Each one is an alarm. */
  listConflicts(): Promise<readonly SettlementConflict[]>;
  /** What a run has cost: the sum of the charges that were told, and how many were not. */
  spentOf(run: { readonly workflowId: string; readonly firstRunId: string }): Promise<RunSpent>;
  /** The stored answer of an intent, following `joined`. */
  answerOf(intentId: string): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined>;
  /** The original row that this pending work belongs to, with the case it waits for; `getRequest` rows are nobody's work. */
  requested(
    account: string,
    requestId: string,
  ): Promise<{ readonly intent: Intent; readonly cnj?: string } | undefined>;
  /** Rows about the same call, whatever run made it and with whatever flags; newest 50 first. */
  about(call: {
    readonly account: string;
    readonly operation: string;
    readonly params: Parameters;
  }): Promise<readonly Intent[]>;
  /** Newest first. */
  list(filter: LedgerFilter): Promise<readonly Intent[]>;
  /** Open rows older than `olderThanMs` become `unknown`, 100 at a time, `slow` operations later; returns them with whom to wake. */
  sweep(
    olderThanMs: number,
    slow?: { readonly operations: readonly string[]; readonly olderThanMs: number },
  ): Promise<readonly { readonly intent: Intent; readonly wake: readonly string[] }[]>;
  /** Was anything of the account under way, apart from `except`? */
  quiet(account: string, except?: string): Promise<QuietState>;
  /** Newest balance that was read while the account was quiet; with `beforeIntent` the newest from before that row. */
  openingBalance(account: string, beforeIntent?: string): Promise<BalanceReading | undefined>;
  noteBalance(account: string, reading: { readonly amount: Amount; readonly seq: number }): Promise<void>;
  /** Sum of the charges of all rows after `sinceSeq`; null when one of them did not tell. */
  chargedSince(account: string, range: { readonly sinceSeq: number; readonly except: string }): Promise<Amount | null>;
  /** An undecided row (`unknown`, `charged_lost`) that was proven to be repeatable becomes `closed`; any other stays. */
  closeByEvidence(
    intentId: string,
    closing: EvidenceClosing,
  ): Promise<{ readonly intent: Intent; readonly wake: readonly string[] }>;
  /** True while this operation, which should be free, has charged the account within 30 days. */
  isBarred(account: string, operation: string): Promise<boolean>;
  /** Never rejects: what the database does not take is kept by this process, bars its operation, and is written when it can be. */
  bookUnexpected(charge: UnexpectedCharge): Promise<void>;
  /** Last balance that an answer told, per account. */
  lastBalance(account: string): Promise<Amount | undefined>;
  /** Why calls of the account wait now; a `free` one is not held by an outage. */
  holdOf(account: string, call: { readonly free: boolean }): Promise<AccountHold | undefined>;
  /**
   * True for one caller a minute, of all processes, while the account is held by an outage: it looks, free, whether the
   * service is back. Everybody else is told when the next look is due.
   */
  claimProbe(
    account: string,
  ): Promise<{ readonly claimed: true } | { readonly claimed: false; readonly nextAtMs: number }>;
  /** The service is back: charged calls of the account may be sent; one more failure holds them again. */
  releaseHold(account: string): Promise<void>;
  /** A free call was told to wait (429 with `Retry-After`): free calls of the account wait until then, charged ones go on. */
  throttle(account: string, untilMs: number): Promise<void>;
}
