/** The parking lot itself, in a small flow of its own. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { settleCharge } from '../../src/starters/index.js';
import { until } from '../support/until.js';
import { temporal, withFlows } from './with-flows.js';

describe('a decision that the ledger refuses while its flow looks by itself', () => {
  const flows = withFlows({ worker: false });
  const taskQueue = `two-places-${randomUUID()}`;
  const recordDecision = (): never => {
    throw ApplicationFailure.nonRetryable('the charge is settled', 'InvalidInput');
  };
  beforeAll(async () => {
    const connection = await NativeConnection.connect({ address: temporal().address });
    const workflowsPath = join(__dirname, 'two-places.ts');
    const worker = await Worker.create({ connection, taskQueue, workflowsPath, activities: { recordDecision } });
    const running = worker.run();
    flows.atEnd(async () => {
      worker.shutdown();
      await running;
      await connection.close();
    });
  });

  it('does not end the wait at the next place, where only a person may', async () => {
    const workflowId = `two-places-${randomUUID()}`;
    const handle = await flows.client.workflow.start('twoPlaces', { taskQueue, workflowId });
    const hasLooked = async (): Promise<boolean> => {
      const events = (await handle.fetchHistory()).events ?? [];
      const isFired = events.some((event) => Boolean(event.timerFiredEventAttributes));
      return isFired && Boolean(events.at(-1)?.workflowTaskCompletedEventAttributes);
    };
    await until(hasLooked, { what: 'the look by itself' });
    const decision = { step: 'getSummary', decision: 'not-charged', by: 'ana' } as const;
    await expect(settleCharge(flows.client, workflowId, decision)).rejects.toThrow();
    await handle.signal('looked');
    expect(await handle.result()).toBe('timer');
  });
});
