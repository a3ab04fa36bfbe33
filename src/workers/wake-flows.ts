/**
 * Signals `wake` to flows that wait for a ledger row, and notes it in the inbox so that nobody signals again. A flow that is
 * gone needs none; one that could not be reached stays owed, and the relay round delivers it (also where no bridge runs).
 */
import type { Client } from '@temporalio/client';
import { nameOfError, type ActivityDeps, type ActivityLog } from '../activities/index.js';
import { intentKey, type Inbox, type Wake } from '../inbox/index.js';
import { SIGNAL_WAKE } from '../protocol/index.js';

const WAKE_WITHIN_MS = 5_000;
/** The one that caused a wake signals it at once; what is older was lost in a crash or while Temporal was away. */
const RELAY_OLDER_THAN_MS = 20_000;
const RELAY_AT_MOST = 5;

export interface Waker {
  readonly wake: ActivityDeps['wake'];
  /** Delivers owed wakes; returns how many. */
  readonly relay: () => Promise<number>;
}

export function createWaker({
  client,
  inbox,
  log,
}: {
  readonly client: Client;
  readonly inbox: Pick<Inbox, 'markWoken' | 'takeUnwoken'>;
  readonly log: ActivityLog;
}): Waker {
  /** True when the flow was signalled or is gone. */
  const signal = async (workflowId: string, reason: string): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + WAKE_WITHIN_MS, () =>
        client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, { reason }),
      );
      return true;
    } catch (error) {
      const name = nameOfError(error);
      if (name.includes('WorkflowNotFoundError')) return true;
      log.warn({ error: name }, 'wake not delivered yet');
      return false;
    }
  };
  const deliver = async (wakes: readonly Wake[], reason: string): Promise<readonly Wake[]> => {
    const delivered: Wake[] = [];
    for (const wake of wakes) {
      if (await signal(wake.workflowId, reason)) delivered.push(wake);
    }
    return delivered;
  };
  return {
    wake: async (intent, workflowIds) => {
      const eventKey = intentKey(intent.joined ?? intent.intentId);
      const wakes = [...new Set(workflowIds)].map((workflowId) => ({ eventKey, workflowId }));
      try {
        await inbox.markWoken(await deliver(wakes, 'settled'));
      } catch (error) {
        log.warn({ error: nameOfError(error) }, 'wakes not noted; the relay may signal again');
      }
    },
    relay: () =>
      inbox.takeUnwoken({ limit: RELAY_AT_MOST, olderThanMs: RELAY_OLDER_THAN_MS }, (wakes) => deliver(wakes, 'relay')),
  };
}
