/** Stands in for `history-length.ts` in bundles of tests: every few events are many, so that flows of few pages go on in new runs. */
import type { WorkflowInfo } from '@temporalio/workflow';

export function isLong({ historyLength }: Pick<WorkflowInfo, 'historyLength'>): boolean {
  return historyLength >= 15;
}
