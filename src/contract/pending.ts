/**
 * The 202 answer (interface "Pending asynchronous response"). The id comes from `data.requestId`, else from the last
 * path segment of `data.statusUrl` or of the `Location` header. The URL itself is never followed. All of it may also be in
 * the body itself, timing hints also in `meta` (whose `requestId` is another id), and each name in snake case.
 */
import { z } from 'zod';
import { readRecord } from './envelope.js';
import { firstAt } from './json.js';
import { parseRequestId, present, requestIdFromUrl, type RequestId } from './values/index.js';

/** The body of a 202. */
export const pendingSchema = z.looseObject({
  data: z.looseObject({
    requestId: z.string().nullish(),
    statusUrl: z.string().nullish(),
    pollAfterSeconds: z.union([z.number(), z.string()]).nullish(),
    pollAfterMs: z.union([z.number(), z.string()]).nullish(),
    nextPollAt: z.string().nullish(),
  }),
});

/** Timing hints, before precedence and clamping (http `retry-timing`). */
export interface PollHints {
  /** Wait this many milliseconds (interface "Pending asynchronous response (HTTP 202)"). */
  readonly pollAfterMs?: number;
  /** Wait this many seconds. */
  readonly pollAfterSeconds?: number;
  /** Time of the next poll, as sent. */
  readonly nextPollAt?: string;
}

/** Work that the service has accepted and not finished yet. */
export interface Pending {
  /** UUID of the pending work: `data.requestId`, else from `statusUrl` or `Location` (interface "Pending asynchronous response (HTTP 202)"). */
  readonly requestId?: RequestId;
  /** A UUID called `id`, where nothing else names the request: its id only in answers whose request identifier has no stated name. */
  readonly ownId?: RequestId;
  /** When to poll, as the body says; a `Retry-After` header is not in it. */
  readonly hints: PollHints;
}

/** Reads a 202 body and its `Location` header. Never fails: a 202 without any id has no `requestId`. */
export function readPending(body: unknown, location: string | undefined): Pending {
  const record = readRecord(body) ?? {};
  const inPlaces = <T>(
    names: readonly string[],
    read: (value: unknown) => T | undefined,
    places = ['record', 'body'],
  ): T | undefined =>
    firstAt(
      { record, body },
      places.flatMap((place) => names.map((name) => `${place}.${name}`)),
      read,
    );
  const requestId =
    inPlaces(['requestId', 'request_id'], parseRequestId) ??
    inPlaces(['statusUrl', 'status_url'], (url) => (typeof url === 'string' ? requestIdFromUrl(url) : undefined)) ??
    (location === undefined ? undefined : requestIdFromUrl(location));
  const hint = <T>(names: readonly string[], read: (value: unknown) => T | undefined): T | undefined =>
    inPlaces(names, read, ['record', 'body', 'body.meta']);
  return {
    ...present({ requestId, ownId: requestId === undefined ? inPlaces(['id'], parseRequestId) : undefined }),
    hints: present({
      pollAfterMs: hint(['pollAfterMs', 'poll_after_ms'], numberOf),
      pollAfterSeconds: hint(['pollAfterSeconds', 'poll_after_seconds'], numberOf),
      nextPollAt: hint(['nextPollAt', 'next_poll_at'], (value) => (typeof value === 'string' ? value : undefined)),
    }),
  };
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : undefined;
}
