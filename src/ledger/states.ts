/** What the states of an intent mean for reservations, copies and waiters. Pure. */
import { sql, type RawBuilder } from 'kysely';
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { factsOf, type Intent, type IntentState } from './intent.js';

/** Nothing changes these rows any more, and events about them are of no use. */
const FINAL: readonly IntentState[] = ['done', 'rejected', 'not_sent', 'closed'];

export function isFinal(state: IntentState): boolean {
  return FINAL.includes(state);
}

/** SQL condition: the charge of the row may still change. */
export const MAY_MOVE = sql<boolean>`state in ('open', 'unknown', 'pending')`;

/** SQL condition: the step of the row is a `freeStep`. */
export const FREE_READ = sql<boolean>`step like 'free/%'`;

/**
 * SQL from the row of `account` with the newest reported balance. A row without a time would sort as the newest: PostgreSQL puts
 * null first in descending order.
 */
export function fromNewestBalance(account: string | RawBuilder<string>): RawBuilder<unknown> {
  return sql`from tramita.intent where account = ${account} and balance_after is not null and balance_at is not null
    order by balance_at desc, seq desc limit 1`;
}

/** The row was or may have been paid. A step goes on to its next ordinal only from a row that cost nothing or was decided. */
export const MAY_BE_PAID: readonly IntentState[] = ['open', 'pending', 'done', 'charged_lost', 'unknown'];

/** The row that holds the charge: the row itself, or the one whose answer it took. */
export function rootOf(intent: Intent): string {
  return intent.joined ?? intent.intentId;
}

export function decisionOf({ evidence }: Pick<Intent, 'evidence'>): unknown {
  return evidence?.['decision'];
}

/** When a row that ends now was settled: never before its opening, whose time may come from another clock (new-intent.ts). */
export function settledNow({ openedAtMs }: Pick<Intent, 'openedAtMs'>, nowMs: number): number {
  return Math.max(nowMs, openedAtMs);
}

/** What stays reserved once a row is in `state`: the reserve is held while the charge is unknown. */
export function reservedIn(state: IntentState, reserved: Amount, charged: Amount | null): Amount {
  switch (state) {
    case 'rejected':
    case 'not_sent':
      return ZERO_AMOUNT;
    case 'done':
    case 'charged_lost':
      return charged === null ? reserved : ZERO_AMOUNT;
    default:
      return reserved;
  }
}

/**
 * What a row cost its flow; null: not known. A row that joined another one cost nothing: the original carries the charge. Nor did
 * one without a reserve: everything that may be charged has one (docs/decisions/0022).
 */
export function chargedOf({
  joined,
  charged,
  reserved,
}: Pick<Intent, 'joined' | 'charged' | 'reserved'>): Amount | null {
  if (joined !== null) return ZERO_AMOUNT;
  return charged ?? (reserved === ZERO_AMOUNT ? ZERO_AMOUNT : null);
}

/** `copy` after its original has become `root`: the same facts, none of the money. */
export function followRoot(copy: Intent, root: Intent): Intent {
  return { ...copy, ...factsOf(root) };
}

/** Its attempt can report no more: the amount stays reserved until evidence or a person decides. */
export function becomeUnknown(intent: Intent, reason: string): Intent {
  return { ...intent, state: 'unknown', reason: intent.reason ?? reason };
}
