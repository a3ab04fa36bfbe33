/** The results of the nights of a scheduled portfolio. */
import type { Client } from '@temporalio/client';
import type { RefreshPortfolioResult } from 'tramita/protocol';

export interface Night {
  readonly startedAt: string;
  readonly done: number;
  readonly failed: number;
  readonly remaining: number;
  readonly stoppedBy: string;
  readonly cost: string;
}

/** Newest last; nights that are still going on are left out. `tramita schedule add NAME` makes schedules under `tramita/NAME`. */
export async function readNights(client: Client, name: string): Promise<readonly Night[]> {
  const { info } = await client.schedule.getHandle(`tramita/${name}`).describe();
  const nights = await Promise.all(
    info.recentActions.map(async ({ takenAt, action }) => {
      const { workflowId, firstExecutionRunId } = action.workflow;
      const handle = client.workflow.getHandle(workflowId, firstExecutionRunId);
      if ((await handle.describe()).status.name !== 'COMPLETED') return [];
      const { done, failed, remaining, stoppedBy, spent } = (await handle.result()) as RefreshPortfolioResult;
      return [
        { startedAt: takenAt.toISOString(), done, failed, remaining, stoppedBy: stoppedBy ?? '', cost: spent.known },
      ];
    }),
  );
  return nights.flat();
}
