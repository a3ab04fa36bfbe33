/**
 * Which charges a person may decide about, each rule twice side by side: for a row in hand, and as a condition of SQL. A row
 * that joined another one follows it and is never decided itself. Pure.
 */
import { sql } from 'kysely';
import type { Intent } from './intent.js';
import { decisionOf } from './states.js';

type Judged = Pick<Intent, 'state' | 'evidence'>;

/** Lost for good by a person's word is decided; an unknown row with a decision is unknown again. */
export function isUndecided({ state, evidence }: Judged): boolean {
  return state === 'unknown' || (state === 'charged_lost' && decisionOf({ evidence }) === undefined);
}

/** {@link isUndecided}, as the partial index `intent_undecided` names it. */
export const UNDECIDED = sql<boolean>`(joined is null and state in ('unknown', 'charged_lost')
  and (state = 'unknown' or evidence -> 'decision' is null))`;

/**
 * Pending by a free look, by a balance or by a person's word instead of by a 202 of its own: it may turn out not to be ours, so
 * a person may decide about it until it is final.
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

/** The balance has shown that it was charged: no word can say that it was not. */
export function isProvenPaid({ evidence, charged }: Pick<Intent, 'evidence' | 'charged'>): boolean {
  return isProvenByBalance(evidence) && (charged ?? 0) > 0;
}

function isProvenByBalance(evidence: Intent['evidence']): boolean {
  return evidence?.['proof'] === 'balance' && evidence['decision'] !== 'not-charged';
}
