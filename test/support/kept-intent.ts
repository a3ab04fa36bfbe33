/** A ledger row as the pure decisions see it, without a database. */
import type { Amount } from '../../src/contract/index.js';
import { BLANK_INTENT, type Intent } from '../../src/ledger/intent.js';
import type { KeptIntent } from '../../src/ledger/intent-row.js';

export const amount = (units: number): Amount => units as Amount;

const OPEN: Intent = {
  ...BLANK_INTENT,
  intentId: 'own',
  account: 'default',
  workflowId: 'flow',
  firstRunId: 'run',
  workflowType: 'refreshCase',
  step: 'refresh',
  ordinal: 1,
  operation: 'requestRefresh',
  subject: 'subject',
  reserved: amount(5_000),
  openedAtMs: 1_000,
};

export function makeIntent(change: Partial<Intent> = {}): Intent {
  return { ...OPEN, ...change };
}

export function makeKept(change: Partial<Intent> = {}, attemptToken: string | null = null): KeptIntent {
  return { intent: makeIntent(change), attemptToken, waiterKeys: [], budgetKey: null };
}
