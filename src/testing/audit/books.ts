/** What the auditor reads and what it can find. Types only. */
import type { Charge, ReceivedRequest } from '../../../sandbox/index.js';
import type { LedgerRow } from '../../ledger/index.js';

/** What the auditor reads of a row of the ledger. A row of `tramita ledger list --json` has it. */
export type AuditedRow = Pick<
  LedgerRow,
  | 'intentId'
  | 'workflowId'
  | 'firstRunId'
  | 'step'
  | 'operation'
  | 'state'
  | 'joined'
  | 'reserved'
  | 'charged'
  | 'requestId'
  | 'searchLogId'
  | 'bodySha256'
  | 'evidence'
> &
  Partial<Pick<LedgerRow, 'httpStatus'>>;

/** A charge, as the sandbox's control interface lists it. */
export type BookCharge = Pick<
  Charge,
  'n' | 'operation' | 'subject' | 'amount' | 'requestId' | 'searchLogId' | 'bodySha256'
> &
  Partial<Pick<Charge, 'about' | 'reason'>>;

/** A request that the sandbox received. */
export type BookRequest = Pick<
  ReceivedRequest,
  'origin' | 'operation' | 'method' | 'target' | 'keyHash' | 'connection' | 'charge'
>;

/** The two books that the auditor compares, ours and the sandbox's, and what else it may know. */
export interface Books {
  /** As `tramita ledger list --json` prints it. */
  readonly ledger: readonly AuditedRow[];
  readonly book: readonly BookCharge[];
  /**
   * The subject of a call, as the same text for both books. Default: the case number, with which workflow ids end; calls about
   * no case are distinguished by the book's `about`. `request`: undefined if a request does not show its subject.
   */
  readonly subjectOf?: {
    row(row: AuditedRow): string;
    charge(charge: BookCharge): string;
    request?(request: BookRequest): string | undefined;
  };
  /**
   * How often each call (`<operation> <subject>`) was asked for, and so may be charged; a call that is not listed: once.
   * Default: once per step of a run, and once more per decision "not-charged".
   */
  readonly asked?: ReadonlyMap<string, number>;
  /** Decisions were made with knowledge of the charge book, so a call decided as "not-charged" must never have a charge. */
  readonly decisionsAreTrue?: boolean;
  /** Numbers of charges whose answer was changed after the service had written its hash down. */
  readonly altered?: ReadonlySet<number>;
  /** Only the requests of tramita. With them the auditor also checks what reached the service, and how. */
  readonly requests?: readonly BookRequest[];
}

/** What kind of problem a {@link Finding} is. */
export type FindingKind =
  /** Paid more often than asked for. */
  | 'paid twice'
  /** A charge that no row of the ledger admits. */
  | 'charge without a row'
  /** The ledger says that nothing was paid (or sent), the book says otherwise. */
  | 'denied charge'
  /** The ledger says that it was paid, but the book does not have it. */
  | 'row without a charge'
  /** Both have the charge, with different figures, ids or hashes. */
  | 'facts differ'
  /** A row that is still open or pending: its call has not ended in the ledger. */
  | 'left open'
  /** The charges of the ledger and those of the book do not add up to the same. */
  | 'sums differ'
  /** It reached the service more often than the ledger says it was sent. */
  | 'reached unsent'
  /** Two charged calls on one connection. */
  | 'shared connection'
  /** The API key was sent with a signed link. */
  | 'key leaked';

/** One problem that the auditor has found. */
export interface Finding {
  readonly kind: FindingKind;
  readonly text: string;
  /** Of "paid twice": `<operation> <subject>`, and how many charges are too many. */
  readonly call?: string;
  readonly surplus?: number;
}
