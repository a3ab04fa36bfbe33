/**
 * Which charges a person may decide about. Each rule exists twice, side by side: for a row in memory and as an SQL condition. A
 * row that joined another one follows it and is never decided itself. Pure.
 */
import { sql, type RawBuilder } from 'kysely';
import { PENDING_AT_MOST_MS } from '../contract/values/index.js';
import { instant } from '../store/index.js';
import type { Intent } from './intent.js';
import { decisionOf } from './states.js';

type Judged = Pick<Intent, 'state' | 'evidence'>;

/** A `charged_lost` row with a decision is decided. An unknown row is undecided, even with an earlier decision. */
export function isUndecided({ state, evidence }: Judged): boolean {
  return state === 'unknown' || (state === 'charged_lost' && decisionOf({ evidence }) === undefined);
}

/** {@link isUndecided}, as the partial index `intent_undecided` names it. */
export const UNDECIDED = sql<boolean>`(joined is null and state in ('unknown', 'charged_lost')
  and (state = 'unknown' or evidence -> 'decision' is null))`;

/**
 * Pending because of a free look, a balance or a person's decision instead of a 202 of its own. The work may turn out not to be
 * ours, so a person may decide about it until it is final.
 */
export function isAdopted({ state, evidence }: Judged): boolean {
  return (
    state === 'pending' &&
    (evidence?.['adopted'] !== undefined || evidence?.['decision'] === 'charged' || isProvenByBalance(evidence))
  );
}

/** {@link isAdopted}, as the partial index `intent_adopted` names it. */
export const ADOPTED = sql<boolean>`(joined is null and state = 'pending'
  and (evidence ? 'adopted' or evidence ->> 'decision' = 'charged' or evidence ->> 'proof' = 'balance'))`;

/**
 * Accepted by the service, no charge reported, and so old that no flow waits for it by itself. Its price would stay reserved
 * forever, so a person may decide (docs/decisions/0077).
 */
export function isOverdue(
  { state, reserved, charged, openedAtMs }: Pick<Intent, 'state' | 'reserved' | 'charged' | 'openedAtMs'>,
  nowMs: number,
): boolean {
  return state === 'pending' && reserved > 0 && (charged ?? 0) === 0 && openedAtMs <= nowMs - PENDING_AT_MOST_MS;
}

/** {@link isOverdue}, the first part as the partial index `intent_pending_untold` names it. */
export function overdueAt(nowMs: number): RawBuilder<boolean> {
  return sql<boolean>`(joined is null and state = 'pending' and reserved > 0 and coalesce(charged, 0) = 0
    and opened_at <= ${instant(nowMs - PENDING_AT_MOST_MS)})`;
}

/** What it was charged is known: to send it again would pay once more. */
export function hasKnownCharge({ charged }: Pick<Intent, 'charged'>): boolean {
  return (charged ?? 0) > 0;
}

/** The balance has proved the charge: no decision can deny it. */
export function isProvenPaid({ evidence, charged }: Pick<Intent, 'evidence' | 'charged'>): boolean {
  return isProvenByBalance(evidence) && hasKnownCharge({ charged });
}

function isProvenByBalance(evidence: Intent['evidence']): boolean {
  return evidence?.['proof'] === 'balance' && evidence['decision'] !== 'not-charged';
}
