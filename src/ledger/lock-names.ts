/**
 * Names of the advisory locks of the ledger. A change of a row holds the lock of its subject; an opening also
 * holds the locks of everything that the decision rests on. Waiter keys are lock names themselves (see the inbox). Pure.
 */
import type { StepKey } from '../protocol/index.js';
import type { Intent } from './intent.js';

export function subjectLock({
  account,
  operation,
  subject,
}: Pick<Intent, 'account' | 'operation' | 'subject'>): string {
  return `subject:${account}/${operation}/${subject}`;
}

export function stepLock({ workflowId, firstRunId, step, ordinal }: StepKey): string {
  return `step:${JSON.stringify([workflowId, firstRunId, step, ordinal])}`;
}

export function onceLock(key: Pick<Intent, 'account' | 'workflowType' | 'step'> & { readonly once: string }): string {
  return `once:${JSON.stringify([key.account, key.workflowType, key.once, key.step])}`;
}

/** One worker at a time moves rows to the archive or deletes answers. */
export const ARCHIVE_LOCK = 'ledger archive';

/** For limits of the whole account: without it, two openings could use up the same remainder. */
export function accountBudgetLock(account: string): string {
  return `budget:${account}`;
}

/** A cap that flows share. */
export function sharedBudgetLock(key: string): string {
  return `budget:shared/${JSON.stringify(key)}`;
}

export function flowBudgetLock({ workflowId, firstRunId }: StepKey): string {
  return `budget:${JSON.stringify([workflowId, firstRunId])}`;
}
