/**
 * The 202 answer (interface "Pending asynchronous response"). The id comes from `data.requestId`, else from the last
 * path segment of `data.statusUrl` or of the `Location` header. The URL itself is never followed.
 */
import { z } from 'zod';
import { readRecord } from './envelope.js';
import { parseRequestId, present, requestIdFromUrl, type RequestId } from './values/index.js';

export const pendingSchema = z.looseObject({
  data: z.looseObject({
    requestId: z.string().nullish(),
    statusUrl: z.string().nullish(),
    pollAfterSeconds: z.number().nullish(),
    pollAfterMs: z.number().nullish(),
    nextPollAt: z.string().nullish(),
  }),
});

/** Timing hints as sent, before precedence and clamping (http `retry-timing`). */
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
  const { pollAfterMs, pollAfterSeconds, nextPollAt } = record;
  return {
    ...present({ requestId }),
    hints: {
      ...(typeof pollAfterMs === 'number' ? { pollAfterMs } : {}),
      ...(typeof pollAfterSeconds === 'number' ? { pollAfterSeconds } : {}),
      ...(typeof nextPollAt === 'string' ? { nextPollAt } : {}),
    },
  };
}
