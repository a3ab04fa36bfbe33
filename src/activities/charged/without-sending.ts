/** What the flow gets when the ledger does not let a call be sent: a stored answer, what to wait for, or why not. */
import { formatAmount, present } from '../../contract/index.js';
import type { IntentVerdict } from '../../ledger/index.js';
import type { ChargedCallResult } from '../../protocol/index.js';
import { storedOutcome, type OutcomeDeps, type WantedPlan } from './stored-outcome.js';

export async function withoutSending(
  deps: OutcomeDeps,
  verdict: Exclude<IntentVerdict, { kind: 'send' }>,
  wanted: Omit<WantedPlan, 'eventSeen'>,
): Promise<ChargedCallResult> {
  switch (verdict.kind) {
    case 'stored':
      return storedOutcome(deps, verdict.intent, { ...wanted, eventSeen: verdict.eventSeen === true });
    case 'closed':
      return storedOutcome(deps, verdict.intent, { ...wanted, eventSeen: false });
    case 'open elsewhere':
      return { outcome: 'HELD', because: 'open elsewhere', intentId: verdict.intent.intentId };
    case 'unknown elsewhere': {
      const { intentId, openedAtMs, workflowId: madeBy } = verdict.intent;
      return { outcome: 'HELD', because: 'unknown elsewhere', intentId, openedAtMs, madeBy };
    }
    case 'ambiguous':
      return {
        outcome: 'UNKNOWN',
        reason: 'another attempt of this call may have been sent',
        charged: null,
        reused: false,
        settled: true,
        ...present({ intentId: verdict.intent?.intentId }),
      };
    case 'over budget':
      return {
        outcome: 'HELD',
        because: 'budget',
        cap: verdict.cap,
        limit: formatAmount(verdict.limit),
        needed: formatAmount(verdict.needed),
        price: formatAmount(verdict.price),
        ...present({ balance: verdict.balance === undefined ? undefined : formatAmount(verdict.balance) }),
      };
    case 'account held':
      return verdict.because === 'throttled'
        ? { outcome: 'HELD', because: 'throttled', untilMs: verdict.untilMs }
        : { outcome: 'HELD', because: verdict.because, sinceMs: verdict.sinceMs };
    case 'once conflict':
    case 'step conflict':
      return { outcome: 'REFUSED', problem: verdict.problem };
  }
}
