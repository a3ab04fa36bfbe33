/** The sandbox as a program: what it prints, how it stops, and that SIGKILL loses no charge and no pending work. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.js';
import { callerOf, closeSandboxes, HAPPY, paths, start, until, type Caller } from './support/client.js';
import type { Sandbox } from '../../sandbox/index.js';

const root = resolve(__dirname, '../..');
const main = join(root, 'dist/sandbox/main.js');
const children: ChildProcess[] = [];
let dataDir = '';

beforeAll(() => {
  try {
    execFileSync(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '--build', 'tsconfig.sandbox.json'],
      {
        cwd: root,
        stdio: 'pipe',
      },
    );
  } catch {
    // The type-check reports type errors. This test needs only the program, and fails below without it.
  }
});
beforeEach(() => {
  dataDir = temporaryFolder('sandbox');
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  await closeSandboxes();
});

async function run(...args: string[]): Promise<{ child: ChildProcess; sandbox: Caller; printed: () => string }> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const printed = await until(
    () => Promise.resolve(output),
    (text) => text.includes('charges'),
    25_000,
  );
  const urls = JSON.parse(/^sandbox ready (.*)$/m.exec(printed)![1]!) as Omit<Sandbox, 'close'>;
  return { child, sandbox: callerOf({ ...urls, close: () => Promise.resolve() }), printed: () => output };
}

const exited = (child: ChildProcess) =>
  new Promise<number | string | null>((resolveExit) =>
    child.once('exit', (code, signal) => resolveExit(code ?? signal)),
  );

test('a sandbox killed with SIGKILL during charged calls restarts with every charge that a client saw', async () => {
  const first = await run('--data-dir', dataDir, '--refresh-ms', '60000');
  const seen = new Set<string>();
  let stop = false;
  const callers = Array.from({ length: 4 }, async () => {
    while (!stop) {
      const reply = await first.sandbox.post(paths.refresh(HAPPY));
      if (reply.status === 202 && reply.complete) seen.add(reply.json.data.requestId);
    }
  });
  await until(
    () => Promise.resolve(seen.size),
    (size) => size >= 40,
  );
  const exit = exited(first.child);
  first.child.kill('SIGKILL');
  stop = true;
  await Promise.all([exit, ...callers]);

  const second = await run('--data-dir', dataDir, '--refresh-ms', '60000');
  const charges = await second.sandbox.charges();
  const booked = new Set(charges.map(({ requestId }) => requestId));
  expect([...seen].filter((id) => !booked.has(id))).toEqual([]);
  // At most the calls in flight at the kill were charged without their client knowing.
  expect(charges.length - seen.size).toBeLessThanOrEqual(4);
  for (const id of [...seen].slice(-5)) expect((await second.sandbox.get(paths.request(id))).status).toBe(202);

  const next = await second.sandbox.post(paths.refresh(HAPPY));
  const after = await second.sandbox.charges();
  expect(after.at(-1)).toMatchObject({ n: charges.length + 1, requestId: next.json.data.requestId });
  const spent = after.reduce((sum, { amount }) => sum + amount, 0);
  expect(next.json.meta.creditsRemaining).toBe((10_000_000 - spent) / 10_000);
});

test('the program prints addresses, keys, personas and how to inject a fault, and SIGTERM ends it with exit code 0', async () => {
  const { child, sandbox, printed } = await run(
    '--port',
    '0',
    '--documents-port',
    '0',
    '--refresh-ms',
    '10',
    '--seed',
    'x',
  );
  expect(printed()).toContain(sandbox.url);
  expect(printed()).toMatch(/sandbox-key .* forbidden-key .* empty-key/);
  expect(printed()).toContain(HAPPY);
  expect(printed()).toContain('/__control/faults');
  const exit = exited(child);
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

test.each([
  [['--port', 'x'], /^tramita: sandbox options: port.*; seen: "x"\nusage: /],
  [['--port', ''], /^tramita: sandbox options: port.*; seen: ""\nusage: /],
  [['--per-minute', 'many'], /^tramita: sandbox options: rateLimits.perMinute.*; seen: "many"\nusage: /],
  [
    ['--port', '0', '--data-dir', main],
    /^tramita: sandbox options: dataDir: ".*main\.js" cannot be written \(EEXIST\)/,
  ],
  [['--nope'], /^tramita: Unknown option '--nope'.*\nusage: /],
  [['--dialect', '{'], /^tramita: --dialect is no JSON: .*\nusage: /],
])('an invalid option (%j) ends the program with a message and exit code 2', async (args, message) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  expect(await exited(child)).toBe(2);
  expect(errors).toMatch(message);
});

test('a restart completes a running refresh and keeps the final answer of a finished one', async () => {
  const options = { dataDir, refreshMs: 400 };
  const before = await start(options);
  const done = (await before.post(paths.refresh(HAPPY))).json.data.requestId;
  const final = await until(
    () => before.get(paths.request(done)),
    (reply) => reply.status === 200,
  );
  const running = (await before.post(paths.refresh(HAPPY))).json.data.requestId;
  await closeSandboxes();
  const after = await start(options);
  expect((await after.get(paths.request(done))).bytes.equals(final.bytes)).toBe(true);
  const late = await until(
    () => after.get(paths.request(running)),
    (reply) => reply.status !== 202,
  );
  expect(late.json.data).toMatchObject({ requestId: running, status: 'SUCESSO' });
  expect(await after.charges()).toHaveLength(2);
});

test('with debit at completion, work that ended while the sandbox was down is debited once', async () => {
  const options = { dataDir, refreshMs: 50, dialect: { debitAt: 'completion' as const } };
  const before = await start(options);
  const id = (await before.post(paths.refresh(HAPPY))).json.data.requestId;
  await closeSandboxes();
  await new Promise((resolveWait) => setTimeout(resolveWait, 60));
  for (let restart = 0; restart < 2; restart += 1) {
    const after = await start(options);
    expect((await after.get(paths.request(id))).status).toBe(200);
    expect(await after.charges()).toHaveLength(1);
    await closeSandboxes();
  }
});

test('a charge book line torn by a crash is dropped, and the next line is written whole', async () => {
  const before = await start({ dataDir });
  await before.post(paths.refresh(HAPPY));
  await closeSandboxes();
  appendFileSync(join(dataDir, 'charge-book.jsonl'), '{"kind":"charge","n":2,"amo');
  const after = await start({ dataDir });
  expect(await after.charges()).toHaveLength(1);
  await after.post(paths.refresh(HAPPY));
  await closeSandboxes();
  const lines = readFileSync(join(dataDir, 'charge-book.jsonl'), 'utf8').trimEnd().split('\n');
  expect(
    lines.map((line) => (JSON.parse(line) as { kind: string }).kind).filter((kind) => kind === 'charge'),
  ).toHaveLength(2);
});

test.each([
  // A folder that takes no folder and says ENOENT. On a read-only disk the code is EROFS.
  ['/proc/x', 'ENOENT'],
  ['/proc/x/y', 'ENOENT'],
  ['file', 'EEXIST'],
  ['file/below', 'ENOTDIR'],
  ['folder', 'EISDIR'],
])('a data folder that cannot be written ends the program at once, with its name and the reason (%s)', (name, code) => {
  writeFileSync(join(dataDir, 'file'), '');
  mkdirSync(join(dataDir, 'folder/charge-book.jsonl'), { recursive: true });
  const folder = resolve(dataDir, name);
  const { status, stderr } = spawnSync(process.execPath, [main, '--port', '0', '--data-dir', folder], {
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  expect(stderr).toContain(`tramita: sandbox options: dataDir: "${folder}" cannot be written (${code}); name a folder`);
  expect(status).toBe(2);
});
