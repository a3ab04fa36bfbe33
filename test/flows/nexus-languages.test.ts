/**
 * Workflows in Python and Go that call the Nexus service from their own namespace: the workers of `examples/`
 * (`npm run test:languages`).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { connectClient } from '../../src/temporal-client/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { describeLanguages } from '../support/example-programs.js';
import { problemsBy } from '../support/schemas.js';
import { until } from '../support/until.js';
import { addNamespace, temporal, withFlows } from './with-flows.js';

/** The result of `callFlow` in both examples: one of its members is set. */
interface Ending {
  readonly result?: unknown;
  readonly cancelled?: boolean;
  readonly failed?: { readonly type: string; readonly message: string; readonly details: unknown };
}

describeLanguages('a Nexus caller', { python: 'nexus_caller.py', go: './nexus' }, (language, { command, args }) => {
  const flows = withFlows({ env: { TRAMITA_NEXUS: 'on' }, payloadKeys: '', sandbox: { coverageMs: 0 } });
  const namespace = `${language}-${randomBytes(4).toString('hex')}`;
  const endpoint = `tramita-${namespace}`;
  const { address } = temporal('');
  const errorOutput: string[] = [];
  let theirs: Client;
  let worker: ChildProcess;

  beforeAll(async () => {
    const connection = connectClient(temporal(''));
    await addNamespace(connection, namespace);
    await connection.operatorService.createNexusEndpoint({
      spec: { name: endpoint, target: { worker: { namespace: 'default', taskQueue: flows.taskQueue } } },
    });
    theirs = new Client({ connection, namespace });
    worker = spawn(command, args, {
      env: { ...process.env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    worker.stderr?.setEncoding('utf8').on('data', (text: string) => errorOutput.push(text));
  });
  afterAll(async () => {
    worker.kill('SIGTERM');
    await until(() => worker.exitCode ?? worker.signalCode ?? undefined, {
      what: `the worker to end: ${errorOutput.join('')}`,
    });
    await theirs.connection.close();
  });

  const call = (operation: WorkflowType, input: object): Promise<WorkflowHandle<() => Promise<Ending>>> =>
    theirs.workflow.start<(call: object) => Promise<Ending>>('callFlow', {
      taskQueue: 'callers',
      workflowId: `theirs-${randomBytes(4).toString('hex')}`,
      workflowRunTimeout: '45s',
      args: [{ endpoint, operation, input }],
    });
  const paid = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;

  it('refreshes a case once for two callers, and imports the list of a lawyer', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F8', everyMs: 60, bytes: 40 });
    const callers = await Promise.all([call('refreshCase', { cnj }), call('refreshCase', { cnj })]);
    const [first, second] = await Promise.all(callers.map((each) => each.result()));
    expect(first?.result).toMatchObject({ status: 'done' });
    expect(problemsBy('refreshCase.result.json', first?.result)).toEqual([]);
    expect(second).toEqual(first);
    expect(await paid(cnj)).toBe(1);
    const list = await (await call('importLawyerCases', { oab: 'SP:123456', pageSize: 10 })).result();
    expect(problemsBy('importLawyerCases.result.json', list.result)).toEqual([]);
  });

  it('cancels an operation and with it the flow, whose charge stays', async () => {
    const cnj = '01234566120223000000'; // never ends
    const id = `refresh.default.${cnj}`;
    const caller = await call('refreshCase', { cnj });
    const flow = flows.client.workflow.getHandle(id);
    const isWaiting = async (): Promise<boolean> => {
      // The run of the other language has this id too, and its worker is gone.
      const { status } = (await flow.describe().catch(() => undefined)) ?? {};
      return status?.name === 'RUNNING' && (await flows.progress(id)).state === 'waiting';
    };
    await until(isWaiting, { what: 'the wait' });
    await caller.signal('letGo');
    expect(await caller.result()).toEqual({ cancelled: true });
    expect((await flow.describe()).status.name).toBe('CANCELLED');
    expect(await paid(cnj)).toBe(1);
  });

  it('gets the type and the details of a failed flow, and the type of a refused input', async () => {
    const { failed } = await (await call('refreshCase', { cnj: '0010001-25.2024.5.02.0001' })).result();
    expect(failed).toMatchObject({
      type: 'RefreshFailed',
      message: expect.stringContaining('NAO_ENCONTRADO') as string,
    });
    expect(failed?.details).toMatchObject({ account: 'default', spent: { unknown: 0 } });
    expect(problemsBy('failure.json', failed?.details)).toEqual([]);
    const wrong = await (await call('refreshCase', { cnj: '1' })).result();
    expect(wrong.failed).toMatchObject({ type: 'InvalidInput', message: expect.stringContaining('cnj') as string });
  });
});
