/**
 * Ledger row → what the flow gets. Pure. The row is the authority: the same row gives the same outcome to the attempt that
 * settled it, to a reset that asks again, and to another flow that joined it.
 */
import { formatAmount, goesByStatus, isAboutBalance, present } from '../../contract/index.js';
import { chargedOf, isAdopted, isAnswerDropped, isProvenPaid, type Intent } from '../../ledger/index.js';
import type { CallFacts, CallOutcome, PendingPlan, Reading, RefreshReading } from '../../protocol/index.js';
import type { LedgerDeps } from '../deps.js';

interface OutcomeContext {
  /** The row that this row joined; this row itself if it joined none. */
  readonly source: Intent;
  /** Reading of the stored answer; needed if the row is `done` and is not a refresh. */
  readonly reading?: Reading | undefined;
  readonly plan: Omit<PendingPlan, 'sinceMs'>;
  /** What only the call itself knows and the row does not keep. */
  readonly retryAfterMs?: number | null;
}

export const NO_PLAN: OutcomeContext['plan'] = {
  hintMs: null,
  webhookExpected: false,
  patienceMs: 0,
  eventSeen: false,
};

/** Task queue for polls of the account, as a part of the plan. */
export function pollQueueOf(deps: Pick<LedgerDeps, 'pollQueueOf'>, account: string): Pick<PendingPlan, 'pollQueue'> {
  return present({ pollQueue: deps.pollQueueOf(account) });
}

export function outcomeOfIntent(intent: Intent, context: OutcomeContext): CallOutcome {
  const facts = factsOf(intent, context.source);
  switch (intent.state) {
    case 'done': {
      const reading = readingOfRow(intent, context);
      return reading === undefined
        ? { ...facts, outcome: 'CHARGED_LOST', reason: missingReason(context.source) }
        : { ...facts, outcome: 'DONE', reading };
    }
    case 'pending':
      return { ...facts, outcome: 'PENDING', ...context.plan, sinceMs: context.source.openedAtMs };
    case 'rejected':
      return {
        ...facts,
        outcome: 'REJECTED',
        ...known({ retryAfterMs: context.retryAfterMs }),
        aboutBalance: saysBalance(intent),
      };
    case 'not_sent':
      return { ...facts, outcome: 'NOT_SENT' };
    case 'charged_lost':
      return { ...facts, outcome: 'CHARGED_LOST', ...decided(intent) };
    case 'closed':
      return { ...facts, ...closedOutcome(intent) };
    case 'open':
    case 'unknown':
      return {
        ...facts,
        outcome: 'UNKNOWN',
        ...(context.source.reserved > 0 ? { reserved: formatAmount(context.source.reserved) } : {}),
        ...(intent.evidence?.['lost'] === true ? { ledgerLost: true } : {}),
      };
  }
}

function saysBalance({ httpStatus, errorCode, reason }: Intent): boolean {
  return isAboutBalance(httpStatus ?? 0, { fromService: true, ...known({ code: errorCode, reason }) });
}

/** A call that a person has abandoned ends as what it was; any other closed call is sent again. */
function closedOutcome(intent: Intent) {
  if (intent.evidence?.['decision'] !== 'abandon') {
    return { outcome: 'NOT_SENT', ...decided(intent), ...chargeRisk(intent) } as const;
  }
  return { outcome: intent.evidence['was'] === 'charged_lost' ? 'CHARGED_LOST' : 'UNKNOWN', decided: true } as const;
}

/** The call is repeated although nothing proves that it was free, so the ledger keeps its reserve. */
function chargeRisk({ evidence, charged, reserved }: Intent): { mayBeCharged?: true } {
  return evidence?.['decision'] === 'repeat' && charged === null && reserved > 0 ? { mayBeCharged: true } : {};
}

function missingReason(source: Intent): string {
  return isAnswerDropped(source)
    ? 'the answer was paid for, and retention or an erasure has deleted it'
    : 'the stored answer is not what the operation promises';
}

/** The row itself records how its refresh ended, so no stored answer is needed. */
export function tellsItsEnd({ operation, finalState }: Intent): boolean {
  return goesByStatus(operation) && finalState !== null;
}

/** A refresh that has ended adds its end to the reading that a view asked for. */
function readingOfRow(intent: Intent, { source, reading }: OutcomeContext): Reading | undefined {
  if (!tellsItsEnd(intent)) return reading;
  return { ...reading, ...refreshReading(intent, source) };
}

/** A person or evidence has decided it: there is nothing left to wait for. */
function decided(intent: Intent): { decided?: true } {
  return intent.evidence?.['decision'] === undefined ? {} : { decided: true };
}

function factsOf(intent: Intent, source: Intent): CallFacts {
  const charged = chargedOf(intent);
  return {
    intentId: intent.intentId,
    openedAtMs: intent.openedAtMs,
    charged: charged === null ? null : formatAmount(charged),
    reused: intent.joined !== null,
    ...(intent.joined === source.intentId ? { madeBy: source.workflowId } : {}),
    settled: true,
    ...known({
      amountSource: intent.amountSource === 'told' ? null : intent.amountSource,
      status: intent.httpStatus,
      errorCode: intent.errorCode,
      reason: intent.reason,
      requestId: intent.requestId,
      metaRequestId: intent.metaRequestId,
      searchLogId: intent.searchLogId,
      // When the work itself ended: a row that joined it is settled a moment later.
      settledAtMs: source.settledAtMs ?? intent.settledAtMs,
    }),
    ...(isAdopted(intent) ? { adopted: true as const } : {}),
    ...(isProvenPaid(source) ? { provenPaid: true as const } : {}),
  };
}

function refreshReading(intent: Intent, source: Intent): RefreshReading {
  return {
    state: intent.finalState === 'empty' || intent.finalState === 'failed' ? intent.finalState : 'done',
    rawStatus: intent.rawStatus,
    finishedAtMs: source.settledAtMs ?? intent.settledAtMs ?? source.openedAtMs,
    serviceTimeMs: numberOf(source.evidence?.['serviceTimeMs']),
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** The columns that are neither null nor undefined. */
function known<Columns extends object>(columns: Columns) {
  const entries = Object.entries(columns).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { readonly [Key in keyof Columns]?: NonNullable<Columns[Key]> };
}
