/**
 * Signals `wake` to flows that wait for a ledger row, and notes it in the inbox so that the relay does not signal again. A
 * flow that is gone needs none; one that could not be reached stays owed.
 */
import type { Client } from '@temporalio/client';
import { nameOfError, type ActivityDeps, type ActivityLog } from '../activities/index.js';
import { intentKey, type Inbox, type Wake } from '../inbox/index.js';
import { SIGNAL_WAKE } from '../protocol/index.js';

const WAKE_WITHIN_MS = 5_000;

export function createWake({
  client,
  inbox,
  log,
}: {
  readonly client: Client;
  readonly inbox: Pick<Inbox, 'markWoken'>;
  readonly log: ActivityLog;
}): ActivityDeps['wake'] {
  const signal = async (workflowId: string): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + WAKE_WITHIN_MS, () =>
        client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, { reason: 'settled' }),
      );
      return true;
    } catch (error) {
      const name = nameOfError(error);
      if (name.includes('WorkflowNotFoundError')) return true;
      log.warn({ error: name }, 'wake not delivered; the relay will');
      return false;
    }
  };
  return async (intent, workflowIds) => {
    const eventKey = intentKey(intent.joined ?? intent.intentId);
    const woken: Wake[] = [];
    for (const workflowId of new Set(workflowIds)) {
      if (await signal(workflowId)) woken.push({ eventKey, workflowId });
    }
    try {
      await inbox.markWoken(woken);
    } catch (error) {
      log.warn({ error: nameOfError(error) }, 'wakes not noted; the relay may signal again');
    }
  };
}
