/** What pending work becomes if its end cannot be found. Pure. */
import type { Intent } from './intent.js';
import { decisionOf, settledNow } from './states.js';

/**
 * `unknown`. If its answer had been lost before, it is known to be paid: `charged_lost` again, to be decided once more, so the
 * decision that named the wrong request becomes an earlier one.
 */
export function withoutEnd(intent: Intent, nowMs: number): Pick<Intent, 'state' | 'settledAtMs' | 'evidence'> {
  if (intent.evidence?.['was'] !== 'charged_lost') {
    return { state: 'unknown', settledAtMs: intent.settledAtMs, evidence: intent.evidence };
  }
  const { decision: _decision, by: _by, note: _note, requestId: _request, at: _at, ...evidence } = intent.evidence;
  return {
    state: 'charged_lost',
    settledAtMs: settledNow(intent, nowMs),
    evidence: decisionOf(intent) === undefined ? intent.evidence : { ...evidence, earlier: earlierDecisions(intent) },
  };
}

/** The decisions about a row before the next one. */
export function earlierDecisions(intent: Intent): readonly unknown[] {
  const { decision, by, note, requestId, at, earlier } = intent.evidence ?? {};
  return [...(Array.isArray(earlier) ? (earlier as unknown[]) : []), { decision, by, note, requestId, at }];
}
