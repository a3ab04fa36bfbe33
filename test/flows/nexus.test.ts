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

// Encrypted results are of no use to another namespace: a worker with payload keys does not serve the service.
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
  }, 60_000);

  const call = <Args extends readonly unknown[], Result>(
    caller: (...args: Args) => Promise<Result>,
    ...args: Args
  ): Promise<WorkflowHandle<() => Promise<Result>>> =>
    theirs.workflow.start<() => Promise<Result>>(caller.name, {
      taskQueue: 'theirs',
      workflowId: `theirs-${randomBytes(4).toString('hex')}`,
      args: args as never,
    });
  const failure = async (...args: Parameters<typeof callers.failureOfOperation>): Promise<callers.Told> =>
    (await call(callers.failureOfOperation, ...args)).result();
  const paid = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;

  it('operations, starters and another caller that ask for the same share one run and one charge', async () => {
    const cnj = newCase();
    // It waits until it is woken: nobody comes too late to share it.
    const input = { cnj, webhook: '1h' };
    const handle = await flows.refresh(input);
    const isWaiting = async (): Promise<boolean> =>
      (await flows.progress(handle.workflowId)).waitingFor === 'the webhook of the service';
    await until(isWaiting, { what: 'the run to wait' });
    const one = await call(callers.refreshTogether, ENDPOINT, [input, input]);
    const other = await call(callers.refreshTogether, ENDPOINT, [input]);
    const callersOf = async (): Promise<number> => {
      const { raw } = await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe();
      return raw.callbacks?.length ?? 0;
    };
    await until(async () => (await callersOf()) === 3, { what: 'all callers to share the run' });
    await wakeFlow(flows.client, handle.workflowId);
    const results = [...(await one.result()), ...(await other.result())];
    const own = await handle.result();
    expect(own.status).toBe('done');
    expect(results).toEqual([own, own, own]);
    expect(await paid(cnj)).toBe(1);
    expect(await callersOf()).toBe(3);
    expect(problemsBy('refreshCase.result.json', results[0])).toEqual([]);
  });

  it('a key of the caller pays once, also across operations that are not on their way together', async () => {
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

  it('a cancelled operation cancels its flow, and what it has paid for stays for the next', async () => {
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

  it('a failure tells its type and its details', async () => {
    const told = await failure(ENDPOINT, 'refreshCase', { cnj: '0010001-25.2024.5.02.0001' });
    expect(told).toMatchObject({ operation: 'refreshCase', type: 'RefreshFailed' });
    expect(told.message).toContain('NAO_ENCONTRADO');
    expect(told.details).toMatchObject({ account: 'default', spent: { unknown: 0 } });
    expect(problemsBy('failure.json', told.details)).toEqual([]);
  });

  it('an input that is wrong, and one that differs from the run in progress, end at once with a type of their own', async () => {
    const wrong = await failure(ENDPOINT, 'refreshCase', { cnj: '1' });
    expect(wrong).toMatchObject({ type: 'InvalidInput' });
    expect(wrong.message).toContain('cnj');
    const cnj = newCase();
    await flows.loseRefresh(3);
    const { workflowId } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    const different = await failure(ENDPOINT, 'refreshCase', { cnj, documents: true });
    expect(different).toMatchObject({ type: 'DifferentInput' });
    expect(different.message).toContain(workflowId);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it("a user's own workers with the plugin serve it once, on the queue that endpoints name and on no other", () => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(''), log });
    const served = (taskQueue: string): number =>
      plugin.configureWorker(plugin.configureWorker({ taskQueue })).nexusServices?.length ?? 0;
    expect([served(flows.taskQueue), served(`${flows.taskQueue}-charged`)]).toEqual([1, 0]);
  });

  it('is not served with payload keys that write', async () => {
    const { config } = flows;
    const keys = 'test:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=';
    await expect(createWorker({ config, temporal: temporal(keys), log })).rejects.toThrow(
      /^tramita: TRAMITA_NEXUS=on does not go with TRAMITA_PAYLOAD_KEYS/,
    );
  });
});
