/**
 * Head of an answer → the allow-listed part of it. A header that is not on the list does not leave this room: cookies and
 * gateway headers have no business in a ledger. Pure.
 */
import { present } from '../contract/index.js';
import type { IncomingHttpHeaders } from 'node:http';
import { readHttpDateMs } from './http-date.js';
import type { AnswerHead } from './types.js';

const KEPT = new Set(['content-type', 'content-length', 'retry-after', 'date', 'location']);
/** Figures of answers without an envelope (interface "Endpoints", legacy search and electoral PDF). */
const KEPT_PREFIX = 'x-service-';
const MAX_VALUE = 2_048;

export function buildAnswerHead(status: number, headers: IncomingHttpHeaders, receivedAtMs: number): AnswerHead {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!KEPT.has(name) && !name.startsWith(KEPT_PREFIX)) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (text !== undefined && text.length <= MAX_VALUE) kept[name] = text;
  }
  const dateMs = kept['date'] === undefined ? undefined : readHttpDateMs(kept['date'], receivedAtMs);
  return { status, headers: kept, receivedAtMs, ...present({ dateMs }) };
}
