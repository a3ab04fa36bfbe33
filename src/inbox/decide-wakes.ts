/**
 * Under which of its keys an event is looked at: news about a case or a lawyer announces no end of work, so it answers to a
 * request id only; everything else, unknown names too, answers to all that it names. Judged by the name whenever an event is
 * looked for, not by what is stored: keys are kept whole for consumers, and events of before go by the same rule. Pure.
 */
import { sql, type RawBuilder } from 'kysely';
import { NEWS_EVENTS } from '../contract/index.js';
import { REQUEST_KEY } from './waiter-keys.js';

/** Names of ours, letters and underscores only: safe in a statement's text. */
const NEWS = `array[${NEWS_EVENTS.map((name) => `'${name}'`).join(', ')}]::text[]`;
const OF_A_REQUEST = `like '${REQUEST_KEY}%'`;

/** Condition on a row of `tramita.waiter`: an event of this name, an SQL expression, answers to its key. */
export function answersTo(event: string): string {
  return `(${event} <> all (${NEWS}) or waiter.key ${OF_A_REQUEST})`;
}

/** Condition on a row of `tramita.event`: it answers to one of `keys`. The first part is the one that an index knows. */
export function answersToAny(keys: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(event.keys && ${keys} and (event.event <> all (${sql.raw(NEWS)})
    or event.keys && array(select key from unnest(${keys}) as key where key ${sql.raw(OF_A_REQUEST)})))`;
}
