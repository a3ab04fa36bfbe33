/**
 * Names of the advisory locks of the ledger. Whoever changes a row holds the lock of its subject; whoever opens one also
 * holds the locks of everything that the decision rests on. Waiter keys are lock names themselves (see the inbox). Pure.
 */

export function subjectLock(call: {
  readonly account: string;
  readonly operation: string;
  readonly subject: string;
}): string {
  return `subject:${call.account}/${call.operation}/${call.subject}`;
}

export function stepLock(key: {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly step: string;
  readonly ordinal: number;
}): string {
  return `step:${JSON.stringify([key.workflowId, key.firstRunId, key.step, key.ordinal])}`;
}

export function onceLock(key: {
  readonly account: string;
  readonly workflowType: string;
  readonly once: string;
  readonly step: string;
}): string {
  return `once:${JSON.stringify([key.account, key.workflowType, key.once, key.step])}`;
}

/** Caps of the whole account: one opening after the other, or two would fit into the same remainder. */
export function accountBudgetLock(account: string): string {
  return `budget:${account}`;
}

/** A cap that flows share. */
export function sharedBudgetLock(key: string): string {
  return `budget:shared/${JSON.stringify(key)}`;
}

export function flowBudgetLock(run: { readonly workflowId: string; readonly firstRunId: string }): string {
  return `budget:${JSON.stringify([run.workflowId, run.firstRunId])}`;
}
