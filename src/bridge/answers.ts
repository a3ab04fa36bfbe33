/** The responses to a sender. A refusal does not say which check failed; only the metrics do. Pure. */
import type { Answer } from './types.js';

/** The sender has a back-off of its own (minutes); this is for proxies and people. */
const RETRY_AFTER_SECONDS = 5;

const ERRORS: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  404: 'not found',
  405: 'only POST is accepted here',
  408: 'the request took too long',
  413: 'the body is larger than 1 MB',
  415: 'only application/json in UTF-8 without content encoding is accepted',
  429: 'too many deliveries at once',
  503: 'the event could not be stored now; send it again',
};

export function buildAccepted(event: { readonly eventId: string; readonly duplicate: boolean }): Answer {
  return { status: 202, headers: {}, body: { accepted: true, ...event } };
}

export function buildRefused(status: number): Answer {
  const headers: Record<string, string> = {};
  if (status === 429 || status === 503) headers['retry-after'] = String(RETRY_AFTER_SECONDS);
  if (status === 405) headers['allow'] = 'POST';
  return { status, headers, body: { accepted: false, error: ERRORS[status] ?? 'refused' } };
}
