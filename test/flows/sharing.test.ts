import { defaultPayloadConverter } from '@temporalio/common';
import { Client } from '@temporalio/client';
import {
  settleCharge,
  startReadCase,
  startRefreshCase,
  startSummarizeCase,
  wakeFlow,
} from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

describe('the sharing of equal work', () => {
  const flows = withFlows({ sandbox: { refreshMs: 1_500 } });
  const chargesOf = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;
  /** The input of a run that still waits when another start comes seconds later. */
  const waitingInput = () => ({ cnj: newCase(), webhook: '1h' });

  it('makes one run of two starts at once under the default id', async () => {
    const cnj = newCase();
    const [first, second] = await Promise.all([flows.refresh({ cnj }), flows.refresh({ cnj })]);
    expect(first.runId).toBe(second.runId);
    await Promise.all([first.result(), second.result()]);
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('lets the second of two flows under different ids join the call of the first', async () => {
    const cnj = newCase();
    const runs = await Promise.all([
      flows.refresh({ cnj }, { workflowId: `a-${cnj}` }),
      flows.refresh({ cnj }, { workflowId: `b-${cnj}` }),
    ]);
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results.map(({ spent }) => spent.known).sort()).toEqual(['0', '0.1']);
    expect(results.map(({ reused }) => reused).sort()).toEqual([false, true]);
    expect(await chargesOf(cnj)).toBe(1);
  });

  it.concurrent('buys the refresh and its list of documents once for three flows under different ids', async () => {
    for (let round = 0; round < 5; round += 1) {
      const cnj = newCase();
      const runs = await Promise.all(
        ['a', 'b', 'c'].map((id) => flows.refresh({ cnj, documents: true }, { workflowId: `${id}-${cnj}` })),
      );
      const results = await Promise.all(runs.map((run) => run.result()));
      const spent = results.reduce((sum, result) => sum + Math.round(Number(result.spent.known) * 10_000), 0);
      expect(spent).toBe(3_000);
      const charges = await flows.charges({ cnj });
      expect(charges.map(({ operation }) => operation).sort()).toEqual(['listPublicDocuments', 'requestRefresh']);
    }
  });

  it.concurrent('buys a lost list for none of three flows again, and one decision ends all of them', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'listPublicDocuments', fault: 'F6', cnj });
    const runs = await Promise.all(
      ['a', 'b', 'c'].map((id) => flows.refresh({ cnj, documents: true }, { workflowId: `${id}-${cnj}` })),
    );
    const parked = await Promise.all(runs.map(({ workflowId }) => flows.parked(workflowId)));
    expect(parked.map(({ attention }) => attention)).toEqual(['charged-lost', 'charged-lost', 'charged-lost']);
    const { workflow_id: buyer } = await flows.database.db
      .selectFrom('tramita.intent')
      .select('workflow_id')
      .where('state', '=', 'charged_lost')
      .where('joined', 'is', null)
      .executeTakeFirstOrThrow();
    const decision = { step: 'listPublicDocuments/1', decision: 'abandon', by: 'ana' } as const;
    await settleCharge(flows.client, buyer, decision);
    const failures = await Promise.all(runs.map((run) => failureOf(run)));
    expect(failures.map(({ type }) => type)).toEqual(['ChargedLost', 'ChargedLost', 'ChargedLost']);
    expect(await chargesOf(cnj)).toBe(2);
  });

  it.concurrent('does not include a read that another flow sent before the summary was made', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'getSummary', fault: 'F7', ms: 8_000, cnj });
    const reader = await startReadCase(flows.deps, { cnj, include: ['summary'] });
    const stateOfRead = async (): Promise<string | undefined> => {
      const row = await flows.database.db
        .selectFrom('tramita.intent')
        .select('state')
        .where('workflow_id', '=', reader.workflowId)
        .where('operation', '=', 'getSummary')
        .executeTakeFirst();
      return row?.state;
    };
    await until(async () => (await stateOfRead()) === 'open', { what: 'the read that is under way' });
    const { receipts } = await (await startSummarizeCase(flows.deps, { cnj, webhook: false })).result();
    expect(await stateOfRead()).toBe('open');
    const read = receipts.find(({ operation }) => operation === 'getSummary');
    expect(read).toMatchObject({ outcome: 'DONE' });
    expect(read?.amount).not.toBe('0');
    await reader.result().catch(() => undefined);
  });

  it.concurrent('does not extend to a start after the other flow has ended', async () => {
    const cnj = newCase();
    await (await flows.refresh({ cnj }, { workflowId: `before-${cnj}` })).result();
    const result = await (await flows.refresh({ cnj }, { workflowId: `after-${cnj}` })).result();
    expect(result).toMatchObject({ reused: false, spent: { known: '0.1' } });
    expect(await chargesOf(cnj)).toBe(2);
  });

  it('looks at the input of a run only when a start finds a run', async () => {
    const calls: string[] = [];
    const client = new Client({
      connection: flows.client.connection,
      namespace: flows.client.options.namespace,
      dataConverter: flows.client.options.dataConverter,
      interceptors: {
        workflow: [
          {
            describe: (input, next) => {
              calls.push('describe');
              return next(input);
            },
            startWithDetails: (input, next) => {
              calls.push('start');
              return next(input);
            },
          },
        ],
      },
    });
    const input = waitingInput();
    const first = await startRefreshCase({ ...flows.deps, client }, input);
    // `describe` looks for a run with the id of an older version.
    expect(calls.splice(0)).toEqual(['describe', 'start']);
    const second = await startRefreshCase({ ...flows.deps, client }, input);
    expect(calls).toEqual(['describe', 'start', 'start', 'describe']);
    expect(second.runId).toBe(first.runId);
    await flows.client.workflow.getHandle(first.workflowId).terminate('seen');
  });

  it('gives its result to a start that joined a reset run, also after another reset', async () => {
    const input = waitingInput();
    const first = await flows.refresh(input);
    const waitUntilWaiting = (): Promise<unknown> =>
      until(async () => (await flows.progress(first.workflowId)).state === 'waiting', { what: 'the wait' });
    await waitUntilWaiting();
    await flows.resetToFirstTask({ workflowId: first.workflowId });
    await waitUntilWaiting();
    const joined = await flows.refresh(input);
    expect(joined.runId).not.toBe(first.runId);
    const ends = Promise.all([first.result(), joined.result()]);
    await flows.resetToFirstTask({ workflowId: first.workflowId });
    await waitUntilWaiting();
    await wakeFlow(flows.client, first.workflowId);
    expect(await ends).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(await chargesOf(input.cnj)).toBe(1);
  });

  it('refuses a start under the id of a run with different input', async () => {
    const input = waitingInput();
    const handle = await flows.refresh(input);
    await expect(flows.refresh({ ...input, documents: true })).rejects.toMatchObject({
      name: 'DifferentInput',
      workflowId: handle.workflowId,
    });
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('joins a run that was started by plain JSON only when its input is equal', async () => {
    const input = waitingInput();
    const workflowId = `refresh.default.${input.cnj}`;
    const plain = await flows.client.workflow.start('refreshCase', {
      workflowId,
      taskQueue: flows.deps.taskQueue,
      args: [{ ...input, documents: false }],
    });
    await expect(flows.refresh({ ...input, documents: true })).rejects.toMatchObject({
      name: 'DifferentInput',
      workflowId,
    });
    expect((await flows.refresh(input)).runId).toBe(plain.firstExecutionRunId);
    await plain.terminate('seen');
  });

  it('pays nothing again after a workflow reset', async () => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj, documents: true });
    await handle.result();
    const before = await flows.charges();
    const again: unknown = await (await flows.resetToFirstTask(handle)).result();
    expect(again).toMatchObject({ status: 'done', spent: { known: '0.3', unknown: 0 } });
    expect(await flows.charges()).toEqual(before);
  });

  it.concurrent('pays nothing again when the activity of a charged call is reset or completed by hand', async () => {
    const { workflowService } = flows.client;
    const interventions: readonly ((workflowId: string) => Promise<unknown>)[] = [
      (workflowId) =>
        workflowService.resetActivity({ namespace: 'default', execution: { workflowId }, type: 'requestRefresh' }),
      async (workflowId) => {
        const { raw } = await flows.client.workflow.getHandle(workflowId).describe();
        const activityId = raw.pendingActivities?.[0]?.activityId ?? '';
        const result = { payloads: [defaultPayloadConverter.toPayload({ outcome: 'DONE' })] };
        await workflowService.respondActivityTaskCompletedById({
          namespace: 'default',
          workflowId,
          activityId,
          result,
        });
      },
    ];
    const ends = interventions.map(async (intervene) => {
      const cnj = newCase();
      await flows.fault({ operation: 'requestRefresh', fault: 'F8', everyMs: 100, bytes: 16, cnj });
      const handle = await flows.refresh({ cnj });
      await until(async () => (await chargesOf(cnj)) === 1, { what: 'the charge', everyMs: 10 });
      await intervene(handle.workflowId).catch(() => undefined);
      const end = await until(
        async () => {
          const { state, attention } = await flows.progress(handle.workflowId);
          if (state === 'done') return 'done';
          return state === 'parked' ? String(attention) : undefined;
        },
        { withinMs: 200_000, what: 'the flow to end or park' },
      );
      return [end, await chargesOf(cnj)];
    });
    const [reset, completed] = await Promise.all(ends);
    expect([
      ['done', 1],
      ['unknown-charge', 1],
    ]).toContainEqual(reset);
    expect(completed).toEqual(['done', 1]);
  });

  describe('with once', () => {
    it('a repeated start reuses every step already paid', async () => {
      const cnj = newCase();
      const input = { cnj, documents: true, once: `order-${cnj}` };
      await (await flows.refresh(input)).result();
      const again = await (await flows.refresh(input)).result();
      expect(again).toMatchObject({ reused: true, spent: { known: '0', unknown: 0 } });
      expect(await chargesOf(cnj)).toBe(2);
    });

    it('after a failure only the unpaid steps are paid', async () => {
      const cnj = newCase();
      const input = { cnj, documents: true, once: `order-${cnj}` };
      await flows.fault({
        operation: 'listPublicDocuments',
        fault: 'status',
        status: 404,
        body: { error: { code: 'NOT_READY', message: 'x' } },
      });
      expect(await failureOf(await flows.refresh(input))).toMatchObject({ type: 'NotFound' });
      expect(await chargesOf(cnj)).toBe(1);
      const again = await (await flows.refresh(input)).result();
      expect(again).toMatchObject({ status: 'done', spent: { known: '0.2', unknown: 0 } });
      expect(await chargesOf(cnj)).toBe(2);
    });

    it('after the run is deleted nothing is paid again', async () => {
      const cnj = newCase();
      const input = { cnj, once: `order-${cnj}` };
      const handle = await flows.refresh(input);
      await handle.result();
      await flows.client.workflowService.deleteWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: handle.workflowId },
      });
      await until(() => isGone(handle.workflowId), {
        what: 'the run to be deleted',
      });
      const again = await (await flows.refresh(input, { workflowId: `again-${cnj}` })).result();
      expect(again).toMatchObject({ reused: true });
      expect(await chargesOf(cnj)).toBe(1);
    });

    it('refuses the same key for another case', async () => {
      const [first, second] = [newCase(), newCase()];
      await (await flows.refresh({ cnj: first, once: `order-${first}` })).result();
      const failure = await failureOf(await flows.refresh({ cnj: second, once: `order-${first}` }));
      expect(failure).toMatchObject({ type: 'InvalidInput' });
      expect(await chargesOf(second)).toBe(0);
    });
  });

  async function isGone(workflowId: string): Promise<boolean> {
    try {
      await flows.client.workflow.getHandle(workflowId).describe();
      return false;
    } catch {
      return true;
    }
  }
});
