/** Lists charges that a person may decide about, filtered by what a person knows of them. A plain read. */
import { sql } from 'kysely';
import { instant, type Database, type IntentTable } from '../store/index.js';
import { readIntent } from './intent-row.js';
import type { Intent } from './intent.js';
import { ADOPTED, UNDECIDED, overdueAt } from './undecided.js';

export type UndecidedState = 'unknown' | 'charged_lost' | 'pending';

export interface UndecidedFilter {
  readonly account?: string;
  readonly operation?: string;
  /**
   * `pending`: adopted on evidence or by a person and not confirmed yet, or overdue. Default: all three, but without overdue
   * rows, whose work the service has accepted.
   */
  readonly state?: UndecidedState;
  /** Sent at or before this instant, epoch ms. */
  readonly openedUntilMs?: number;
  /** Beginning of the workflow id. */
  readonly workflowPrefix?: string;
  /** Part of the reason, case-insensitive. */
  readonly reason?: string;
  /** Instant at which rows count as overdue, epoch ms. Default: now. */
  readonly nowMs?: number;
}

/** Limit of one list: more rows are better decided in several runs. */
export const MOST_UNDECIDED = 10_000;

/** Oldest first, up to `most`. Rows that joined another one follow it and are not listed; nor are decided rows. */
export async function listUndecided(
  db: Database,
  filter: UndecidedFilter,
  most = MOST_UNDECIDED,
): Promise<readonly Intent[]> {
  let query = db
    .selectFrom(
      // Separate selects, so that each uses its own partial index.
      sql<IntentTable>`(select * from tramita.intent where ${UNDECIDED}
        union all select * from tramita.intent where ${ADOPTED}
        union all select * from tramita.intent where ${overdueAt(filter.nowMs ?? Date.now())} and ${ADOPTED} is not true
          and ${filter.state === 'pending'})`.as('intent'),
    )
    .selectAll();
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.account !== undefined) query = query.where('account', '=', filter.account);
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation);
  if (filter.openedUntilMs !== undefined) query = query.where('opened_at', '<=', instant(filter.openedUntilMs));
  if (filter.workflowPrefix !== undefined) {
    // Runs of older versions have `/` in their ids: either spelling finds both (docs/decisions/0035).
    query = query.where(
      sql<boolean>`starts_with(translate(workflow_id, '/', '.'), translate(${filter.workflowPrefix}, '/', '.'))`,
    );
  }
  if (filter.reason !== undefined) {
    query = query.where(sql<boolean>`position(lower(${filter.reason}) in lower(reason)) > 0`);
  }
  const rows = await query.orderBy('opened_at').orderBy('seq').limit(most).execute();
  return rows.map(readIntent);
}
