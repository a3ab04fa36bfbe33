/**
 * Decides whether the refresh in a record is the unknown one. Pure. It is if the record carries our request id. It also is if
 * the record's own time is later than the intent by more than the measured skew, no other intent for the case is in progress,
 * and the record names no request of another one. A time ahead of the service's own clock proves nothing, then or later: it was
 * misread (it names no zone) and may belong to an earlier refresh. Other news of the case proves nothing, and silence does not
 * prove that nothing was charged.
 */
import { CLOCK_MARGIN_MS, DAY_MS } from '../../contract/values/index.js';
import type { RefreshStatus } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import { isAheadOfService } from '../polling/refresh-proof.js';

/** Another row about the same case. */
export type OtherRefresh = Pick<Intent, 'state' | 'requestId' | 'openedAtMs' | 'settledAtMs' | 'evidence'>;

export interface RefreshFacts {
  readonly intent: Pick<Intent, 'requestId' | 'openedAtMs' | 'serviceOpenedAtMs'>;
  /** When the record was read, by our clock. */
  readonly nowMs: number;
  /** Times of records that were ahead of the service's clock at earlier reads. */
  readonly seenAhead: readonly number[];
  /** Service clock − ours, ms, by the `Date` of the answer with the record; null if it has none. */
  readonly skewMs: number | null;
  /** Only rows that made a call of their own, not those that joined one. */
  readonly others: readonly OtherRefresh[];
}

type RefreshEvidence =
  | { readonly ours: true; readonly proof: 'request id' | 'own time' }
  | {
      readonly ours: false;
      readonly because: string;
      /** The record's time if it is ahead of the service's clock. To be stored, because later it is ahead no longer. */
      readonly aheadMs?: number;
    };

/** `Date` has whole seconds. */
const UNCERTAINTY_MS = 1_000;
/** A refresh that was abandoned or lost may still run at the service for this long. */
const LONGEST_REFRESH_MS = DAY_MS;

export function decideRefreshEvidence(
  record: Pick<RefreshStatus, 'requestId' | 'timeMs'>,
  { intent, nowMs, seenAhead, skewMs, others }: RefreshFacts,
): RefreshEvidence {
  if (intent.requestId !== null && record.requestId === intent.requestId) return { ours: true, proof: 'request id' };
  if (others.some(({ requestId }) => requestId !== null && requestId === record.requestId)) {
    // Even if that one ended long ago: its time may change whenever the service looks at the case again.
    return { ours: false, because: 'it names the request of another refresh of the case' };
  }
  if (record.timeMs === undefined) return { ours: false, because: 'it shows no time' };
  const opened = latestServiceOpening(intent, skewMs);
  if (opened === undefined) return { ours: false, because: 'the clock of the service is not known' };
  if (record.timeMs <= opened + UNCERTAINTY_MS) return { ours: false, because: 'its time is not later than this call' };
  if (seenAhead.includes(record.timeMs) || isAheadOfService(record.timeMs, { intent, nowMs, skewMs })) {
    return { ours: false, because: 'its time is ahead of the clock of the service', aheadMs: record.timeMs };
  }
  if (others.some((other) => mayBeOf(other, record, intent.openedAtMs))) {
    return { ours: false, because: 'it may belong to another refresh of the case' };
  }
  return { ours: true, proof: 'own time' };
}

/** The latest time that the service's clock can have shown when the intent was written, give or take the uncertainty. */
function latestServiceOpening({ openedAtMs, serviceOpenedAtMs }: RefreshFacts['intent'], skewMs: number | null) {
  const measured = skewMs === null ? undefined : openedAtMs + skewMs;
  if (serviceOpenedAtMs === null) return measured;
  return Math.max(serviceOpenedAtMs, measured ?? serviceOpenedAtMs);
}

/** Whether the record may belong to `other`: one that runs or may still run, or that ended after this call and left its record. */
function mayBeOf(other: OtherRefresh, record: Pick<RefreshStatus, 'requestId'>, openedAtMs: number): boolean {
  if (other.requestId !== null && record.requestId !== undefined && other.requestId !== record.requestId) return false;
  switch (other.state) {
    case 'open':
    case 'pending':
    case 'unknown':
      return true;
    case 'done':
      // Two workers date the two: the clock of one may be behind that of the other.
      return (other.settledAtMs ?? Infinity) > openedAtMs - CLOCK_MARGIN_MS;
    case 'charged_lost':
      return other.openedAtMs > openedAtMs - LONGEST_REFRESH_MS;
    case 'closed':
      return other.evidence?.['decision'] === 'abandon' && other.openedAtMs > openedAtMs - LONGEST_REFRESH_MS;
    case 'rejected':
    case 'not_sent':
      return false;
  }
}
