import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

describe('cancelling a refresh', () => {
  const flows = withFlows({ sandbox: { refreshMs: 60_000 } });

  it('in the middle of the charged call takes effect after the call has settled: nothing paid is forgotten', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F8', everyMs: 60, bytes: 40 });
    const handle = await flows.refresh({ cnj });
    await until(async () => ((await flows.charges()).some(({ subject }) => subject.cnj === cnj) ? true : undefined), {
      everyMs: 10,
      what: 'the charge',
    });
    await flows.client.workflow.getHandle(handle.workflowId).cancel();
    expect(await endOf(handle)).toBeInstanceOf(CancelledFailure);
    const row = await flows.database.db
      .selectFrom('tramita.intent')
      .select(['state', 'request_id'])
      .where('workflow_id', '=', handle.workflowId)
      .executeTakeFirstOrThrow();
    expect(row.state).toBe('pending');
    expect(row.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('while it waits ends it at once', async () => {
    const handle = await flows.refresh({ cnj: newCase(), webhook: true });
    await until(async () => ((await flows.progress(handle.workflowId)).state === 'waiting' ? true : undefined), {
      what: 'the wait',
    });
    await flows.client.workflow.getHandle(handle.workflowId).cancel();
    expect(await endOf(handle)).toBeInstanceOf(CancelledFailure);
  });

  it('a second flow takes up the pending work that the cancelled one left, without paying', async () => {
    const cnj = newCase();
    const first = await flows.refresh({ cnj, webhook: true });
    await until(async () => ((await flows.progress(first.workflowId)).state === 'waiting' ? true : undefined), {
      what: 'the wait',
    });
    await flows.client.workflow.getHandle(first.workflowId).cancel();
    await endOf(first);
    const second = await flows.refresh({ cnj, webhook: true }, { workflowId: `again-${cnj}` });
    const progress = await until(
      async () => {
        const seen = await flows.progress(second.workflowId);
        return seen.state === 'waiting' ? seen : undefined;
      },
      { what: 'the second wait' },
    );
    expect(progress.steps).toMatchObject([{ outcome: 'PENDING', amount: '0' }]);
    expect((await flows.charges()).filter(({ subject }) => subject.cnj === cnj)).toHaveLength(1);
    await flows.client.workflow.getHandle(second.workflowId).terminate('seen');
  });

  async function endOf(handle: { result(): Promise<unknown> }): Promise<unknown> {
    return handle.result().then(
      () => 'a result',
      (error: unknown) => (error instanceof WorkflowFailedError ? error.cause : error),
    );
  }
});
