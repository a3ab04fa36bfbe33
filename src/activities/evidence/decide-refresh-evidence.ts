/**
 * Is the refresh in this record the unknown one? Pure: it carries our request id, or
 * its own time is later than the intent by more than the measured skew while no other intent for the case is under way, and it
 * names no request of another one. A time that was ahead of the service's own clock proves nothing, then or later: it is not read as
 * it was meant (a zone that it does not name), and may be that of a refresh before. Other news of the case proves nothing, and
 * silence does not prove that nothing was charged.
 */
import type { RefreshStatus } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import { isAheadOfService } from '../polling/refresh-proof.js';

/** Another row about the same case. */
export type OtherRefresh = Pick<Intent, 'state' | 'requestId' | 'openedAtMs' | 'settledAtMs' | 'evidence'>;

export interface RefreshFacts {
  readonly intent: Pick<Intent, 'requestId' | 'openedAtMs' | 'serviceOpenedAtMs'>;
  /** When the record was read, by our clock. */
  readonly nowMs: number;
  /** Times of records that were ahead of the service's clock when they were read before. */
  readonly seenAhead: readonly number[];
  /** Service clock − ours, ms, by the `Date` of the answer with the record; null where it has none. */
  readonly skewMs: number | null;
  /** Originals only: what joined another row made no call. */
  readonly others: readonly OtherRefresh[];
}

type RefreshEvidence =
  | { readonly ours: true; readonly proof: 'request id' | 'own time' }
  | {
      readonly ours: false;
      readonly because: string;
      /** Its time, where that is ahead of the service's clock: to be kept, because later it is not any more. */
      readonly aheadMs?: number;
    };

/** `Date` has whole seconds. */
const UNCERTAINTY_MS = 1_000;
/** A refresh that was given up or lost may still be running at the service; it is over after this. */
const LONGEST_REFRESH_MS = 86_400_000;

export function decideRefreshEvidence(
  record: Pick<RefreshStatus, 'requestId' | 'timeMs'>,
  { intent, nowMs, seenAhead, skewMs, others }: RefreshFacts,
): RefreshEvidence {
  if (intent.requestId !== null && record.requestId === intent.requestId) return { ours: true, proof: 'request id' };
  if (others.some(({ requestId }) => requestId !== null && requestId === record.requestId)) {
    // Also of one that ended long ago: its time may move whenever the service looks at the case again.
    return { ours: false, because: 'it names the request of another refresh of the case' };
  }
  if (record.timeMs === undefined) return { ours: false, because: 'it has no time of its own' };
  const opened = openedByService(intent, skewMs);
  if (opened === undefined) return { ours: false, because: 'the clock of the service is not known' };
  if (record.timeMs <= opened + UNCERTAINTY_MS) return { ours: false, because: 'its time is not later than this call' };
  if (seenAhead.includes(record.timeMs) || isAheadOfService(record.timeMs, { intent, nowMs, skewMs })) {
    return { ours: false, because: 'its time is ahead of the clock of the service', aheadMs: record.timeMs };
  }
  if (others.some((other) => mayBeOf(other, record, intent.openedAtMs))) {
    return { ours: false, because: 'it may be of another refresh of the case' };
  }
  return { ours: true, proof: 'own time' };
}

/** The latest that the service's clock can have shown when the intent was written, but for the uncertainty. */
function openedByService({ openedAtMs, serviceOpenedAtMs }: RefreshFacts['intent'], skewMs: number | null) {
  const measured = skewMs === null ? undefined : openedAtMs + skewMs;
  if (serviceOpenedAtMs === null) return measured;
  return Math.max(serviceOpenedAtMs, measured ?? serviceOpenedAtMs);
}

/** Not only what is under way now: a refresh that ended since this call has left its record too. */
function mayBeOf(other: OtherRefresh, record: Pick<RefreshStatus, 'requestId'>, openedAtMs: number): boolean {
  if (other.requestId !== null && record.requestId !== undefined && other.requestId !== record.requestId) return false;
  switch (other.state) {
    case 'open':
    case 'pending':
    case 'unknown':
      return true;
    case 'done':
      return (other.settledAtMs ?? Infinity) >= openedAtMs;
    case 'charged_lost':
      return other.openedAtMs > openedAtMs - LONGEST_REFRESH_MS;
    case 'closed':
      return other.evidence?.['decision'] === 'abandon' && other.openedAtMs > openedAtMs - LONGEST_REFRESH_MS;
    case 'rejected':
    case 'not_sent':
      return false;
  }
}
