/** Rows of the table `intent` in the words of the ledger, both ways. Pure. */
import type { Insertable, Selectable } from 'kysely';
import type { Amount, FlagName } from '../contract/index.js';
import { lockNumber, type IntentTable } from '../store/index.js';
import { subjectLock } from './lock-names.js';
import type { AmountSource, Intent, IntentState } from './types.js';

type FactColumns = Pick<
  Insertable<IntentTable>,
  | 'state'
  | 'request_id'
  | 'meta_request_id'
  | 'search_log_id'
  | 'http_status'
  | 'error_code'
  | 'reason'
  | 'body_sha256'
  | 'final_state'
  | 'raw_status'
  | 'settled_at'
  | 'evidence'
>;
type KeyColumns = Pick<Insertable<IntentTable>, 'waiter_keys' | 'locks'>;

/** An intent with what the ledger keeps to itself. */
export interface KeptIntent {
  readonly intent: Intent;
  readonly attemptToken: string | null;
  readonly waiterKeys: readonly string[];
  readonly budgetKey: string | null;
}

export function readIntent(row: Selectable<IntentTable>): Intent {
  return {
    intentId: row.intent_id,
    account: row.account,
    workflowId: row.workflow_id,
    firstRunId: row.first_run_id,
    workflowType: row.workflow_type,
    step: row.step,
    ordinal: row.ordinal,
    once: row.once,
    operation: row.operation,
    subject: row.subject,
    flags: row.flags as FlagName[],
    state: row.state as IntentState,
    joined: row.joined,
    reserved: row.reserved as Amount,
    charged: row.charged as Amount | null,
    amountSource: sourceOf(row),
    balanceAfter: row.balance_after as Amount | null,
    requestId: row.request_id,
    metaRequestId: row.meta_request_id,
    searchLogId: row.search_log_id,
    httpStatus: row.http_status,
    errorCode: row.error_code,
    reason: row.reason,
    bodySha256: row.body_sha256,
    finalState: row.final_state,
    rawStatus: row.raw_status,
    runningSeen: row.running_seen,
    serviceOpenedAtMs: row.service_opened_at,
    webhookExpected: row.webhook_expected,
    openedAtMs: row.opened_at,
    settledAtMs: row.settled_at,
    evidence: row.evidence,
  };
}

/** Rows from before migration 0019 name none: their answers told. */
function sourceOf({ charged, joined, amount_source: source }: Selectable<IntentTable>): AmountSource | null {
  return charged === null || joined !== null ? null : ((source as AmountSource | null) ?? 'told');
}

export function readKept(row: Selectable<IntentTable>): KeptIntent {
  return {
    intent: readIntent(row),
    attemptToken: row.attempt_token,
    waiterKeys: row.waiter_keys,
    budgetKey: row.budget_key,
  };
}

/** Columns of a new row. */
export function buildRow({ intent, attemptToken, waiterKeys, budgetKey }: KeptIntent): Insertable<IntentTable> {
  return {
    ...buildFacts(intent),
    intent_id: intent.intentId,
    account: intent.account,
    workflow_id: intent.workflowId,
    first_run_id: intent.firstRunId,
    workflow_type: intent.workflowType,
    step: intent.step,
    ordinal: intent.ordinal,
    once: intent.once,
    operation: intent.operation,
    subject: intent.subject,
    flags: [...intent.flags],
    state: intent.state,
    joined: intent.joined,
    attempt_token: attemptToken,
    budget_key: budgetKey,
    reserved: intent.reserved,
    charged: intent.charged,
    amount_source: intent.amountSource,
    balance_after: intent.balanceAfter,
    running_seen: intent.runningSeen,
    service_opened_at: instantOrNull(intent.serviceOpenedAtMs),
    webhook_expected: intent.webhookExpected,
    opened_at: new Date(intent.openedAtMs),
    ...buildKeys(intent, waiterKeys),
  };
}

/** Columns that a settlement or decision changes and that copies of the row take over. */
export function buildFacts(intent: Intent): FactColumns {
  return {
    state: intent.state,
    request_id: intent.requestId,
    meta_request_id: intent.metaRequestId,
    search_log_id: intent.searchLogId,
    http_status: intent.httpStatus,
    error_code: intent.errorCode,
    reason: intent.reason,
    body_sha256: intent.bodySha256,
    final_state: intent.finalState,
    raw_status: intent.rawStatus,
    settled_at: instantOrNull(intent.settledAtMs),
    evidence: intent.evidence === null ? null : JSON.stringify(intent.evidence),
  };
}

/** The subject's lock stands first: it is what is left when a final row forgets its keys. */
export function buildKeys(intent: Intent, waiterKeys: readonly string[]): KeyColumns {
  const locks = [lockNumber(subjectLock(intent)), ...waiterKeys.map(lockNumber)];
  return { waiter_keys: [...waiterKeys], locks: `{${locks.join(',')}}` };
}

function instantOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
