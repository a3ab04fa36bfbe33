/**
 * The tables of the schema `tramita` that Kysely builds statements for, as types; the others are named in raw statements alone.
 * The migrations make them, and rooms own them. The ledger owns `intent`, `answer_body`, `settlement_conflict` and
 * `account_hold`, the inbox `event`, `waiter` and `event_wake`, the records `public_document` and `case_refresh`. Times are
 * read as epoch ms and written as `Date`; amounts are integers of 1/10,000.
 */
import type { ColumnType, Generated } from 'kysely';

/** `timestamptz`: read as epoch ms, written as `Date`. */
type Instant = ColumnType<number, Date, Date>;
type MaybeInstant = ColumnType<number | null, Date | null, Date | null>;
/** `jsonb`: read as an object, written as JSON text. */
type JsonColumn = ColumnType<Record<string, unknown>, string, string>;
type MaybeJsonColumn = ColumnType<Record<string, unknown> | null, string | null, string | null>;

export interface MigrationTable {
  name: string;
  applied_at: Generated<number>;
}

export interface IntentTable {
  /** Order of insertion. */
  seq: Generated<number>;
  intent_id: string;
  account: string;
  workflow_id: string;
  first_run_id: string;
  workflow_type: string;
  step: string;
  ordinal: number;
  once: string | null;
  /** Budget that this row shares with others, whatever flow they belong to. */
  budget_key: string | null;
  operation: string;
  subject: string;
  flags: string[];
  state: string;
  joined: string | null;
  attempt_token: string | null;
  reserved: number;
  charged: number | null;
  /** Null in rows that are older than the column. */
  amount_source: string | null;
  balance_after: number | null;
  /** When `balance_after` was reported. */
  balance_at: MaybeInstant;
  request_id: string | null;
  meta_request_id: string | null;
  search_log_id: string | null;
  http_status: number | null;
  error_code: string | null;
  reason: string | null;
  body_sha256: string | null;
  final_state: string | null;
  raw_status: string | null;
  running_seen: boolean;
  service_opened_at: MaybeInstant;
  webhook_expected: boolean;
  opened_at: Instant;
  settled_at: MaybeInstant;
  evidence: MaybeJsonColumn;
  /** Keys under which events about this call are found; emptied when the row is final. */
  waiter_keys: string[];
  /** Advisory locks that every change of this row takes: its subject's first, then one per waiter key. */
  locks: ColumnType<string[], string, string>;
}

export interface AnswerBodyTable {
  sha256: string;
  /** Null: the bytes are in `answer_bytes`. */
  bytes: Buffer | null;
  content_type: string | null;
  stored_at: Instant;
}

export interface SettlementConflictTable {
  seq: Generated<number>;
  intent_id: string;
  settlement: JsonColumn;
  body_sha256: string | null;
  found_at: Instant;
}

export interface AccountHoldTable {
  account: string;
  /** Charged calls in a row that ended in 5xx or without an answer. */
  failures: number;
  outage_since: MaybeInstant;
  probed_at: MaybeInstant;
  throttled_until: MaybeInstant;
  free_throttled_until: MaybeInstant;
}

export interface FingerprintTable {
  subject: 'id key' | 'base url' | 'api key' | 'payload key';
  /** Empty for the id key; for a payload key its id. */
  account: string;
  value: string;
  since: Instant;
  set_by: string | null;
}

export interface EventTable {
  /** Order of recording; never shows a gap that is filled later (see the inbox). */
  seq: Generated<number>;
  account: string;
  /** The event id, or id + `#` + body hash where one id came with another body. */
  event_key: string;
  event_id: string;
  event: string;
  /** Null: it is in `event_bytes`, or it was dropped, and `keys` with it. */
  body: Buffer | null;
  body_sha256: string;
  conflict: boolean;
  keys: string[];
  /** As the sender wrote it. */
  created_at: string | null;
  delivery_id: string | null;
  received_at: Instant;
}

export interface WaiterTable {
  workflow_id: string;
  key: string;
  /** The ledger row that the flow waits for: its own or another flow's. */
  intent_id: string;
  expires_at: Instant;
  /** Temporal namespace of the flow, as reported by the worker that started last; null in older rows. */
  namespace: Generated<string | null>;
}

export interface EventWakeTable {
  /** `<account>/<event key>`, or `intent:<uuid>` where a settlement wakes. */
  event_key: string;
  workflow_id: string;
  created_at: Instant;
  woken_at: MaybeInstant;
  /** Last failed attempt of the relay; in the future while a relay has claimed it: the end of its claim. */
  tried_at: MaybeInstant;
}

export interface PublicDocumentTable {
  account: string;
  cnj: string;
  document_id: string;
  title: string | null;
  type: string | null;
  data: JsonColumn;
  data_hash: string;
  listed_at: Instant;
  sha256: string | null;
  bytes: number | null;
  stored: string | null;
  downloaded_at: MaybeInstant;
  /** Ledger row of the listing whose link the file came from. */
  downloaded_intent_id: string | null;
  /** When retention dropped the file; `stored` is null then. */
  file_dropped_at: MaybeInstant;
  sensitivity: Generated<string>;
}

export interface CaseRefreshTable {
  account: string;
  cnj: string;
  state: string;
  raw_status: string | null;
  with_documents: boolean;
  intent_id: string;
  finished_at: Instant;
}

export interface Tables {
  'tramita.migration': MigrationTable;
  'tramita.intent': IntentTable;
  /** View over them and the archive. */
  'tramita.intent_all': IntentTable;
  'tramita.answer_body': AnswerBodyTable;
  'tramita.settlement_conflict': SettlementConflictTable;
  'tramita.account_hold': AccountHoldTable;
  'tramita.fingerprint': FingerprintTable;
  'tramita.event': EventTable;
  'tramita.waiter': WaiterTable;
  'tramita.event_wake': EventWakeTable;
  'tramita.public_document': PublicDocumentTable;
  'tramita.case_refresh': CaseRefreshTable;
}
