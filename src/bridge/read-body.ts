/**
 * Authentic bytes → the event in them, or `undefined` if they contain no readable one. Pure and bounded: depth and members per
 * object are counted on the bytes before anything is parsed, because deep or colliding input stalls a JSON parser
 * (V8 CVE-2026-21717). Undefined is no error: an authentic delivery is kept for inspection, never refused.
 */
import { readWebhookEvent, type WebhookEvent } from '../contract/index.js';

/** Observed deliveries are at most eight levels deep. */
const MAX_DEPTH = 100;
/** Colliding keys cost quadratic time; 2,000 of them stay under a few milliseconds. */
const MAX_MEMBERS = 2_000;

/** A byte order mark stays in the text and makes the parse fail, because JSON does not allow it. */
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

export function readDeliveryBody(body: Buffer): WebhookEvent | undefined {
  if (!isBounded(body)) return undefined;
  try {
    return readWebhookEvent(JSON.parse(DECODER.decode(body)));
  } catch {
    return undefined;
  }
}

/** Works on bytes: in UTF-8 no byte of a multi-byte character equals one of JSON's own characters. */
function isBounded(body: Buffer): boolean {
  const members: number[] = [];
  let inString = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (members.push(0) > MAX_DEPTH) return false;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      members.pop();
    } else if (byte === COLON && members.length > 0) {
      const count = (members.pop() ?? 0) + 1;
      if (count > MAX_MEMBERS) return false;
      members.push(count);
    }
  }
  return true;
}
