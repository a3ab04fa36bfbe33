/** The UUID of pending work (interface "Pending asynchronous response"). Pure. */

declare const requestIdBrand: unique symbol;

/** A lower-case UUID string, safe to put into a path. */
export type RequestId = string & { readonly [requestIdBrand]: true };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Undefined when `text` is not a UUID. Any version is accepted: the interface does not name one. */
export function parseRequestId(text: unknown): RequestId | undefined {
  if (typeof text !== 'string') return undefined;
  const lower = text.trim().toLowerCase();
  return UUID.test(lower) ? (lower as RequestId) : undefined;
}

/** The UUID in the last path segment of a status URL, which is never followed: polls are rebuilt from the id. */
export function requestIdFromUrl(url: string): RequestId | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const segments = path.split('/').filter((segment) => segment !== '');
  return parseRequestId(segments.at(-1));
}

/** True for a refresh: the status of its case shows its end, so it needs no request id and has no answer to lose. */
export function goesByStatus(operation: string): boolean {
  return operation === 'requestRefresh';
}
