/**
 * The demo as a person runs it: the compiled command in a folder of its own, nothing given but Temporal's executable from
 * PATH or cache. The processes are real, one of them is killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess, packageRoot, readStack } from '../../src/local/index.js';
import { npmCommand } from '../package/pack-package.js';
import { withDatabase } from '../support/database.js';
import { until } from '../support/until.js';

jest.setTimeout(240_000);

const MAIN = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
/** A flow waits for longer than we may stand still. */
const SLOW_REFRESH_MS = 10_000;
const SLOW_SANDBOX = {
  NODE_OPTIONS: `--require ${join(__dirname, 'slow-sandbox.cjs')}`,
  SLOW_REFRESH_MS: String(SLOW_REFRESH_MS),
};
/** Set by a developer, these would change what is tested. */
const { PATH = '', HOME = '' } = process.env;
const env = { PATH, HOME };

interface Started {
  readonly child: ChildProcess;
  readonly printed: () => string;
  readonly ended: Promise<number | null>;
}

const started: Started[] = [];
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-demo-'));
  // PostgreSQL runs as another account when we are root, and has to get through
  chmodSync(folder, 0o711);
  folders.push(folder);
  return folder;
}

function tramita(folder: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Started {
  return start([process.execPath, MAIN, ...args], folder, more);
}

/** A script of this repository in another folder, as npm runs it; without what comes before it, the installation. */
function npmRun(folder: string, script: string, args: readonly string[]): Started {
  writeFileSync(join(folder, 'package.json'), readFileSync(join(packageRoot(), 'package.json')));
  symlinkSync(join(packageRoot(), 'scripts'), join(folder, 'scripts'));
  return start([...npmCommand(), 'run', script, '--ignore-scripts', '--', ...args], folder);
}

function start(
  [command = '', ...args]: readonly string[],
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(command, args, { cwd: folder, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const run = {
    child,
    printed: () => printed,
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
  };
  started.push(run);
  return run;
}

/** Until everything is up; a command that ends before that has failed. */
async function isUp(run: Started): Promise<void> {
  await until(
    () => {
      if (run.child.exitCode !== null) throw new Error(`it ended:\n${run.printed()}`);
      return run.printed().includes('Ctrl-C stops everything');
    },
    { withinMs: 120_000, what: 'the stack to be up' },
  );
}

/** What the codec server of the stack answers without a token, and with the one that it printed the file of. */
async function shownTo(folder: string, printed: string): Promise<{ nobody: number; tokenHolder: number }> {
  const [, url = ''] = /^codec +(http:\S+)/m.exec(printed) ?? [];
  const secrets = join(folder, '.tramita', 'secrets');
  for (const name of ['payload-keys', 'codec-token']) expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600);
  const token = readFileSync(join(secrets, 'codec-token'), 'utf8').trim();
  expect(printed).not.toContain(token);
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const all = { 'content-type': 'application/json', 'x-namespace': 'default', ...headers };
    return (await fetch(`${url}/decode`, { method: 'POST', headers: all, body: '{"payloads":[]}' })).status;
  };
  return { nobody: await ask({}), tokenHolder: await ask({ authorization: `Bearer ${token}` }) };
}

function livingPids(folder: string): readonly number[] {
  return (readStack(folder)?.processes ?? []).filter(({ isAlive }) => isAlive).map(({ pid }) => pid);
}

beforeAll(() => {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run \`npm run build\` first`);
});

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    // what has outlived its npm holds on to the pipes of the test
    for (const { owner, isRunning } of folders.flatMap((folder) => readStack(folder) ?? []))
      if (isRunning) process.kill(owner.pid, 'SIGTERM');
    await ended;
  }
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('tramita demo', () => {
  it('shows every step, proves ledger and charge book equal, and leaves nothing running', async () => {
    const folder = newFolder();
    const run = tramita(folder, ['demo']);
    const exitCode = await run.ended;
    const printed = run.printed();
    const steps = [
      /service +POST \/v1\/processos\/cnj\/10000015120268260100\/solicitar-atualizacao\S* → 202, charged 0\.1/,
      /flow +waiting · waiting for the webhook of the service/,
      /webhook +\S+ delivered through the bridge, which answered 202/,
      /service +GET \/v1\/processos\/cnj\/10000015120268260100\/status-atualizacao → 200, free/,
      /service +GET \/v1\/processos\/cnj\/10000015120268260100\/documentos-publicos\S* → 200, charged 0\.2/,
      /service +GET a signed link \(not shown\) → 200, free/,
    ];
    for (const step of steps) expect(printed).toMatch(step);
    expect(printed.match(/^[0-9a-f]{64} +\d+ +\S/gm)).toHaveLength(3);
    expect(printed).toMatch(/^2 and 2 charges +0\.3 +0\.3$/m);
    expect(printed).toContain('ledger = charge book: equal');
    expect(printed).toMatch(
      /http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/refresh\.default\.\d{20}\/\S+\/history/,
    );
    expect(exitCode).toBe(0);
    expect(readStack(folder)).toBeUndefined();
  });

  it('killed with -9 while its stack is up, it leaves nothing that the next start does not clean up', async () => {
    const folder = newFolder();
    const killed = tramita(folder, ['demo', '--keep', '--encrypted']);
    await isUp(killed);
    const left = livingPids(folder);
    expect(left).toHaveLength(6);
    expect(await shownTo(folder, killed.printed())).toEqual({ nobody: 401, tokenHolder: 200 });
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(livingPids(folder)).toEqual(left);

    const next = tramita(folder, ['up']);
    await isUp(next);
    expect(next.printed()).toMatch(
      /stopping what an earlier stack \(process \d+, ended without cleaning up\) left running/,
    );
    expect(livingPids(folder).filter((pid) => left.includes(pid))).toEqual([]);
    // A folder that has begun to encrypt goes on.
    expect(next.printed()).toContain('Payloads are encrypted.');

    next.child.kill('SIGINT');
    expect(await next.ended).toBe(0);
    expect(readStack(folder)).toBeUndefined();
  });

  it('killed with -9 while its flow waits, the next one lets that flow end first, and nothing is paid twice', async () => {
    const folder = newFolder();
    const killed = tramita(folder, ['demo'], SLOW_SANDBOX);
    await until(() => killed.printed().includes('waiting for the webhook'), {
      withinMs: 120_000,
      what: 'the flow to wait',
    });
    // The demo first: it would stop what is left of its stack by itself.
    for (const pid of [killed.child.pid ?? 0, ...livingPids(folder)]) process.kill(pid, 'SIGKILL');
    await killed.ended;
    const killedAtMs = Date.now();
    // The service has ended its work while nobody listened.
    await until(() => Date.now() - killedAtMs > SLOW_REFRESH_MS);

    const next = tramita(folder, ['demo']);
    // What it printed tells why, where the code alone does not.
    if ((await next.ended) !== 0) throw new Error(next.printed());
    expect(next.printed()).toContain('of an earlier start is still on its way: it goes on where it was');
    expect(next.printed()).toContain('of the earlier start ended: done');
    expect(next.printed()).toContain('ledger = charge book: equal');
    expect(next.printed().match(/solicitar-atualizacao\S* → 202, charged/g)).toHaveLength(1);
  });

  it('does not start a second stack in the same folder, and names the process of the first; it ends when its npm is told to', async () => {
    const folder = newFolder();
    const first = npmRun(folder, 'up', ['--json']);
    await until(() => first.printed().includes('"startCommand"'), { withinMs: 120_000 });
    const second = tramita(folder, ['up']);
    expect(await second.ended).toBe(1);
    expect(second.printed()).toContain(`tramita: a stack already runs in`);
    const { owner } = readStack(folder) ?? {};
    expect(second.printed()).toContain(`(process ${String(owner?.pid)})`);
    const left = livingPids(folder);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(readStack(folder)).toBeUndefined();
    expect(left.filter((pid) => identifyProcess(pid) !== undefined)).toEqual([]);
  });

  describe('with servers that run already', () => {
    const database = withDatabase({ migrated: false });

    it('uses them, starts none, and keeps its flows from workers of others', async () => {
      const folder = newFolder();
      const run = tramita(folder, ['demo', '--json'], {
        TEMPORAL_ADDRESS: process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'] ?? '',
        TRAMITA_DATABASE_URL: database.url,
      });
      expect(await run.ended).toBe(0);
      expect(run.printed()).toContain('TEMPORAL_ADDRESS is set');
      expect(run.printed()).toContain('TRAMITA_DATABASE_URL is set');
      expect(run.printed()).not.toMatch(/started PostgreSQL|stopping the Temporal server/);
      const { charges, runUrl } = JSON.parse(/^\{[\s\S]*^\}/m.exec(run.printed())?.[0] ?? '') as {
        charges: { equal: boolean };
        runUrl: string | null;
      };
      expect({ equal: charges.equal, runUrl }).toEqual({ equal: true, runUrl: null });
    });

    it('says which of them is away', async () => {
      const gone = tramita(newFolder(), ['up'], {
        TEMPORAL_ADDRESS: '127.0.0.1:9',
        TRAMITA_DATABASE_URL: database.url,
      });
      expect(await gone.ended).toBe(1);
      expect(gone.printed()).toContain(
        'tramita: no Temporal server answers at 127.0.0.1:9; start it, or unset TEMPORAL_ADDRESS',
      );
    });
  });
});

describe('tramita doctor', () => {
  it('prints no warning of a library beside what it finds', async () => {
    const run = tramita(newFolder(), ['doctor'], {
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      TRAMITA_FILES: 's3://bucket',
      TRAMITA_FILES_REGION: 'local',
      TRAMITA_FILES_ENDPOINT: 'http://127.0.0.1:9',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    });
    expect(await run.ended).toBe(1);
    expect(run.printed()).toContain('file store: s3://bucket cannot be asked for a file (ECONNREFUSED)');
    expect(run.printed()).not.toContain('Warning');
  });
});
