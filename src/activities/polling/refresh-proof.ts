/**
 * Decides whether a refresh status belongs to *this* request. Pure. The service shows the previous refresh until the new one
 * ends, so a final status counts only with proof; without proof the refresh has not ended.
 */
import type { RefreshStatus } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';

export type RefreshVerdict =
  | {
      readonly finished: true;
      readonly state: 'done' | 'empty' | 'failed';
      readonly proof: 'request id' | 'own time' | 'running seen' | 'request ended';
    }
  | { readonly finished: false; readonly running: boolean };

type RefreshCall = Pick<Intent, 'requestId' | 'runningSeen' | 'serviceOpenedAtMs' | 'openedAtMs'>;

/** Some forms of the service have whole seconds only, so times are compared in seconds. */
const GRAIN_MS = 1_000;
/** The clocks of one service differ by less; a misread time zone makes a larger difference. */
const AHEAD_MS = 60_000;

/**
 * `status` is what `status-atualizacao` (or a record that carries our id) says now.
 * - `hasEnded`: our request has ended with an answer. A record without time and id then is of this refresh or a later one; a
 *   record that has them shows itself whether it is.
 * - `isEarlier`, `isLater`: the record names the request of an earlier or later refresh of ours.
 * - `isAhead`: its time is ahead of the service's clock, so it was misread. Until our request has ended, it may be the time of
 *   an earlier refresh.
 * - `skewMs`: the service's clock − ours, by the answer with the record (free-read.ts).
 */
export function decideRefresh(
  status: RefreshStatus,
  intent: RefreshCall,
  known: {
    readonly hasEnded?: boolean;
    readonly isEarlier?: boolean;
    readonly isLater?: boolean;
    readonly isAhead?: boolean;
    readonly skewMs?: number | null;
  } = {},
): RefreshVerdict {
  const { hasEnded = false, isEarlier = false, isLater = false, isAhead = false, skewMs = null } = known;
  if (status.state === 'running') return { finished: false, running: status.recognised };
  const mayBeOurs = status.timeMs === undefined && (status.requestId === undefined || isLater);
  if (isEarlier) return { finished: false, running: false };
  const sinceMs = hasEnded || !isAhead ? estimateServiceOpening(intent, skewMs) : Infinity;
  const proof = proofOf(status, intent, sinceMs) ?? (hasEnded && mayBeOurs ? 'request ended' : undefined);
  return proof === undefined ? { finished: false, running: false } : { finished: true, state: status.state, proof };
}

/** `sinceMs`: when the call was opened by the service's clock; infinite if the time of the record is not to be read. */
function proofOf(
  status: RefreshStatus,
  intent: RefreshCall,
  sinceMs: number,
): 'request id' | 'own time' | 'running seen' | undefined {
  if (intent.requestId !== null && status.requestId === intent.requestId) return 'request id';
  // It counts only once our request is final (or has no id), so a later time means that the case was refreshed after we asked.
  if (status.timeMs !== undefined && grain(status.timeMs) >= grain(sinceMs)) return 'own time';
  return intent.runningSeen ? 'running seen' : undefined;
}

/**
 * When the call was opened by the service's clock: by the `Date` of the call's own answer. A call without an answer goes by the
 * answer with the record, whose difference is up to a second too low, and too high by as long as that answer took: a lead of less
 * than a minute is no difference.
 */
function estimateServiceOpening({ serviceOpenedAtMs, openedAtMs }: RefreshCall, skewMs: number | null): number {
  if (serviceOpenedAtMs !== null) return serviceOpenedAtMs;
  const differenceMs = skewMs === null ? 0 : skewMs + GRAIN_MS;
  return openedAtMs + (differenceMs < 0 ? differenceMs : Math.max(0, differenceMs - AHEAD_MS));
}

function grain(ms: number): number {
  return Math.floor(ms / GRAIN_MS);
}

/**
 * Whether the time of a record that was read at `nowMs` (our clock) was ahead of the service's own clock, by the `Date` of that
 * answer (`skewMs`), else by that of the call; false if neither has one. Pure.
 */
export function isAheadOfService(
  timeMs: number,
  read: {
    readonly intent: Pick<Intent, 'serviceOpenedAtMs' | 'openedAtMs'>;
    readonly nowMs: number;
    readonly skewMs: number | null;
  },
): boolean {
  const { openedAtMs, serviceOpenedAtMs } = read.intent;
  const skewMs = read.skewMs ?? (serviceOpenedAtMs === null ? undefined : serviceOpenedAtMs - openedAtMs);
  return skewMs !== undefined && timeMs > read.nowMs + skewMs + AHEAD_MS;
}
