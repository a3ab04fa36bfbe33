/**
 * Keys that flows wait under and events are found by. Both sides build them here and nowhere else, because a key is also
 * the name of the advisory lock that makes "look, then wait" safe against "record, then wake". Pure.
 */
import type { WebhookEvent } from '../contract/index.js';

/** Prefixes of keys, for SQL conditions. */
export const CNJ_KEY = 'cnj:';
export const REQUEST_KEY = 'request:';
export const INTENT_KEY = 'intent:';

/** `cnj:<20 digits>`. */
export function cnjKey(digits: string): string {
  return `${CNJ_KEY}${digits}`;
}

/** `request:<uuid>`, lower case. */
export function requestKey(requestId: string): string {
  return `${REQUEST_KEY}${requestId.toLowerCase()}`;
}

/** `oab:<UF:number>`, e.g. `oab:SP:123456`. */
export function oabKey(oab: string): string {
  return `oab:${oab}`;
}

/** `intent:<uuid>`: waits for the settlement of a ledger row, not for an event of the service. */
export function intentKey(intentId: string): string {
  return `${INTENT_KEY}${intentId.toLowerCase()}`;
}

export function isIntentKey(key: string): boolean {
  return key.startsWith(INTENT_KEY);
}

/** The case among the keys of a call. */
export function cnjOfKeys(keys: readonly string[]): string | undefined {
  return keys.find((key) => key.startsWith(CNJ_KEY))?.slice(CNJ_KEY.length);
}

/** The keys of everything that an event names; which of them wake is decided in `decide-wakes.ts`. */
export function keysOfEvent(event: Pick<WebhookEvent, 'cnjs' | 'requestIds' | 'oabs'>): readonly string[] {
  return [...event.requestIds.map(requestKey), ...event.cnjs.map(cnjKey), ...event.oabs.map(oabKey)];
}
