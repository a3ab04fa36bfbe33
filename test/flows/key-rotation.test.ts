/** Payload keys are added and removed while flows wait; what a missing key does to a worker, a client and a flow. */
import { Client, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { Progress } from '../../src/protocol/index.js';
import { connectClient, createDataConverter } from '../../src/temporal-client/index.js';
import type { TramitaWorker } from '../../src/workers/index.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { failureOf } from '../support/failure-of.js';
import { rawText } from '../support/raw-text.js';
import { until } from '../support/until.js';
import { temporal, withFlows } from './with-flows.js';

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const [K1, K2, K9] = [key('k1', 1), key('k2', 2), key('k9', 9)];
const FLOWS = 50;
const IDS = Array.from({ length: FLOWS }, (_, index) => `rotated-${index}`);
/** Longer than any test: the sandbox's clock is moved. */
const REFRESH_MS = 3_600_000;

/** A call that is handed to a worker at the moment it stops is lost for a minute. */
jest.setTimeout(300_000);

describe('payload keys', () => {
  const flows = withFlows({
    worker: false,
    payloadKeys: K1,
    // Time for a wake to come before the first poll.
    sandbox: { refreshMs: REFRESH_MS, pollAfterMs: 5_000 },
    account: { requestsPerMinute: 60_000, concurrency: 20 },
  });
  const emptied = withDatabase();
  const late = withDatabase();

  function clientWith(keys: string): Client {
    const server = temporal(keys);
    const connection = connectClient(server);
    flows.atEnd(() => connection.close());
    return new Client({ connection, dataConverter: createDataConverter(server) });
  }

  /** The flow may have seen the end of its refresh by itself, and ended, before the wake comes. */
  const wake = (handle: Pick<WorkflowHandle, 'signal'>): Promise<void> =>
    handle.signal('wake', { reason: 'demo' }).catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  const failedTasks = async (handle: WorkflowHandle): Promise<readonly string[]> =>
    ((await handle.fetchHistory()).events ?? [])
      .flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [])
      // The server repeats a task that a signal overtook.
      .filter((message) => message !== 'UnhandledCommand');

  it('can be rotated while 50 flows wait: all flows end, paid once, and old and new histories stay readable', async () => {
    const first = await flows.startWorker();
    await Promise.all(IDS.map((workflowId) => flows.refresh({ cnj: newCase() }, { workflowId })));
    await until(async () => (await countCharges()) === FLOWS, {
      withinMs: 110_000,
      what: 'all flows to have asked for their refresh',
    });

    const second = await replaceWorker(first, `${K1},${K2}`);
    await replaceWorker(second, `${K2},${K1}`);
    await flows.control('/clock', { advanceMs: REFRESH_MS + 1_000 });
    const both = clientWith(`${K2},${K1}`);
    const woken = IDS.map((workflowId) => both.workflow.getHandle(workflowId));
    await Promise.all(woken.map(wake));
    const results = await Promise.all(woken.map((handle) => handle.result() as Promise<{ status: string }>));
    expect(results.map(({ status }) => status)).toEqual(IDS.map(() => 'done'));
    expect(await countCharges()).toBe(FLOWS);

    for (const workflowId of [IDS[0] ?? '', IDS.at(-1) ?? '']) {
      const { events } = await both.workflow.getHandle(workflowId).fetchHistory();
      const used = new Set(rawText(events).match(/^encryption-key-id=.*$/gm));
      expect([...used].sort()).toEqual(['encryption-key-id=k1', 'encryption-key-id=k2']);
      expect(await failedTasks(both.workflow.getHandle(workflowId))).toEqual([]);
    }
    const [id = ''] = IDS;
    await expect(clientWith(K1).workflow.getHandle(id).result()).rejects.toThrow(
      'encrypted with the key "k2", which TRAMITA_PAYLOAD_KEYS does not have',
    );
  });

  it('that no worker has make a start fail as InvalidInput in one task', async () => {
    const stranger = clientWith(K9);
    const started = await stranger.workflow.start('refreshCase', {
      taskQueue: flows.taskQueue,
      workflowId: 'unknown-key',
      args: [{ cnj: newCase() }],
    });
    const failure = await failureOf(clientWith(`${K2},${K1}`).workflow.getHandle(started.workflowId));
    expect(failure.type).toBe('InvalidInput');
    const { events } = await started.fetchHistory();
    const tasks = events?.filter(({ workflowTaskScheduledEventAttributes: task }) => task) ?? [];
    expect(tasks).toHaveLength(1);
  });

  it('that only the sender of a wake has yet make the worker drop the wake, and the flow still ends', async () => {
    const env = { TRAMITA_DATABASE_URL: late.url, TRAMITA_TASK_QUEUE: `${flows.taskQueue}-late` };
    const first = await flows.startWorker({ ...env, TRAMITA_PAYLOAD_KEYS: K1 });
    const sender = clientWith(`${K2},${K1}`);
    const paidBefore = await countCharges();
    const { workflowId } = await clientWith(K1).workflow.start('refreshCase', {
      taskQueue: `${flows.taskQueue}-late`,
      workflowId: 'woken-with-a-later-key',
      args: [{ cnj: newCase() }],
    });
    const handle = sender.workflow.getHandle(workflowId);
    const seenByWorker = clientWith(K1).workflow.getHandle(workflowId);
    await until(async () => (await seenByWorker.query<Progress>('progress')).state === 'waiting', {
      withinMs: 60_000,
      what: 'the flow to wait',
    });
    await handle.signal('wake', { reason: 'demo' });
    await until(
      async () => (await handle.fetchHistory()).events?.some((event) => event.timerFiredEventAttributes) === true,
      { withinMs: 60_000, what: 'the first poll' },
    );
    expect((await seenByWorker.query<Progress>('progress')).counts['undecodable']).toBe(1);

    await replaceWorker(first, `${K1},${K2}`, env);
    await flows.control('/clock', { advanceMs: REFRESH_MS + 1_000 });
    await wake(handle);
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await failedTasks(handle)).toEqual([]);
    expect(await countCharges()).toBe(paidBefore + 1);
  });

  it('are required of a worker while encrypted flows run, even with a new database', async () => {
    await clientWith(`${K2},${K1}`).workflow.start('refreshCase', {
      taskQueue: `${flows.taskQueue}-other`,
      workflowId: 'encrypted-elsewhere',
      args: [{ cnj: newCase() }],
    });
    const env = { TRAMITA_DATABASE_URL: emptied.url, TRAMITA_TASK_QUEUE: `${flows.taskQueue}-other` };
    await until(
      async () => {
        const { executions } = await flows.client.workflowService.listWorkflowExecutions({
          namespace: 'default',
          query: "WorkflowId = 'encrypted-elsewhere'",
        });
        return executions.length > 0;
      },
      { what: 'the flow to be listed' },
    );
    for (const TRAMITA_PAYLOAD_KEYS of ['', K1]) {
      await expect(flows.startWorker({ ...env, TRAMITA_PAYLOAD_KEYS })).rejects.toThrow(
        /flows that run on the task queue \S+-other are encrypted with the key "k2": this worker could not read them/,
      );
    }
    const worker = await flows.startWorker({ ...env, TRAMITA_PAYLOAD_KEYS: `${K1},${K2}` });
    expect(worker.taskQueues.length).toBeGreaterThan(0);
  });

  /** Replaces a worker as a deployment does: the new one starts before the old one stops. */
  async function replaceWorker(
    old: TramitaWorker,
    keys: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<TramitaWorker> {
    const worker = await flows.startWorker({ ...env, TRAMITA_PAYLOAD_KEYS: keys });
    old.shutdown();
    return worker;
  }

  async function countCharges(): Promise<number> {
    return (await flows.charges({ operation: 'requestRefresh' })).length;
  }
});
