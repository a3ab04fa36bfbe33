/**
 * Event ids and names as logs and histories may carry them. Both are free text of the sender (ids with a case number were seen).
 * An id that is not plainly technical is replaced by a digest, such a name by `other`. Pure.
 */
import { createHash } from 'node:crypto';
import { mayHoldPersonalNumber } from '../contract/index.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHA256 = /^[0-9a-f]{64}$/;
const PLAIN_ID = /^[A-Za-z0-9_.:-]{1,80}$/;
const PLAIN_EVENT = /^[a-z][a-z0-9_.]{0,59}$/;

export function publicEventId(eventId: string): string {
  if (UUID.test(eventId) || SHA256.test(eventId)) return eventId;
  if (PLAIN_ID.test(eventId) && !mayHoldPersonalNumber(eventId)) return eventId;
  return `sha256:${createHash('sha256').update(eventId).digest('hex').slice(0, 32)}`;
}

export function publicEventName(event: string): string {
  return PLAIN_EVENT.test(event) && !mayHoldPersonalNumber(event) ? event : 'other';
}
