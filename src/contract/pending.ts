/**
 * The 202 answer (interface "Pending asynchronous response"). The id comes from `data.requestId`, else from the last
 * path segment of `data.statusUrl` or of the `Location` header. The URL itself is never followed. Timing hints may stand in
 * `data`, in the body itself or in `meta`.
 */
import { z } from 'zod';
import { readRecord } from './envelope.js';
import { firstAt } from './json.js';
import { parseRequestId, present, requestIdFromUrl, type RequestId } from './values/index.js';

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
  readonly pollAfterMs?: number;
  readonly pollAfterSeconds?: number;
  readonly nextPollAt?: string;
}

export interface Pending {
  readonly requestId?: RequestId;
  readonly hints: PollHints;
}

/** Reads a 202 body and its `Location` header. Never fails: a 202 without any id has no `requestId`. */
export function readPending(body: unknown, location: string | undefined): Pending {
  const record = readRecord(body) ?? {};
  const statusUrl = record['statusUrl'];
  const requestId =
    parseRequestId(record['requestId']) ??
    (typeof statusUrl === 'string' ? requestIdFromUrl(statusUrl) : undefined) ??
    (location === undefined ? undefined : requestIdFromUrl(location));
  const hint = <T>(name: string, read: (value: unknown) => T | undefined): T | undefined =>
    firstAt({ record, body }, [`record.${name}`, `body.${name}`, `body.meta.${name}`], read);
  return {
    ...present({ requestId }),
    hints: present({
      pollAfterMs: hint('pollAfterMs', numberOf),
      pollAfterSeconds: hint('pollAfterSeconds', numberOf),
      nextPollAt: hint('nextPollAt', (value) => (typeof value === 'string' ? value : undefined)),
    }),
  };
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : undefined;
}
