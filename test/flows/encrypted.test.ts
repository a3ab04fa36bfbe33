/** Flows with payload keys: Temporal stores only ciphertext, however a flow ends. Keys are rotated while flows wait. */
import { Client } from '@temporalio/client';
import { createStarterDeps } from '../../src/config/index.js';
import { settleCharge, startRefreshCase } from '../../src/starters/index.js';
import { connectClient, createDataConverter } from '../../src/temporal-client/index.js';
import { runCommand } from '../cli/run-command.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { rawText } from '../support/raw-text.js';
import { temporal, withFlows } from './with-flows.js';

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const K1 = key('k1', 1);
const K2 = key('k2', 2);
/** This case has documents; a generated case may have none. */
const HAPPY = '1000001-51.2026.8.26.0100';
const MESSAGE = 'Maria das Dores has no access';

describe('flows with payload keys', () => {
  // Unmasked case numbers would be in the search attributes, which cannot be encrypted.
  const flows = withFlows({ payloadKeys: `${K1},${K2}`, account: { maskCnj: true } });

  it('end as they do without keys, and Temporal stores no readable input, result, failure, details or memo', async () => {
    const [failed, parked] = [newCase(), newCase()];
    const deps = createStarterDeps(flows.config, flows.client);
    const good = await startRefreshCase(deps, { cnj: HAPPY, documents: true }, { workflowId: 'encrypted-done' });
    const { documents } = await good.result();
    expect(documents.length).toBeGreaterThan(0);

    await flows.fault({
      operation: 'requestRefresh',
      fault: 'status',
      status: 422,
      body: { error: { code: 'X', message: MESSAGE } },
    });
    const bad = await startRefreshCase(deps, { cnj: failed }, { workflowId: 'encrypted-failed' });
    expect((await failureOf(bad)).type).not.toBe('');

    await flows.loseRefresh(parked);
    const waiting = await startRefreshCase(deps, { cnj: parked }, { workflowId: 'encrypted-parked' });
    await flows.parked(waiting.workflowId);

    const raw = await Promise.all([good, bad, waiting].map(({ workflowId }) => rawOf(workflowId)));
    const canaries = [
      HAPPY,
      HAPPY.replace(/\D/g, ''),
      failed,
      parked,
      documents[0]?.id ?? 'no document',
      MESSAGE,
      'requestRefresh of',
      'Maria',
    ];
    for (const text of raw) {
      // The searched text includes the bytes of payloads.
      expect(text).toContain('binary/encrypted');
      const lines = text.split('\n');
      for (const canary of canaries) expect(lines.filter((line) => line.includes(canary))).toEqual([]);
    }

    await settleCharge(flows.client, waiting.workflowId, {
      step: 'requestRefresh',
      decision: 'not-charged',
      by: 'ana',
    });
    expect((await waiting.result()).status).toBe('done');
    await expect(new Client({ connection: plain() }).workflow.getHandle('encrypted-done').result()).rejects.toThrow(
      'Unknown encoding',
    );
  });

  it('are not decided by commands without the keys, which name the missing setting', async () => {
    const env = { ...flows.env, TRAMITA_PAYLOAD_KEYS: '' };
    const tramita = (...args: readonly string[]) => runCommand(args, env);
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const { workflowId, result } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    const cure = expect.stringContaining('set TRAMITA_PAYLOAD_KEYS to the keys of the workers') as string;
    const status = await tramita('status', workflowId);
    expect(status).toMatchObject({ exitCode: 3, out: cure });
    expect(status.out).toContain('it needs a person: unknown-charge');
    const refused = await tramita('resume', workflowId, '--by', 'ana', '--max-spend', '1');
    expect(refused).toMatchObject({ exitCode: 1, err: cure });
    const started = await tramita('start', 'refreshCase', '--cnj', cnj, '--workflow-id', workflowId, '--wait');
    expect(started).toMatchObject({ exitCode: 1, err: cure });
    expect(started.err).toContain('nothing was started');
    // Without the workers' database nothing says that they encrypt.
    const apart = { ...env, TRAMITA_DATABASE_URL: '' };
    const waited = await runCommand(
      ['start', 'refreshCase', '--cnj', cnj, '--workflow-id', workflowId, '--wait'],
      apart,
    );
    expect(waited).toMatchObject({ exitCode: 3, err: cure });
    expect(waited.err).toContain(`${workflowId} needs a person: unknown-charge`);
    const decision = ['--step', 'requestRefresh', '--decision', 'not-charged', '--by', 'ana'];
    const unread = await tramita('settle', workflowId, ...decision);
    expect(unread).toMatchObject({ exitCode: 1, err: cure });
    expect(unread.err).toContain('nothing was decided');
    const many = ['--where', `workflow=${workflowId}`, '--decision', 'not-charged', '--by', 'ana', '--yes'];
    const manyUnread = await tramita('settle', ...many);
    expect(manyUnread).toMatchObject({ exitCode: 1, err: cure });
    expect(manyUnread.err).toContain('nothing was decided');
    expect((await flows.progress(workflowId)).attention).toBe('unknown-charge');
    const keys = { ...env, TRAMITA_PAYLOAD_KEYS: `${K1},${K2}` };
    expect(await runCommand(['settle', workflowId, ...decision], keys)).toMatchObject({ exitCode: 0, err: '' });
    expect(await result()).toMatchObject({ status: 'done' });
    expect(await tramita('status', 'encrypted-failed')).toMatchObject({ exitCode: 1, out: cure });
  });

  it('go on when the second key becomes the first; a worker with other keys or none does not start', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const waiting = await flows.refresh({ cnj }, { workflowId: 'encrypted-rotated' });
    await flows.parked(waiting.workflowId);

    await expect(flows.startWorker({ TRAMITA_PAYLOAD_KEYS: '' })).rejects.toThrow('encrypted with the key "k1"');
    await expect(flows.startWorker({ TRAMITA_PAYLOAD_KEYS: key('k3', 3) })).rejects.toThrow(
      'encrypted with the key "k1"',
    );
    await expect(flows.startWorker({ TRAMITA_PAYLOAD_KEYS: key('k1', 9) })).rejects.toThrow(
      'another key under the id "k1"',
    );
    const doctored = await runCommand(['doctor'], {
      ...flows.env,
      TRAMITA_PAYLOAD_KEYS: '',
    });
    expect(doctored.out).toMatch(/settings: .*encrypted with the key "k1"/);
    expect(doctored.exitCode).toBe(1);
    const shown = await runCommand(['account', 'show', '--json'], flows.env);
    expect(shown.json()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: 'payload key', account: 'k1', same: true }),
        expect.objectContaining({ subject: 'payload key', account: 'k2', same: true }),
      ]),
    );
    await flows.startWorker({ TRAMITA_PAYLOAD_KEYS: `${K2},${K1}` });

    const server = temporal(`${K2},${K1}`);
    const client = new Client({ connection: plain(), dataConverter: createDataConverter(server) });
    await settleCharge(client, waiting.workflowId, {
      step: 'requestRefresh',
      decision: 'not-charged',
      by: 'ana',
    });
    expect((await client.workflow.getHandle(waiting.workflowId).result()) as object).toMatchObject({ status: 'done' });
  });

  it('let a command forget a lost key, but not a key of the configuration', async () => {
    const env = { ...flows.env, TRAMITA_PAYLOAD_KEYS: K1, TRAMITA_TASK_QUEUE: `${flows.taskQueue}-later` };
    const tramita = (...args: string[]) => runCommand(['account', 'forget-key', '--key', ...args], env);
    const startWorker = () =>
      flows.startWorker({ TRAMITA_PAYLOAD_KEYS: '', TRAMITA_TASK_QUEUE: env.TRAMITA_TASK_QUEUE });
    expect(await tramita('k1', '--yes')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('not lost') as string,
    });
    expect(await tramita('k9', '--yes')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('knows k1, k2') as string,
    });
    expect((await tramita('k2')).out).toContain('Nothing was done: add --yes');
    await expect(startWorker()).rejects.toThrow(/tramita account forget-key --key k[12]`/);
    env.TRAMITA_PAYLOAD_KEYS = '';
    for (const id of ['k1', 'k2'])
      expect((await tramita(id, '--yes', '--json')).json()).toEqual({ key: id, forgotten: true });
    await startWorker();
    // While flows still run with the key, a worker without it does not start: see test/flows/key-rotation.test.ts.
    const shown = await runCommand(['account', 'show'], env);
    expect(shown.out).not.toContain('payload key');
  });

  function plain(): ReturnType<typeof connectClient> {
    const connection = connectClient(temporal(''));
    flows.atEnd(() => connection.close());
    return connection;
  }

  /** The flow's history, description and query answer, as the server stores and returns them. */
  async function rawOf(workflowId: string): Promise<string> {
    const { connection } = flows.client;
    const execution = { workflowId };
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const described = await connection.workflowService.describeWorkflowExecution({ namespace: 'default', execution });
    const query = { queryType: 'progress' };
    const queried = await connection.workflowService.queryWorkflow({ namespace: 'default', execution, query });
    return rawText([events, described, queried]);
  }
});
