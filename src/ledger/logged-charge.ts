/**
 * A charge with its id in the service's log (`searchLogId`). The service may answer two calls with one request, whose final answer
 * then reports one charge to both: the row that books it first keeps it, and it costs the other one nothing.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Intent } from './intent.js';
import type { Settlement } from './settlement.js';

export interface LoggedCharge {
  readonly searchLogId: string;
  /** Null: the request of the row that is settled. */
  readonly requestId: string | null;
}

/** The charge that a settlement would add to a row; undefined if it adds none, or none with an id. */
export function loggedCharge(
  { charged, searchLogId, requestId }: Settlement,
  row?: Pick<Intent, 'charged' | 'requestId'>,
): LoggedCharge | undefined {
  const isNew = (charged ?? 0) > (row?.charged ?? 0);
  return isNew && typeof searchLogId === 'string'
    ? { searchLogId, requestId: requestId ?? row?.requestId ?? null }
    : undefined;
}

/** SQL from the rows that have booked this charge. `request`, `account`: those of the row that is settled. */
export function fromRowsWith(
  { searchLogId }: LoggedCharge,
  { request, account }: { readonly request: RawBuilder<unknown>; readonly account: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`from tramita.intent
    where request_id = ${request} and search_log_id = ${searchLogId} and account = ${account} and charged > 0 and joined is null`;
}
