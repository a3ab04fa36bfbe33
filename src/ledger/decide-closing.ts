/** What a row becomes after a doubt or after free evidence; undefined if it stays as it is. Pure. */
import { ZERO_AMOUNT } from '../contract/index.js';
import type { DoubtPendingInput } from '../protocol/index.js';
import type { Intent } from './intent.js';
import type { EvidenceClosing } from './ledger.js';
import { isAdopted, isUndecided } from './undecided.js';
import { withoutEnd } from './without-end.js';

type Doubt = DoubtPendingInput['doubt'];

const REASONS: Readonly<Record<Doubt, string>> = {
  unconfirmed: 'it was presumed accepted, and nothing has confirmed that',
  unreadable: 'reading its status was charged before, so it is not read, and no request id is known to poll',
};

/**
 * A pending row whose end is unknown is undecided again, for evidence or a person to decide: one that was adopted and not
 * confirmed, or (`unreadable`) one without a request id whose status must not be read. A 202 of its own needs no confirmation.
 */
export function decideDoubt(intent: Intent, doubt: Doubt, nowMs: number): Intent | undefined {
  const unreadable = doubt === 'unreadable' && intent.state === 'pending' && intent.requestId === null;
  if (!unreadable && !isAdopted(intent)) return undefined;
  return { ...intent, ...withoutEnd(intent, nowMs), reason: REASONS[doubt] };
}

/** Closes an undecided row whose call evidence has proved repeatable. A row that is no longer undecided stays as it is. */
export function decideClosing(
  intent: Intent,
  { proof, keepsReserve }: EvidenceClosing,
  nowMs: number,
): Intent | undefined {
  if (!isUndecided(intent)) return undefined;
  const decision = keepsReserve ? 'repeat' : 'not-charged';
  return {
    ...intent,
    state: 'closed',
    reserved: keepsReserve ? intent.reserved : ZERO_AMOUNT,
    settledAtMs: nowMs,
    evidence: { ...intent.evidence, ...proof, decision, by: 'tramita (evidence)', at: new Date(nowMs).toISOString() },
  };
}
