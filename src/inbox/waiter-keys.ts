/**
 * Keys that flows wait under and events are found by. Both sides build them here and nowhere else, because a key is also
 * the name of the advisory lock that makes "look, then wait" safe against "record, then wake". Pure.
 */
import type { WebhookEvent } from '../contract/index.js';

/** `cnj:<20 digits>`. */
export function cnjKey(digits: string): string {
  return `cnj:${digits}`;
}

/** `request:<uuid>`, lower case. */
export function requestKey(requestId: string): string {
  return `request:${requestId.toLowerCase()}`;
}

/** `oab:<UF:number>`, e.g. `oab:SP:123456`. */
export function oabKey(oab: string): string {
  return `oab:${oab}`;
}

/** `intent:<uuid>`: waits for the settlement of a ledger row, not for an event of the service. */
export function intentKey(intentId: string): string {
  return `intent:${intentId.toLowerCase()}`;
}

/** The keys of everything that an event names; which of them wake is decided in `decide-wakes.ts`. */
export function keysOfEvent(event: Pick<WebhookEvent, 'cnjs' | 'requestIds' | 'oabs'>): readonly string[] {
  return [...event.requestIds.map(requestKey), ...event.cnjs.map(cnjKey), ...event.oabs.map(oabKey)];
}
