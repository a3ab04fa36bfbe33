/** Is a history long enough for continue-as-new? By the server's word (4,096 events or 4 MB), or by count if it gives none. */
import type { WorkflowInfo } from '@temporalio/workflow';

const LONG_EVENTS = 4_000;

export function isLong({
  continueAsNewSuggested,
  historyLength,
}: Pick<WorkflowInfo, 'continueAsNewSuggested' | 'historyLength'>): boolean {
  return continueAsNewSuggested || historyLength >= LONG_EVENTS;
}
