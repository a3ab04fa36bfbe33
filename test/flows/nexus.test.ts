/** The flows as a Nexus service: a workflow in another namespace calls them through an endpoint, by the contract alone. */
import { randomBytes } from 'node:crypto';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connectClient } from '../../src/temporal-client/index.js';
import { wakeFlow } from '../../src/starters/index.js';
import { createWorker, TramitaPlugin } from '../../src/workers/index.js';
import { newCase } from '../support/case-number.js';
import { problemsBy } from '../support/schemas.js';
import { until } from '../support/until.js';
import * as callers from './nexus-caller.js';
import { addNamespace, temporal, withFlows } from './with-flows.js';

const ENDPOINT = `tramita-${randomBytes(4).toString('hex')}`;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const THEIRS = `theirs-${randomBytes(4).toString('hex')}`;

// Another namespace cannot read encrypted results, so a worker with payload keys does not serve Nexus.
describe('tramita as a Nexus service', () => {
  const flows = withFlows({ env: { TRAMITA_NEXUS: 'on' }, payloadKeys: '', sandbox: { coverageMs: 0 } });
  let theirs: Client;

  beforeAll(async () => {
    const connection = connectClient(temporal(''));
    await addNamespace(connection, THEIRS);
    await connection.operatorService.createNexusEndpoint({
      spec: { name: ENDPOINT, target: { worker: { namespace: 'default', taskQueue: flows.taskQueue } } },
    });
    const native = await NativeConnection.connect({ address: temporal('').address });
    const workflowsPath = require.resolve('./nexus-caller.ts');
    const worker = await Worker.create({
      connection: native,
      namespace: THEIRS,
      taskQueue: 'theirs',
      workflowsPath,
    });
    const running = worker.run();
    theirs = new Client({ connection, namespace: THEIRS });
    flows.atEnd(async () => {
      worker.shutdown();
      await running;
      await Promise.all([native.close(), connection.close()]);
    });
  });

  const call = <Args extends readonly unknown[], Result>(
    caller: (...args: Args) => Promise<Result>,
    ...args: Args
  ): Promise<WorkflowHandle<() => Promise<Result>>> =>
    theirs.workflow.start<() => Promise<Result>>(caller.name, {
      taskQueue: 'theirs',
      workflowId: `theirs-${randomBytes(4).toString('hex')}`,
      args: args as never,
    });
  const failure = async (...args: Parameters<typeof callers.failureOfOperation>): Promise<callers.FailedOperation> =>
    (await call(callers.failureOfOperation, ...args)).result();
  const paid = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;

  it('shares one run and one charge among equal operations, starts and callers', async () => {
    const cnj = newCase();
    // The flow waits until it is woken, so no caller comes too late to share it.
    const input = { cnj, webhook: '1h' };
    const handle = await flows.refresh(input);
    const isWaiting = async (): Promise<boolean> =>
      (await flows.progress(handle.workflowId)).waitingFor === 'the webhook of the service';
    await until(isWaiting, { what: 'the run to wait' });
    const caller = await call(callers.refreshTogether, ENDPOINT, [input, input]);
    const otherCaller = await call(callers.refreshTogether, ENDPOINT, [input]);
    const callersOf = async (): Promise<number> => {
      const { raw } = await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe();
      return raw.callbacks?.length ?? 0;
    };
    await until(async () => (await callersOf()) === 3, { what: 'all callers to share the run' });
    await wakeFlow(flows.client, handle.workflowId);
    const results = [...(await caller.result()), ...(await otherCaller.result())];
    const own = await handle.result();
    expect(own.status).toBe('done');
    expect(results).toEqual([own, own, own]);
    expect(await paid(cnj)).toBe(1);
    expect(await callersOf()).toBe(3);
    expect(problemsBy('refreshCase.result.json', results[0])).toEqual([]);
  });

  it('pays once under a `once` of the caller, also for operations one after the other', async () => {
    const cnj = newCase();
    const input = { cnj, once: `theirs-${cnj}` };
    const first = await (await call(callers.refreshTogether, ENDPOINT, [input])).result();
    const second = await (await call(callers.refreshTogether, ENDPOINT, [input])).result();
    expect([first[0]?.reused, second[0]?.reused]).toEqual([false, true]);
    expect(await paid(cnj)).toBe(1);
  });

  it('imports the list of a lawyer', async () => {
    const result = await (await call(callers.importList, ENDPOINT, 'SP:123456')).result();
    expect(result.cases).toBeGreaterThan(10);
    expect(problemsBy('importLawyerCases.result.json', result)).toEqual([]);
  });

  it('cancels the flow of a cancelled operation, whose charge stays', async () => {
    const cnj = '01234566120223000000'; // never ends
    const caller = await call(callers.refreshAndLetGo, ENDPOINT, { cnj });
    const id = `refresh.default.${cnj}`;
    await until(async () => (await flows.progress(id).catch(() => undefined))?.state === 'waiting', {
      what: 'the wait',
    });
    await caller.signal(callers.letGo);
    expect(await caller.result()).toBe('cancelled');
    expect((await flows.client.workflow.getHandle(id).describe()).status.name).toBe('CANCELLED');
    expect(await paid(cnj)).toBe(1);
  });

  it('passes on the type and the details of a failure', async () => {
    const refreshFailure = await failure(ENDPOINT, 'refreshCase', { cnj: '0010001-25.2024.5.02.0001' });
    expect(refreshFailure).toMatchObject({ operation: 'refreshCase', type: 'RefreshFailed' });
    expect(refreshFailure.message).toContain('NAO_ENCONTRADO');
    expect(refreshFailure.details).toMatchObject({ account: 'default', spent: { unknown: 0 } });
    expect(problemsBy('failure.json', refreshFailure.details)).toEqual([]);
  });

  it('refuses a wrong input and one that differs from the running flow, each with its own type', async () => {
    const wrong = await failure(ENDPOINT, 'refreshCase', { cnj: '1' });
    expect(wrong).toMatchObject({ type: 'InvalidInput' });
    expect(wrong.message).toContain('cnj');
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const { workflowId } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    const different = await failure(ENDPOINT, 'refreshCase', { cnj, documents: true });
    expect(different).toMatchObject({ type: 'DifferentInput' });
    expect(different.message).toContain(workflowId);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it("is served once by a user's own workers with the plugin, only on the queue that endpoints name", () => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(''), log });
    const served = (taskQueue: string): number =>
      plugin.configureWorker(plugin.configureWorker({ taskQueue })).nexusServices?.length ?? 0;
    expect([served(flows.taskQueue), served(`${flows.taskQueue}-charged`)]).toEqual([1, 0]);
  });

  it('is not served by a worker with payload keys', async () => {
    const { config } = flows;
    const keys = 'test:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=';
    await expect(createWorker({ config, temporal: temporal(keys), log })).rejects.toThrow(
      /^tramita: TRAMITA_NEXUS=on does not go with TRAMITA_PAYLOAD_KEYS/,
    );
  });
});
