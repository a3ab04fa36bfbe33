import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { RawValue, type DataConverter, type PayloadCodec } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { startRefreshCase, startRefreshPortfolio } from '../../src/starters/index.js';
import { chargedWorkerOptions, pollsWorkerOptions, TramitaPlugin } from '../../src/workers/index.js';
import { temporal, withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { runCommand } from './run-command.js';

const quiet = (): void => undefined;
const log = { info: quiet, warn: quiet, error: quiet };

/** A codec with another encoding, which only programs with the codec can read. */
const reversing: PayloadCodec = {
  encode: (payloads) =>
    Promise.resolve(
      payloads.map((payload) => ({
        metadata: { encoding: Buffer.from('binary/reversed') },
        data: Buffer.from(proto.api.common.v1.Payload.encode(payload).finish()).reverse(),
      })),
    ),
  decode: (payloads) =>
    Promise.resolve(
      payloads.map((payload) =>
        Buffer.from(payload.metadata?.['encoding'] ?? []).toString() === 'binary/reversed'
          ? proto.api.common.v1.Payload.decode(Buffer.from(payload.data ?? []).reverse())
          : payload,
      ),
    ),
};

describe("a user's own workers with the plugin", () => {
  const flows = withFlows({ worker: false });
  /** Runs the user's workers with this converter until `use` has ended. */
  const withWorkers = async (dataConverter: DataConverter, use: () => Promise<void>): Promise<void> => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(), log });
    const connection = await NativeConnection.connect({ address: temporal().address });
    const common = { connection, dataConverter, plugins: [plugin] };
    const main = await Worker.create({
      ...common,
      taskQueue: flows.taskQueue,
      workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
    });
    const charged = await Worker.create({ ...common, ...chargedWorkerOptions(flows.config, 'default') });
    const running = Promise.all([main.run(), charged.run()]);
    try {
      await use();
    } finally {
      main.shutdown();
      charged.shutdown();
      await running;
      await connection.close();
    }
  };

  it('run our flows beside their own activities, with the plugin on the connection and on the worker', async () => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(), log });
    const connection = await NativeConnection.connect({ address: temporal().address, plugins: [plugin] });
    const main = await Worker.create({
      connection,
      taskQueue: flows.taskQueue,
      workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
      activities: { theirs: () => Promise.resolve('theirs') },
      plugins: [plugin],
    });
    const charged = await Worker.create({
      connection,
      ...chargedWorkerOptions(flows.config, 'default'),
      plugins: [plugin],
    });
    const running = Promise.all([main.run(), charged.run()]);
    try {
      const handle = await flows.refresh({ cnj: newCase() });
      expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
      expect(await plugin.metrics()).toMatch(/^tramita_\w+\{.*operation="requestRefresh".*\} 0?\.?\d/m);
    } finally {
      main.shutdown();
      charged.shutdown();
      await running;
      await connection.close();
    }
  });

  it('run our flows with their own payload converter, wrapped for our flows', async () => {
    await withWorkers({ payloadConverterPath: join(__dirname, 'their-converter.ts') }, async () => {
      const handle = await flows.refresh({ cnj: newCase() });
      expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
      const { client, taskQueue } = flows;
      const unread = { metadata: { encoding: Buffer.from('binary/theirs') }, data: Buffer.from('{}') };
      const refused = client.workflow.execute('refreshCase', {
        taskQueue,
        workflowId: `${taskQueue}-unread`,
        args: [RawValue.fromPayload(unread)],
      });
      await expect(refused).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
    });
  });

  it('run our flows with their own codec, and a portfolio reads the results of its refreshes', async () => {
    const dataConverter = { payloadCodecs: [reversing] };
    await withWorkers(dataConverter, async () => {
      const client = new Client({ connection: flows.client.connection, dataConverter });
      const deps = { ...flows.deps, client };
      const [cnj, other] = [newCase(), newCase()];
      // A refresh that a person has started, and that the portfolio joins.
      await startRefreshCase(deps, { cnj });
      const portfolio = await startRefreshPortfolio(deps, { name: 'theirs', cases: [cnj, other] });
      expect(await portfolio.result()).toMatchObject({ done: 2, failed: 0 });
    });
  });

  it('poll on the queue of the account if a worker serves it, and on their own queue otherwise', async () => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(), log });
    const connection = await NativeConnection.connect({ address: temporal().address, plugins: [plugin] });
    const common = { connection, plugins: [plugin] };
    const main = await Worker.create({
      ...common,
      taskQueue: flows.taskQueue,
      workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
    });
    const charged = await Worker.create({ ...common, ...chargedWorkerOptions(flows.config, 'default') });
    const polls = await Worker.create({ ...common, ...pollsWorkerOptions(flows.config, 'default') });
    const running = [main.run(), charged.run()];
    // After a call of this length the flow polls itself.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 3_500, times: 2 });
    try {
      const before = await flows.refresh({ cnj: newCase(), webhook: false });
      await before.result();
      expect(await pollQueueOf(before.workflowId)).toBe(flows.taskQueue);
      running.push(polls.run());
      const after = await flows.refresh({ cnj: newCase(), webhook: false });
      await after.result();
      expect(await pollQueueOf(after.workflowId)).toBe(`${flows.taskQueue}-polls-default`);
    } finally {
      for (const worker of [main, charged, polls]) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all(running);
      await connection.close();
    }
  });

  it('can be a version of their own deployment, with their versioning behaviour', async () => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(), log });
    const connection = await NativeConnection.connect({ address: temporal().address, plugins: [plugin] });
    const version = { deploymentName: flows.taskQueue, buildId: 'theirs' };
    const common: Pick<WorkerOptions, 'connection' | 'plugins' | 'workerDeploymentOptions'> = {
      connection,
      plugins: [plugin],
      workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' },
    };
    const main = await Worker.create({
      ...common,
      taskQueue: flows.taskQueue,
      workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
    });
    const charged = await Worker.create({ ...common, ...chargedWorkerOptions(flows.config, 'default') });
    const running = Promise.all([main.run(), charged.run()]);
    try {
      const { workflowService } = flows.client;
      const isCurrent = (): Promise<boolean> =>
        workflowService.setWorkerDeploymentCurrentVersion({ namespace: 'default', ...version }).then(
          () => true,
          () => false,
        );
      await until(isCurrent, { withinMs: 60_000, what: 'their version to be current' });
      const handle = await flows.refresh({ cnj: newCase() });
      expect(await handle.result()).toMatchObject({ status: 'done' });
      const { raw } = await flows.client.workflow.getHandle(handle.workflowId).describe();
      expect(raw.workflowExecutionInfo?.versioningInfo).toMatchObject({
        behavior: proto.api.enums.v1.VersioningBehavior.VERSIONING_BEHAVIOR_PINNED,
        deploymentVersion: version,
      });
    } finally {
      main.shutdown();
      charged.shutdown();
      await running;
      await connection.close();
    }
  });

  async function pollQueueOf(workflowId: string): Promise<string | null | undefined> {
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes);
    return scheduled.find((each) => each?.activityType?.name === 'awaitFinal')?.taskQueue?.name;
  }

  it('refuse an incomplete configuration, and name the missing variable', () => {
    const { databaseUrl: _away, ...config } = flows.config;
    expect(() => new TramitaPlugin({ config, temporal: temporal(), log })).toThrow(
      /^tramita: TRAMITA_DATABASE_URL .* is not set/,
    );
  });

  it('serve configured accounts only', () => {
    expect(() => chargedWorkerOptions(flows.config, 'other')).toThrow('tramita: there is no account "other"');
  });
});

describe('a flow whose charged calls no worker serves', () => {
  const namespace = 'queue-of-their-own';
  const flows = withFlows({ worker: false, namespace });

  it('has the unserved queue in its details, in status, and in doctor with any task queue', async () => {
    const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(undefined, namespace), log });
    const connection = await NativeConnection.connect({ address: temporal().address });
    const main = await Worker.create({
      connection,
      namespace,
      plugins: [plugin],
      taskQueue: flows.taskQueue,
      workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
    });
    const running = main.run();
    await until(() => main.getState() === 'RUNNING', { what: 'the worker' });
    try {
      const { workflowId } = await flows.refresh({ cnj: newCase() });
      const queue = `${flows.taskQueue}-charged-default`;
      await until(async () => (await flows.progress(workflowId)).state === 'requesting', { what: 'the call' });
      const env = { ...flows.env, TEMPORAL_NAMESPACE: namespace };
      const status = await runCommand(['status', workflowId], env);
      expect(status.out).toContain(
        `Nothing is sent before a worker of the task queue \`${queue}\` has taken the call.`,
      );
      expect(status.out).toContain(`! no worker polls "${queue}"`);
      const warning = `! worker: no worker polls "${queue}"`;
      const doctor = async (more: Readonly<Record<string, string>>) =>
        (await runCommand(['doctor'], { ...env, ...more })).out.includes(warning);
      expect(await doctor({})).toBe(true);
      await until(() => doctor({ TRAMITA_TASK_QUEUE: `${flows.taskQueue}-other` }), {
        what: 'doctor to name the queue',
      });
      await flows.client.workflow.getHandle(workflowId).terminate();
    } finally {
      main.shutdown();
      await running;
      await connection.close();
    }
  });
});
