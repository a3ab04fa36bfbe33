/** Signals `wake`: a hint. A flow that is gone needs none, and a lost one is covered by the flow's own timers. */
import type { Client } from '@temporalio/client';
import { describeError, type ActivityDeps, type ActivityLog } from '../activities/index.js';
import { SIGNAL_WAKE } from '../protocol/index.js';

const WAKE_WITHIN_MS = 5_000;

export function createWake(client: Client, log: ActivityLog): ActivityDeps['wake'] {
  return async (workflowIds, reason) => {
    for (const workflowId of new Set(workflowIds)) {
      try {
        await client.withDeadline(Date.now() + WAKE_WITHIN_MS, () =>
          client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, { reason }),
        );
      } catch (error) {
        const name = describeError(error);
        if (!name.includes('WorkflowNotFoundError')) log.warn({ reason, error: name }, 'wake not delivered');
      }
    }
  };
}
