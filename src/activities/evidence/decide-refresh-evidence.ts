/**
 * Is the refresh that this record tells of the one that nobody can tell about? Pure (design 10): it carries our request id, or
 * its own time is later than the intent by more than the measured skew while no other intent for the case is under way. Other
 * news of the case proves nothing, and silence does not prove that nothing was charged.
 */
import type { RefreshStatus } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';

export interface RefreshFacts {
  readonly intent: Pick<Intent, 'requestId' | 'openedAtMs' | 'serviceOpenedAtMs'>;
  /** Service clock − ours, ms, by the `Date` of the answer that told the record; null where it has none. */
  readonly skewMs: number | null;
  /** Another intent for the case is open, pending or unknown: the record may be its. */
  readonly othersUnderWay: boolean;
}

export type RefreshEvidence =
  | { readonly ours: true; readonly proof: 'request id' | 'own time' }
  | { readonly ours: false; readonly because: string };

/** `Date` has whole seconds, and so have some of the service's times. */
const UNCERTAINTY_MS = 1_000;

export function decideRefreshEvidence(
  record: Pick<RefreshStatus, 'requestId' | 'timeMs'>,
  { intent, skewMs, othersUnderWay }: RefreshFacts,
): RefreshEvidence {
  if (intent.requestId !== null && record.requestId === intent.requestId) return { ours: true, proof: 'request id' };
  if (record.timeMs === undefined) return { ours: false, because: 'it tells no time of its own' };
  const opened = intent.serviceOpenedAtMs ?? (skewMs === null ? undefined : intent.openedAtMs + skewMs);
  if (opened === undefined) return { ours: false, because: 'the clock of the service is not known' };
  if (record.timeMs <= opened + UNCERTAINTY_MS) return { ours: false, because: 'its time is not later than this call' };
  if (othersUnderWay) return { ours: false, because: 'another refresh of the case is under way' };
  return { ours: true, proof: 'own time' };
}
