/** `tramita/testing`: whole stacks on the servers of this run and on their own servers. They leave nothing behind. */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client as Postgres } from 'pg';
import { identifyProcess, readStack } from '../../src/local/index.js';
import { createTestStack, type TestStack, type TestStackOptions } from '../../src/testing/index.js';
import { startRefreshCase } from '../../src/starters/index.js';
import { newCase, newCaseWithDocuments } from '../support/case-number.js';
import { until } from '../support/until.js';

jest.setTimeout(300_000);

const REPOSITORY = join(__dirname, '..', '..');
const stacks: TestStack[] = [];
const createStack = async (options: TestStackOptions = {}): Promise<TestStack> => {
  const { TRAMITA_TEST_TEMPORAL_ADDRESS = '', TRAMITA_TEST_DATABASE_URL = '' } = process.env;
  const servers = { temporalAddress: TRAMITA_TEST_TEMPORAL_ADDRESS, databaseUrl: TRAMITA_TEST_DATABASE_URL };
  const stack = await createTestStack({ servers, ...options });
  stacks.push(stack);
  return stack;
};
afterAll(() => Promise.all(stacks.map((stack) => stack.stop())));

describe('stacks on shared servers', () => {
  let one: TestStack;
  let other: TestStack;
  beforeAll(async () => {
    [one, other] = await Promise.all([createStack(), createStack()]);
  });

  it('refresh the same case separately, each with its own namespace, ledger and charge book', async () => {
    const cnj = newCaseWithDocuments();
    const flows = await Promise.all([one, other].map(({ deps }) => startRefreshCase(deps, { cnj, documents: true })));
    const results = await Promise.all(flows.map((flow) => flow.result()));
    expect(results.map(({ spent }) => spent.known)).toEqual(['0.3', '0.3']);
    expect(flows[0]?.workflowId).toBe(flows[1]?.workflowId);
    expect(one.temporal.namespace).not.toBe(other.temporal.namespace);
    for (const stack of [one, other]) {
      expect(await stack.sandbox.charges()).toHaveLength(2);
      await stack.assertNothingPaidTwice({ sameCall: 'once' });
    }
  });

  it('have settings that nobody else may read, so `doctor` does not warn', () => {
    for (const name of ['TEMPORAL_CONFIG_FILE', 'TRAMITA_CONFIG']) {
      expect((statSync(one.env[name] ?? '').mode & 0o777).toString(8)).toBe('600');
    }
  });

  it('report a charge that no flow has caused', async () => {
    const path = `/v1/processos/cnj/${newCase()}/solicitar-atualizacao`;
    const headers = { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' };
    const paid = await fetch(`${other.sandbox.url}${path}`, { method: 'POST', headers, body: '{}' });
    expect(paid.status).toBe(202);
    await expect(other.assertNothingPaidTwice()).rejects.toThrow(/charge without a row: charge 3/);
    await one.assertNothingPaidTwice();
  });

  it('check the charges for several tests at the same time', async () => {
    const looks = await Promise.allSettled([1, 2, 3].map(() => other.assertNothingPaidTwice()));
    expect(looks.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('answer by a script, and wake waiting flows when the clock of the service moves', async () => {
    const stack = await createStack({ sandbox: { refreshMs: 3_600_000 } });
    await stack.sandbox.script('requestRefresh', ['answer', { fault: 'status', status: 422 }]);
    const flow = await startRefreshCase(stack.deps, { cnj: newCase() });
    const refused = await startRefreshCase(stack.deps, { cnj: newCase() });
    await until(async () => (await stack.sandbox.requests()).length > 1, { what: 'two calls' });
    const before = await stack.sandbox.now();
    await stack.sandbox.advance(3_600_000);
    expect(Number(await stack.sandbox.now()) - Number(before)).toBeGreaterThanOrEqual(3_600_000);
    const ended = await Promise.allSettled([flow.result(), refused.result()]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await stack.sandbox.deliveries()).length).toBeGreaterThan(0);
    await stack.assertNothingPaidTwice();
  });

  it('support a second account at the same service', async () => {
    const stack = await createStack({
      env: { SECOND_API_KEY: 'sandbox-key' },
      settings: { accounts: { second: { apiKeyEnv: 'SECOND_API_KEY' } } },
    });
    const flow = await startRefreshCase(stack.deps, { cnj: newCase(), account: 'second' });
    expect(await flow.result()).toMatchObject({ status: 'done' });
    await stack.assertNothingPaidTwice();
  });

  it('leave no database, and may be stopped twice', async () => {
    const stack = await createStack({ worker: false });
    await stack.stop();
    await stack.stop();
    const client = new Postgres({ connectionString: process.env['TRAMITA_TEST_DATABASE_URL'] ?? '' });
    await client.connect();
    const name = new URL(stack.databaseUrl).pathname.slice(1);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    await client.end();
    expect(rowCount).toBe(0);
    expect(existsSync(dirname(stack.logFile))).toBe(false);
    await expect(stack.assertNothingPaidTwice()).rejects.toThrow(/has been stopped/);
  });

  it('refuse wrong settings, before they ask a server, and an unreachable database with a clear error', async () => {
    const { TRAMITA_TEST_TEMPORAL_ADDRESS: temporalAddress = '' } = process.env;
    const servers = { temporalAddress, databaseUrl: 'postgresql://nobody:secret@127.0.0.1:1/postgres' };
    const wrong: readonly [TestStackOptions, RegExp][] = [
      [{ settings: { accounts: { default: { nobodyKnows: 1 } } } }, /^tramita: [^]*unknown member "nobodyKnows"/],
      [{ settings: { accounts: { second: {} } } }, /^tramita: accounts\.second\.apiKeyEnv is not set/],
      [{ env: { TRAMITA_ID_KEY: 'short' } }, /^tramita: [^]*TRAMITA_ID_KEY .*seen a value of 5 characters/],
    ];
    for (const [options, line] of wrong) await expect(createStack({ servers, ...options })).rejects.toThrow(line);
    await expect(createStack({ servers })).rejects.toThrow(
      /^tramita: the PostgreSQL at 127\.0\.0\.1:1 cannot give a test stack its part: .*ECONNREFUSED/,
    );
  });
});

describe('a stack with a killed process', () => {
  const begin = async (): Promise<{ readonly kill: () => void; readonly folder: string }> => {
    const script = `require('tramita/testing').createTestStack().then((stack) => console.log(stack.logFile), console.error);
      setInterval(() => undefined, 1_000);`;
    const { TESTING_TRAMITA_SERVERS: _shared, ...env } = process.env;
    const child = spawn(process.execPath, ['-e', script], {
      cwd: REPOSITORY,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const logFile = await until(() => /^\/.*host\.log$/m.exec(text)?.[0], { withinMs: 120_000, what: 'the stack' });
    return { kill: () => child.kill('SIGKILL'), folder: dirname(logFile) };
  };

  it('ends its servers and removes its folder; when its host is killed too, the next stack cleans up', async () => {
    const [one, two] = await Promise.all([begin(), begin()]);
    const [ofOne, ofTwo] = [one, two].map(({ folder }) => readStack(folder));
    expect(ofOne?.processes.map(({ name, isAlive }) => `${name} ${isAlive}`).sort()).toEqual([
      'postgres true',
      'temporal true',
    ]);
    one.kill();
    killOne(ofTwo?.owner);
    two.kill();
    await until(() => !existsSync(one.folder), {
      what: 'the end of the first stack',
    });
    await createStack({ worker: false });
    await until(() => !existsSync(two.folder), {
      what: 'the cleaning of the second',
    });
    const pids = [ofOne, ofTwo].flatMap((stack) => stack?.processes.map(({ pid }) => pid) ?? []);
    expect(pids.filter((pid) => identifyProcess(pid) !== undefined)).toEqual([]);
  });

  it('ends its other server and removes its folder when PostgreSQL is killed', async () => {
    const { kill, folder } = await begin();
    const processes = readStack(folder)?.processes ?? [];
    expect(processes.map(({ name }) => name).sort()).toEqual(['postgres', 'temporal']);
    killOne(processes.find(({ name }) => name === 'postgres'));
    await until(() => !existsSync(folder), { what: 'the end of the stack' });
    expect(processes.filter(({ pid }) => identifyProcess(pid) !== undefined)).toEqual([]);
    kill();
  });
});

/** Throws when there is no process to kill: pid 0 would be this process's group. */
function killOne(found: { readonly pid: number } | undefined): void {
  if (found === undefined) throw new Error('there is no such process');
  process.kill(found.pid, 'SIGKILL');
}
