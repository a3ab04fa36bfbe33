/**
 * Reduces the head of an answer to the allow-listed headers. No other header leaves this room: cookies and gateway
 * headers do not belong in a ledger. Pure.
 */
import { present } from '../contract/index.js';
import type { IncomingHttpHeaders } from 'node:http';
import { readHttpDateMs } from './http-date.js';
import type { AnswerHead, Exchange } from './types.js';

const ALLOWED = new Set(['content-type', 'content-length', 'retry-after', 'date', 'location']);
/** Charge and ids of answers without an envelope (interface "Endpoints", legacy search and electoral PDF). */
const ALLOWED_PREFIX = 'x-service-';
const MAX_VALUE = 2_048;

export function buildAnswerHead(status: number, headers: IncomingHttpHeaders, receivedAtMs: number): AnswerHead {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!ALLOWED.has(name) && !name.startsWith(ALLOWED_PREFIX)) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (text !== undefined && text.length <= MAX_VALUE) kept[name] = text;
  }
  const dateMs = kept['date'] === undefined ? undefined : readHttpDateMs(kept['date'], receivedAtMs);
  return { status, headers: kept, receivedAtMs, ...present({ dateMs }) };
}

/** The service's own headers of an exchange; undefined if it has none. */
export function serviceHeadersOf(exchange: Exchange): Readonly<Record<string, string>> | undefined {
  const headers = 'head' in exchange ? Object.entries(exchange.head.headers) : [];
  const own = headers.filter(([name]) => name.startsWith(ALLOWED_PREFIX));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** HTTP status of an exchange, whole or cut; undefined if no answer came. */
export function statusOf(exchange: Exchange): number | undefined {
  return 'head' in exchange ? exchange.head.status : undefined;
}
