/** Replaces `history-length.ts` in bundles of tests: a few events count as many, so flows of few pages continue in new runs. */
import type { WorkflowInfo } from '@temporalio/workflow';

export function isLong({ historyLength }: Pick<WorkflowInfo, 'historyLength'>): boolean {
  return historyLength >= 15;
}
