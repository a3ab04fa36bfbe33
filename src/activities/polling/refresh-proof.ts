/**
 * Does a refresh status belong to *this* request? Pure. The service keeps showing the last refresh until
 * the new one ends, so a final word counts only with proof; without proof it means running.
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

/** The service writes whole seconds in some forms: compare at that grain. */
const GRAIN_MS = 1_000;
/** Clocks of one service differ by less; a zone that was taken for another one makes more. */
const AHEAD_MS = 60_000;

/**
 * `status` is what `status-atualizacao` (or a record that carries our id) says now. `hasEnded`: our request has, with an answer. Then a
 * record without time and id is of this refresh or of a later one; one that has them shows itself whether it is. `isEarlier`: it
 * names the request of a refresh before this one. `isAhead`: its time is ahead of the service's clock, so it is not read as it was
 * meant; until our request has ended it may be that of a refresh before.
 */
export function decideRefresh(
  status: RefreshStatus,
  intent: Pick<Intent, 'requestId' | 'runningSeen' | 'serviceOpenedAtMs' | 'openedAtMs'>,
  {
    hasEnded = false,
    isEarlier = false,
    isAhead = false,
  }: { readonly hasEnded?: boolean; readonly isEarlier?: boolean; readonly isAhead?: boolean } = {},
): RefreshVerdict {
  if (status.state === 'running') return { finished: false, running: status.recognised };
  const isBare = status.timeMs === undefined && status.requestId === undefined;
  if (isEarlier) return { finished: false, running: false };
  const isTimeRead = hasEnded || !isAhead;
  const proof = proofOf(status, intent, isTimeRead) ?? (hasEnded && isBare ? 'request ended' : undefined);
  return proof === undefined ? { finished: false, running: false } : { finished: true, state: status.state, proof };
}

function proofOf(
  status: RefreshStatus,
  intent: Pick<Intent, 'requestId' | 'runningSeen' | 'serviceOpenedAtMs' | 'openedAtMs'>,
  isTimeRead: boolean,
): 'request id' | 'own time' | 'running seen' | undefined {
  if (intent.requestId !== null && status.requestId === intent.requestId) return 'request id';
  // Read only once our request is final (or has no id), so a later time means that the case was refreshed after we asked.
  const sinceMs = intent.serviceOpenedAtMs ?? intent.openedAtMs;
  if (isTimeRead && status.timeMs !== undefined && grain(status.timeMs) >= grain(sinceMs)) return 'own time';
  return intent.runningSeen ? 'running seen' : undefined;
}

function grain(ms: number): number {
  return Math.floor(ms / GRAIN_MS);
}

/**
 * Is the time of a record that was read at `nowMs` (our clock) later than the service's own clock was then? By the `Date` of that
 * answer (`skewMs`), else by that of the call; false where neither has it. Pure.
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
