/** A ledger row as the pure decisions see it, without a database. */
import type { Amount } from '../../src/contract/index.js';
import type { KeptIntent } from '../../src/ledger/intent-row.js';
import type { Intent } from '../../src/ledger/index.js';

export const amount = (units: number): Amount => units as Amount;

const BLANK: Intent = {
  intentId: 'own',
  account: 'default',
  workflowId: 'flow',
  firstRunId: 'run',
  workflowType: 'refreshCase',
  step: 'refresh',
  ordinal: 1,
  once: null,
  operation: 'requestRefresh',
  subject: 'subject',
  flags: [],
  state: 'open',
  joined: null,
  reserved: amount(5_000),
  charged: null,
  amountSource: null,
  balanceAfter: null,
  requestId: null,
  metaRequestId: null,
  searchLogId: null,
  httpStatus: null,
  errorCode: null,
  reason: null,
  bodySha256: null,
  finalState: null,
  rawStatus: null,
  runningSeen: false,
  serviceOpenedAtMs: null,
  webhookExpected: false,
  openedAtMs: 1_000,
  settledAtMs: null,
  evidence: null,
};

export function makeIntent(change: Partial<Intent> = {}): Intent {
  return { ...BLANK, ...change };
}

export function makeKept(change: Partial<Intent> = {}, attemptToken: string | null = null): KeptIntent {
  return { intent: makeIntent(change), attemptToken, waiterKeys: [], budgetKey: null };
}
