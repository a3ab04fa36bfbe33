/**
 * Writes a lost row again, from a witness: a journal, or the flow that made the call. A row that exists, under its id or at its
 * step, is left alone. Nothing here decides a charge: the row is `unknown`, or `pending` if the request id is known, until an
 * answer, evidence or a person says more.
 */
import { withLocks, type Database } from '../store/index.js';
import { findAtStep, findIntent } from './read-intents.js';
import { insertIntent } from './insert-intent.js';
import type { KeptIntent } from './intent-row.js';
import type { JournalEntry } from './journal/journal-entry.js';
import { stepLock, subjectLock } from './lock-names.js';
import { BLANK_INTENT, type Intent } from './intent.js';
import type { CallOfFlow } from './lost-attempt.js';
import { keyOf } from './new-intent.js';
import type { Settlement } from './settlement.js';

export type Witness = 'journal' | 'flow' | 'history';

export interface LostRow {
  readonly call: JournalEntry;
  readonly witness: Witness;
  /** The service accepted it: pending instead of unknown. */
  readonly requestId?: string | undefined;
}

/** Returns the row that the step has now. */
export function restoreRow(db: Database, { call, witness, requestId }: LostRow, nowMs: number): Promise<Intent> {
  return withLocks(db, [stepLock(call), subjectLock(call), ...call.waiterKeys], async (trx) => {
    const existing = (await findIntent(trx, call.intentId)) ?? (await findAtStep(trx, call));
    if (existing !== undefined) return existing;
    const row = buildLost({ call, witness, requestId }, nowMs);
    await insertIntent(trx, { row, nowMs });
    return row.intent;
  });
}

/**
 * True if the answer of a lost call applies to the row that its step has now. Another attempt may have written that row and may
 * have paid: that nothing was charged holds only for the lost call, unless the row was written to replace it. Pure.
 */
export function saysSomethingOf(row: Intent, { intentId }: Pick<Intent, 'intentId'>, { state }: Settlement): boolean {
  if (row.intentId === intentId || (state !== 'not_sent' && state !== 'rejected')) return true;
  return state === 'rejected' && row.evidence?.['ledgerLost'] === true;
}

/** Pure. */
export function buildLost({ call, witness, requestId }: LostRow, nowMs: number): KeptIntent {
  const { waiterKeys, budgetKey, ...facts } = call;
  const intent: Intent = {
    ...BLANK_INTENT,
    ...facts,
    state: requestId === undefined ? 'unknown' : 'pending',
    requestId: requestId ?? null,
    reason: 'the ledger had lost this row',
    evidence: { lost: true, witness, restoredAt: new Date(nowMs).toISOString() },
  };
  return { intent, attemptToken: null, waiterKeys, budgetKey };
}

/** The journal entry of a call that its flow knows. Pure. */
export function toLostCall(
  call: CallOfFlow & { readonly intentId: string; readonly openedAtMs: number },
): Omit<JournalEntry, 'subject' | 'reserved'> {
  const { account, operation, workflowType, flags, once, waiterKeys, intentId, openedAtMs } = call;
  return {
    ...keyOf(call),
    account,
    operation,
    workflowType,
    flags,
    once,
    waiterKeys,
    intentId,
    openedAtMs,
    budgetKey: null,
    webhookExpected: false,
  };
}
