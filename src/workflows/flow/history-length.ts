/**
 * Is a history long enough for continue-as-new? The server says so (at 4,096 events or 4 MB); by count for a server that does
 * not.
 */
import type { WorkflowInfo } from '@temporalio/workflow';

const LONG_EVENTS = 4_000;

export function isLong({
  continueAsNewSuggested,
  historyLength,
}: Pick<WorkflowInfo, 'continueAsNewSuggested' | 'historyLength'>): boolean {
  return continueAsNewSuggested || historyLength >= LONG_EVENTS;
}
