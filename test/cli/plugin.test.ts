import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { RawValue, type PayloadCodec } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { startRefreshCase, startRefreshPortfolio } from '../../src/starters/index.js';
import { chargedWorkerOptions, pollsWorkerOptions, TramitaPlugin } from '../../src/workers/index.js';
import { temporal, withFlows, type Flows } from '../flows/with-flows.js';
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

const WORKFLOWS = join(__dirname, '..', '..', 'src', 'workflows', 'index.ts');

/** A plugin, and what workers with it and its connection are created with. `everywhere`: the connection has the plugin too. */
async function open(flows: Flows, more: Partial<WorkerOptions> = {}, everywhere = true) {
  const plugin = new TramitaPlugin({ config: flows.config, temporal: temporal(undefined, more.namespace), log });
  const plugins = [plugin];
  const connection = await NativeConnection.connect({ address: temporal().address, ...(everywhere && { plugins }) });
  return { plugin, connection, common: { connection, plugins, ...more } };
}

/** Runs these workers until `use` has ended. */
async function whileRunning(connection: NativeConnection, workers: Worker[], use: () => Promise<void>): Promise<void> {
  const running = Promise.all(workers.map((worker) => worker.run()));
  try {
    await use();
  } finally {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await running;
    await connection.close();
  }
}

describe("a user's own workers with the plugin", () => {
  const flows = withFlows({ worker: false });
  /** Runs the user's two workers until `use` has ended. */
  const withWorkers = async (
    { connection, common }: Awaited<ReturnType<typeof open>>,
    use: () => Promise<void>,
    more: Partial<WorkerOptions> = {},
  ): Promise<void> => {
    const { taskQueue, config } = flows;
    const main = await Worker.create({ ...common, taskQueue, workflowsPath: WORKFLOWS, ...more });
    const charged = await Worker.create({ ...common, ...chargedWorkerOptions(config, 'default') });
    await whileRunning(connection, [main, charged], use);
  };

  it('run our flows beside their own activities, with the plugin on the connection and on the worker', async () => {
    const opened = await open(flows);
    const use = async (): Promise<void> => {
      const handle = await flows.refresh({ cnj: newCase() });
      expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
      expect(await opened.plugin.metrics()).toMatch(/^tramita_\w+\{.*operation="requestRefresh".*\} 0?\.?\d/m);
    };
    await withWorkers(opened, use, { activities: { theirs: () => Promise.resolve('theirs') } });
  });

  it('run our flows with their own payload converter, wrapped for our flows', async () => {
    const dataConverter = { payloadConverterPath: join(__dirname, 'their-converter.ts') };
    await withWorkers(await open(flows, { dataConverter }, false), async () => {
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
    await withWorkers(await open(flows, { dataConverter }, false), async () => {
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
    const opened = await open(flows);
    const polls = await Worker.create({ ...opened.common, ...pollsWorkerOptions(flows.config, 'default') });
    // After a call of this length the flow polls itself.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 3_500, times: 2 });
    await withWorkers(opened, async () => {
      const before = await flows.refresh({ cnj: newCase(), webhook: false });
      await before.result();
      expect(await pollQueueOf(before.workflowId)).toBe(flows.taskQueue);
      await polls.runUntil(async () => {
        const after = await flows.refresh({ cnj: newCase(), webhook: false });
        await after.result();
        expect(await pollQueueOf(after.workflowId)).toBe(`${flows.taskQueue}-polls-default`);
      });
    });
  });

  it('can be a version of their own deployment, with their versioning behaviour', async () => {
    const version = { deploymentName: flows.taskQueue, buildId: 'theirs' };
    const opened = await open(flows, {
      workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' },
    });
    await withWorkers(opened, async () => {
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
    });
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
    const { connection, common } = await open(flows, { namespace }, false);
    const main = await Worker.create({ ...common, taskQueue: flows.taskQueue, workflowsPath: WORKFLOWS });
    await whileRunning(connection, [main], async () => {
      await until(() => main.getState() === 'RUNNING', { what: 'the worker' });
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
    });
  });
});
