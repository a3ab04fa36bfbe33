import { ApplicationFailure, CancelledFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { sql } from 'kysely';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { startShortWorker } from './short-waits.js';
import { withFlows } from './with-flows.js';

describe('cancelling a flow', () => {
  const flows = withFlows({ sandbox: { refreshMs: 60_000 } });

  it('during a charged call takes effect after the call has settled, so its work is recorded', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F8', everyMs: 60, bytes: 40 });
    const handle = await flows.refresh({ cnj });
    await until(async () => (await flows.charges()).some(({ subject }) => subject.cnj === cnj), {
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

  it('during its only call ends it as cancelled, and maxAge reuses the paid answer', async () => {
    const params = { cnj: newCase() };
    await flows.fault({ operation: 'getCase', fault: 'F8', everyMs: 60, bytes: 40 });
    const run = await flows.startPlain('callOperation', { operation: 'getCase', params });
    await until(async () => (await flows.charges()).some(({ subject }) => subject.cnj === params.cnj), {
      everyMs: 10,
      what: 'the charge',
    });
    await run.cancel();
    expect(await endOf(run)).toBeInstanceOf(CancelledFailure);
    const again = await flows.startPlain('callOperation', { operation: 'getCase', params, maxAge: '1h' });
    expect(await again.result()).toMatchObject({ status: 200, reused: true, spent: { known: '0', unknown: 0 } });
    expect(await flows.charges({ cnj: params.cnj })).toHaveLength(1);
  });

  it('during a call that the service refuses ends it as cancelled', async () => {
    const params = { cnj: '0000001-18.1999.8.01.0001' };
    // The answer drips for seconds, so that the cancellation comes before its end, also when this process pauses.
    await flows.fault({ operation: 'getCase', fault: 'F8', everyMs: 600, bytes: 10 });
    const run = await flows.startPlain('callOperation', { operation: 'getCase', params });
    const state = async () => {
      const row = flows.database.db
        .selectFrom('tramita.intent')
        .select('state')
        .where('workflow_id', '=', run.workflowId);
      return (await row.executeTakeFirst())?.state;
    };
    await until(async () => (await state()) === 'open', { everyMs: 10, what: 'the call' });
    await run.cancel();
    expect(await endOf(run)).toBeInstanceOf(CancelledFailure);
    expect(await state()).toBe('rejected');
  });

  it('while it waits ends it at once', async () => {
    const handle = await flows.refresh({ cnj: newCase(), webhook: true });
    await flows.waiting(handle.workflowId);
    await flows.client.workflow.getHandle(handle.workflowId).cancel();
    expect(await endOf(handle)).toBeInstanceOf(CancelledFailure);
  });

  it('leaves pending work that a second flow takes up without paying', async () => {
    const cnj = newCase();
    const first = await flows.refresh({ cnj, webhook: true });
    await flows.waiting(first.workflowId);
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
    expect(await flows.charges({ cnj })).toHaveLength(1);
    await flows.client.workflow.getHandle(second.workflowId).terminate('seen');
  });
});

async function endOf(handle: { result(): Promise<unknown> }): Promise<unknown> {
  return handle.result().then(
    () => 'a result',
    (error: unknown) => (error instanceof WorkflowFailedError ? error.cause : error),
  );
}

describe('flows that are cancelled while a person decides', () => {
  const flows = withFlows();

  it('end at once, and every decision gets an answer', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const params = { cnj: newCase() };
        await flows.fault({ operation: 'getCase', fault: 'F1', cnj: params.cnj });
        return (await flows.startPlain('callOperation', { operation: 'getCase', params })).workflowId;
      }),
    );
    for (const id of ids) {
      await until(async () => (await flows.progress(id)).state === 'parked', { what: `${id} to park` });
    }
    const begunMs = Date.now();
    // Both reach most of the flows in one workflow task.
    const answers = await Promise.allSettled(
      ids.flatMap((id) => {
        const flow = flows.client.workflow.getHandle(id);
        return [
          flow.cancel(),
          flow.executeUpdate('settleCharge', { args: [{ step: 'getCase', decision: 'abandon', by: 'ana' }] }),
        ];
      }),
    );
    const ends = await Promise.all(ids.map((id) => endOf(flows.client.workflow.getHandle(id))));
    const tookMs = Date.now() - begunMs;
    expect(ends.every((end) => end instanceof CancelledFailure || end instanceof ApplicationFailure)).toBe(true);
    // A dropped task is repeated only after ten seconds.
    expect(tookMs).toBeLessThan(8_000);
    const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason)] : []));
    expect(refusals.filter((reason) => reason.includes('failed state'))).toEqual([]);
  });
});

describe('a flow that is cancelled while a free call is under way', () => {
  const flows = withFlows({ sandbox: { coverageMs: 0 } });

  it.each([
    ['refreshPortfolio', 'portfolio_round', { name: 'cancelled', cases: [newCase()] }],
    ['importLawyerCases', 'lawyer_page', { oab: 'SP:123456' }],
  ])('ends as cancelled although the call lost its database connection: %s', async (type, table, input) => {
    const { db } = flows.database;
    await flows.database.holding(sql`lock table ${sql.table(`tramita.${table}`)}`, async () => {
      const run = await flows.startPlain(type, input);
      await until(async () => (await waiting(table).execute(db)).rows[0], { what: `a call to wait for ${table}` });
      await run.cancel();
      await until(() => isCancelRequested(run), { what: 'the cancellation to be requested' });
      const status = await until(
        async () => {
          // Repeated, because a statement that lost its connection is run once more.
          await sql`select pg_terminate_backend(pid) from (${waiting(table)}) as waiting`.execute(db);
          const { status } = await run.describe();
          return status.name === 'RUNNING' ? undefined : status.name;
        },
        { what: 'the flow to end' },
      );
      expect(status).toBe('CANCELLED');
    });
  });

  function waiting(table: string) {
    return sql`select pid from pg_locks where not granted and relation = ${`tramita.${table}`}::regclass`;
  }

  async function isCancelRequested(run: WorkflowHandle): Promise<boolean> {
    const { events } = await run.fetchHistory();
    return events?.some((event) => event.activityTaskCancelRequestedEventAttributes) === true;
  }
});

describe('a portfolio that is cancelled at the end of its run', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: 60_000 } });
  beforeAll(() => startShortWorker(flows, { './parts/portfolio-shifts.js': 'short-shifts.ts' }));

  it('does not go on in a new run', async () => {
    const cases = [newCase()];
    const run = await flows.startPlain('refreshPortfolio', { name: 'cancelled', cases });
    await until(async () => (await flows.charges()).length > 0, { what: 'its first refresh' });
    // The dispatcher learns of the cancellation by a heartbeat. A shift that ends earlier returns a result.
    await run.cancel();
    const status = await until(
      async () => {
        const { status } = await flows.client.workflow.getHandle(run.workflowId).describe();
        return status.name === 'RUNNING' ? undefined : status.name;
      },
      { what: 'the flow to end' },
    );
    expect(status).toBe('CANCELLED');
    await flows.client.workflow.getHandle(`refresh.default.${cases[0]}`).terminate('seen');
  });
});
