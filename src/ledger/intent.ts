/**
 * The *intent*: the row that is written before a charged call's socket opens (a write-ahead record of the payment attempt).
 * Amounts are integers of 1/10,000; `null` means that the service did not say.
 */
import type { OutcomeState } from '../protocol/index.js';
import { ZERO_AMOUNT, type Amount, type FlagName } from '../contract/index.js';

/**
 * - `open`: written, the call may be on its way.
 * - `pending`: 202; the charge is fixed, the same row is settled by the final answer.
 * - `done`, `rejected`, `not_sent`, `charged_lost`: settled.
 * - `unknown`: it may have been charged; counts as spent at its reserve until decided.
 * - `closed`: decided (`not-charged`, `abandon`), or shut before any call was made; a late attempt sends nothing.
 */
export type IntentState = OutcomeState | 'open' | 'closed';

/**
 * Source of a charge: the answer reported it (`told`), the interface's price stands in for a silent answer (`listed`), or the
 * balance of an exclusive account showed it (`evidence`).
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
  /** Idempotency key of the flow. */
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

/** A row about which nothing is known yet. Its members are the members of every intent. */
export const BLANK_INTENT: Intent = {
  intentId: '',
  account: '',
  workflowId: '',
  firstRunId: '',
  workflowType: '',
  step: '',
  ordinal: 0,
  once: null,
  operation: '',
  subject: '',
  flags: [],
  state: 'open',
  joined: null,
  reserved: ZERO_AMOUNT,
  charged: null,
  amountSource: null,
  balanceAfter: null,
  requestId: null,
  metaRequestId: null,
  searchLogId: null,
  httpStatus: null,
  errorCode: null,
  reason: null,
  bodySha256: null,
  finalState: null,
  rawStatus: null,
  runningSeen: false,
  serviceOpenedAtMs: null,
  webhookExpected: false,
  openedAtMs: 0,
  settledAtMs: null,
  evidence: null,
};

export const FACTS = [
  ...(['state', 'requestId', 'metaRequestId', 'searchLogId', 'httpStatus', 'errorCode'] as const),
  ...(['reason', 'bodySha256', 'finalState', 'rawStatus', 'settledAtMs', 'evidence'] as const),
] as const;

/** What a settlement or a decision establishes about a call. Rows that joined the call copy it, unlike the money. */
export function factsOf(intent: Intent): Pick<Intent, (typeof FACTS)[number]> {
  return pick(intent, FACTS);
}

/** Some members of a row. */
export function pick<Member extends keyof Intent>(intent: Intent, members: readonly Member[]): Pick<Intent, Member> {
  return Object.fromEntries(members.map((member) => [member, intent[member]])) as Pick<Intent, Member>;
}
