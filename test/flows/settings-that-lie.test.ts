/** A worker whose settings contradict the database's must not start: it would buy pending work a second time. */
import { startSandbox, controlOf, type ReceivedRequest, type Sandbox } from '../../sandbox/index.js';
import { createTokens, resolveConfig } from '../../src/config/index.js';
import { startRefreshCase } from '../../src/starters/index.js';
import { readFingerprints } from '../../src/store/index.js';
import { createWorker } from '../../src/workers/index.js';
import { failureOf } from '../support/failure-of.js';
import { newCase } from '../support/case-number.js';
import { runCommand } from '../cli/run-command.js';
import { temporal, withFlows } from './with-flows.js';

describe('with a ledger that other workers have written', () => {
  const flows = withFlows();
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let other: Sandbox;
  beforeAll(async () => {
    other = await startSandbox({});
  });
  afterAll(() => other.close());

  const workerWith = (env: Readonly<Record<string, string>>) =>
    createWorker({
      config: resolveConfig({ env: { ...flows.env, TRAMITA_TASK_QUEUE: `${flows.taskQueue}-other`, ...env } }),
      temporal: temporal(),
      log: silent,
    });
  const countRequests = async (sandbox: Sandbox): Promise<number> =>
    (await controlOf(sandbox.controlUrl)<{ requests: ReceivedRequest[] }>('/requests')).requests.length;

  it.each<[string, () => Readonly<Record<string, string>>, RegExp]>([
    [
      'another id key',
      () => ({ TRAMITA_ID_KEY: 'another-id-key-of-the-tests-0123456789' }),
      /^tramita: TRAMITA_ID_KEY .*is not the key that this database was written with/,
    ],
    [
      'another base URL behind the same account',
      () => ({ TRAMITA_API_URL: other.url }),
      /^tramita: TRAMITA_API_URL .*is another address than account default.*tramita account move --account default/,
    ],
    [
      'the verification of TLS switched off',
      () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      /^tramita: NODE_TLS_REJECT_UNAUTHORIZED is 0/,
    ],
  ])('a worker with %s refuses to start, and nothing is sent', async (_what, env, problem) => {
    const handle = await flows.refresh({ cnj: newCase() });
    await handle.result();
    const [before, elsewhere] = [await flows.requests(), await countRequests(other)];
    const kept = await readFingerprints(flows.database.db);
    const error: unknown = await workerWith(env()).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ message: expect.stringMatching(problem) as string });
    for (const secret of ['sandbox-key', 'id-key-of-the-tests', 'another-id-key']) {
      expect((error as Error).message).not.toContain(secret);
    }
    expect(await flows.requests()).toHaveLength(before.length);
    expect(await countRequests(other)).toBe(elsewhere);
    expect(await readFingerprints(flows.database.db)).toEqual(kept);
    expect((await flows.progress(handle.workflowId)).state).toBe('done');
  });

  it('a flow that was started with another id key ends as InvalidInput before anything is sent', async () => {
    const before = (await flows.requests()).length;
    const { token } = createTokens('another-id-key-of-the-tests-0123456789');
    const run = await startRefreshCase({ ...flows.deps, token }, { cnj: newCase() });
    expect(await failureOf(run)).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('another id key than that of the worker') as string,
    });
    expect(await flows.requests()).toHaveLength(before);
  });

  it('a worker accepts another spelling of the same address, and only notes a new API key', async () => {
    const { port } = new URL(flows.sandbox.url);
    const sinceOf = async (subject: string) =>
      (await readFingerprints(flows.database.db)).filter((row) => row.subject === subject);
    const [[url], [key]] = [await sinceOf('base url'), await sinceOf('api key')];
    const worker = await workerWith({ TRAMITA_API_URL: `HTTP://127.0.0.1:${port}//`, TRAMITA_API_KEY: 'a-new-key' });
    const running = worker.run();
    worker.shutdown();
    await running;
    expect(await sinceOf('base url')).toEqual([url]);
    const [newKey] = await sinceOf('api key');
    expect(newKey?.value).not.toBe(key?.value);
    expect(newKey?.sinceMs).toBeGreaterThan(key?.sinceMs ?? Infinity);
  });

  describe('the command line', () => {
    const tramita = (env: Readonly<Record<string, string>>, ...args: string[]) =>
      runCommand(args, { ...flows.env, ...env });
    const OTHER_KEY = { TRAMITA_ID_KEY: 'another-id-key-of-the-tests-0123456789' };
    const BY = ['--decision', 'not-charged', '--by', 'ana'] as const;

    it.each([
      [['start', 'refreshCase', '--cnj', newCase()]],
      [['settle', 'refresh/x', '--step', 'requestRefresh', ...BY]],
      [['settle', '--where', 'account=default', ...BY]],
      [['resume', 'refresh/x', '--by', 'ana']],
      [['account', 'move', '--account', 'default', '--to', 'https://api.example.com', '--by', 'ana', '--yes']],
    ])('%j with another id key is refused', async (args) => {
      const run = await tramita(OTHER_KEY, ...args);
      expect(run).toMatchObject({ exitCode: 1, err: expect.stringContaining('is not the key that') as string });
    });

    it('doctor names the setting, and account show marks the one that differs', async () => {
      const doctor = await tramita({ TRAMITA_API_URL: other.url }, 'doctor', '--json');
      expect(doctor.json()).toContainEqual({
        about: 'settings',
        state: 'failed',
        text: expect.stringContaining('tramita account move --account default') as string,
      });
      const shown = await tramita({ TRAMITA_API_URL: other.url }, 'account', 'show', '--json');
      expect(shown.exitCode).toBe(1);
      // Payload keys, where there are any, come last.
      expect((shown.json() as object[]).slice(0, 3)).toMatchObject([
        { subject: 'api key', account: 'default' },
        { subject: 'base url', account: 'default', same: false, setBy: null },
        { subject: 'id key', account: null, same: true },
      ]);
      expect(shown.out).not.toContain('sandbox-key');
    });

    it('doctor and balance send no key while the verification of TLS is off', async () => {
      const before = (await flows.requests()).length;
      const off = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
      const doctor = await tramita(off, 'doctor', '--json');
      expect(JSON.stringify(doctor.json())).toContain('NODE_TLS_REJECT_UNAUTHORIZED is 0');
      for (const args of [['balance'], ['worker']]) {
        const run = await tramita(off, ...args);
        expect(run).toMatchObject({
          exitCode: 2,
          err: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED') as string,
        });
      }
      expect(await flows.requests()).toHaveLength(before);
    });

    it('account move changes an address after a dry run, and account show names who did it', async () => {
      const move = ['account', 'move', '--account', 'default', '--to', `${other.url}/`, '--by', 'ana'];
      expect((await tramita({}, ...move)).out).toContain('Nothing was done: add --yes');
      await expect(workerWith({ TRAMITA_API_URL: other.url })).rejects.toThrow('is another address');
      expect((await tramita({}, ...move, '--yes', '--json')).json()).toMatchObject({ moved: true, to: other.url });
      expect((await tramita({}, ...move, '--yes')).out).toContain('already');
      const worker = await workerWith({ TRAMITA_API_URL: other.url });
      const running = worker.run();
      worker.shutdown();
      await running;
      await expect(workerWith({})).rejects.toThrow('is another address');
      expect((await tramita({}, 'account', 'show')).out).toMatch(/base url +default .* ana +ANOTHER ONE HERE/);
      await tramita({}, ...move.slice(0, 4), '--to', flows.sandbox.url, '--by', 'ana', '--yes');
    });

    it.each([
      [['--account', 'nobody', '--to', 'https://api.example.com'], '--account: seen "nobody"'],
      [['--account', 'default', '--to', 'ftp://api.example.com'], '--to: seen'],
    ])('account move %j is a usage error', async (args, problem) => {
      const run = await tramita({}, 'account', 'move', ...args, '--by', 'ana');
      expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining(problem) as string });
    });
  });
});
