/**
 * Decides which of its keys an event is found by. News about a case or a lawyer does not announce the end of any work, so it is
 * found by a request id only. Every other event, unknown names included, is found by all of its keys. The rule applies to the
 * event's name at each search and is not stored: consumers get all keys, and older events follow the same rule. Pure.
 */
import { sql, type RawBuilder } from 'kysely';
import { NEWS_EVENTS } from '../contract/index.js';
import { REQUEST_KEY } from './waiter-keys.js';

/** Our own constants without quotes or backslashes, so they are safe inside SQL text. */
const NEWS = `array[${NEWS_EVENTS.map((name) => `'${name}'`).join(', ')}]::text[]`;
const OF_A_REQUEST = `like '${REQUEST_KEY}%'`;

/** SQL condition on a row of `tramita.waiter`: events of this name may wake it by its key. `event` is an SQL expression. */
export function answersTo(event: string): string {
  return `(${event} <> all (${NEWS}) or waiter.key ${OF_A_REQUEST})`;
}

/** SQL condition on a row of `tramita.event`: it is found by one of `keys`. Its first part is the one that an index supports. */
export function answersToAny(keys: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(event.keys && ${keys} and (event.event <> all (${sql.raw(NEWS)})
    or event.keys && array(select key from unnest(${keys}) as key where key ${sql.raw(OF_A_REQUEST)})))`;
}
