/**
 * The demo as a person runs it: the compiled command in a folder of its own, with nothing but Temporal's executable from
 * PATH or cache. The processes are real, and some of them are killed.
 */
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
import { TRAMITA } from '../../soak/command.js';
import { identifyProcess, packageRoot, readStack } from '../../src/local/index.js';
import { npmCommand } from '../package/pack-package.js';
import { withDatabase } from '../support/database.js';
import { launch, type Launched } from '../support/launch.js';
import { until } from '../support/until.js';

/** Longer than the machine may stall, so that the flow still waits when its processes are killed. */
const SLOW_REFRESH_MS = 10_000;
const SLOW_SANDBOX = {
  NODE_OPTIONS: `--require ${join(__dirname, 'slow-sandbox.cjs')}`,
  SLOW_REFRESH_MS: String(SLOW_REFRESH_MS),
};

/** A program, and all that it has printed on both outputs. */
type Started = Launched & { readonly printed: () => string };

const started: Started[] = [];
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-demo-'));
  // As root, PostgreSQL runs under another account, which has to enter this folder.
  chmodSync(folder, 0o711);
  folders.push(folder);
  return folder;
}

function tramita(folder: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Started {
  return start([process.execPath, TRAMITA, ...args], folder, more);
}

/** Runs an npm script of this repository in another folder, without its pre-script, which would install packages. */
function npmRun(folder: string, script: string, args: readonly string[]): Started {
  writeFileSync(join(folder, 'package.json'), readFileSync(join(packageRoot(), 'package.json')));
  symlinkSync(join(packageRoot(), 'scripts'), join(folder, 'scripts'));
  return start([...npmCommand(), 'run', script, '--ignore-scripts', '--', ...args], folder);
}

function start(command: readonly string[], folder: string, more: Readonly<Record<string, string>> = {}): Started {
  const launched = launch(command, more, folder);
  const run = { ...launched, printed: () => `${launched.out()}${launched.err()}` };
  started.push(run);
  return run;
}

/** Waits until the stack is up. Throws when the command ends before that. */
async function untilUp(run: Started): Promise<void> {
  await until(
    () => {
      if (run.child.exitCode !== null) throw new Error(`it ended:\n${run.printed()}`);
      return run.printed().includes('Ctrl-C stops everything');
    },
    { withinMs: 120_000, what: 'the stack to be up' },
  );
}

/** HTTP statuses of the stack's codec server: without a token, and with the token in the stack's secrets folder. */
async function codecStatuses(folder: string, printed: string): Promise<{ withoutToken: number; withToken: number }> {
  const [, url = ''] = /^codec +(http:\S+)/m.exec(printed) ?? [];
  const secrets = join(folder, '.tramita', 'secrets');
  for (const name of ['payload-keys', 'codec-token']) expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600);
  const token = readFileSync(join(secrets, 'codec-token'), 'utf8').trim();
  expect(printed).not.toContain(token);
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const all = { 'content-type': 'application/json', 'x-namespace': 'default', ...headers };
    return (await fetch(`${url}/decode`, { method: 'POST', headers: all, body: '{"payloads":[]}' })).status;
  };
  return { withoutToken: await ask({}), withToken: await ask({ authorization: `Bearer ${token}` }) };
}

function livingPids(folder: string): readonly number[] {
  return (readStack(folder)?.processes ?? []).filter(({ isAlive }) => isAlive).map(({ pid }) => pid);
}

beforeAll(() => {
  if (!existsSync(TRAMITA)) throw new Error(`${TRAMITA} is missing: run \`npm run build\` first`);
});

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    // A process that outlives its npm keeps the pipes of the test open.
    for (const { owner, isRunning } of folders.flatMap((folder) => readStack(folder) ?? []))
      if (isRunning) process.kill(owner.pid, 'SIGTERM');
    await ended;
  }
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('tramita demo', () => {
  it('prints every step, shows that ledger and charge book are equal, and leaves nothing running', async () => {
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

  it('is cleaned up by the next start after a SIGKILL while its stack is up', async () => {
    const folder = newFolder();
    const killed = tramita(folder, ['demo', '--keep', '--encrypted']);
    await untilUp(killed);
    const leftPids = livingPids(folder);
    expect(leftPids).toHaveLength(6);
    expect(await codecStatuses(folder, killed.printed())).toEqual({ withoutToken: 401, withToken: 200 });
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(livingPids(folder)).toEqual(leftPids);

    const next = tramita(folder, ['up']);
    await untilUp(next);
    expect(next.printed()).toMatch(
      /stopping what an earlier stack \(process \d+, ended without cleaning up\) left running/,
    );
    expect(livingPids(folder).filter((pid) => leftPids.includes(pid))).toEqual([]);
    // A folder that was started with encryption keeps it.
    expect(next.printed()).toContain('Payloads are encrypted.');

    next.child.kill('SIGINT');
    expect(await next.ended).toBe(0);
    expect(readStack(folder)).toBeUndefined();
  });

  it('first finishes the waiting flow of a demo that was killed with SIGKILL, and pays nothing twice', async () => {
    const folder = newFolder();
    const killed = tramita(folder, ['demo'], SLOW_SANDBOX);
    await until(() => killed.printed().includes('waiting for the webhook'), {
      withinMs: 120_000,
      what: 'the flow to wait',
    });
    // The demo first: while it lives, it would stop the rest of its stack itself.
    for (const pid of [killed.child.pid ?? 0, ...livingPids(folder)]) process.kill(pid, 'SIGKILL');
    await killed.ended;
    const killedAtMs = Date.now();
    // The service's work becomes due while no program of ours runs.
    await until(() => Date.now() - killedAtMs > SLOW_REFRESH_MS);

    const next = tramita(folder, ['demo']);
    // The exit code alone would not say what failed.
    if ((await next.ended) !== 0) throw new Error(next.printed());
    expect(next.printed()).toContain('of an earlier start is still running: it continues where it was');
    expect(next.printed()).toContain('of the earlier start ended: done');
    expect(next.printed()).toContain('ledger = charge book: equal');
    expect(next.printed().match(/solicitar-atualizacao\S* → 202, charged/g)).toHaveLength(1);
  });

  it('refuses a second stack in the same folder, and ends the first one when its npm gets SIGTERM', async () => {
    const folder = newFolder();
    const first = npmRun(folder, 'up', ['--json']);
    await until(() => first.printed().includes('"startCommand"'), { withinMs: 120_000 });
    const second = tramita(folder, ['up']);
    expect(await second.ended).toBe(1);
    expect(second.printed()).toContain(`tramita: a stack already runs in`);
    const { owner } = readStack(folder) ?? {};
    expect(second.printed()).toContain(`(process ${String(owner?.pid)})`);
    const leftPids = livingPids(folder);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(readStack(folder)).toBeUndefined();
    expect(leftPids.filter((pid) => identifyProcess(pid) !== undefined)).toEqual([]);
  });

  describe('with servers that already run', () => {
    const database = withDatabase({ migrated: false });

    it('uses those servers, starts none, and keeps its flows from other workers', async () => {
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

    it('names the server that does not answer', async () => {
      const failed = tramita(newFolder(), ['up'], {
        TEMPORAL_ADDRESS: '127.0.0.1:9',
        TRAMITA_DATABASE_URL: database.url,
      });
      expect(await failed.ended).toBe(1);
      expect(failed.printed()).toContain(
        'tramita: no Temporal server answers at 127.0.0.1:9; start it, or unset TEMPORAL_ADDRESS',
      );
    });
  });
});

describe('tramita doctor', () => {
  it('prints its findings without warnings of libraries', async () => {
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
