import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { MakeTemporal } from '../../src/local/temporal/build-temporal.js';
import { findTemporalServer } from '../../src/local/temporal/find-temporal-server.js';
import { buildProgress } from '../../src/local/temporal/build-temporal.js';
import { TEMPORAL_CLI_VERSION, waitUntil, type FoundTemporal } from '../../src/local/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { writeProgram } from './support/folders.js';
import { startTypescript } from './support/typescript-process.js';

jest.setTimeout(180_000);

const GOOD = [`echo "temporal version ${TEMPORAL_CLI_VERSION} (Server 1.31.2, UI 2.50.1)"`];

/** A fresh machine: PATH has only what the test puts there, and the cache is empty. */
function machine() {
  const home = temporaryFolder('machine');
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const env = { PATH: bin, XDG_CACHE_HOME: join(home, 'cache'), HOME: home };
  const entry = join(home, 'cache', 'tramita', `temporal-${TEMPORAL_CLI_VERSION}`);
  return { home, bin, env, entry, executable: join(entry, 'temporal') };
}

interface Search {
  readonly found: FoundTemporal;
  readonly attempted: string[];
  readonly messages: string[];
}

/** `download` and `build` write these lines as a program, or fail with this reason. */
async function find(
  env: NodeJS.ProcessEnv,
  ways: { download?: string[] | string; build?: string[] | string } = {},
): Promise<Search> {
  const attempted: string[] = [];
  const messages: string[] = [];
  const way =
    (name: string, outcome: string[] | string): MakeTemporal =>
    ({ target }) => {
      attempted.push(name);
      if (typeof outcome === 'string') return Promise.resolve(outcome);
      writeProgram(target, outcome);
      return Promise.resolve(undefined);
    };
  const found = await findTemporalServer({
    env,
    onProgress: ({ kind, text }) => messages.push(`${kind}: ${text}`),
    download: way('download', ways.download ?? 'no internet'),
    build: way('build', ways.build ?? 'no go'),
  });
  return { found, attempted, messages };
}

describe('findTemporalServer', () => {
  it('takes the server on PATH when it is new enough, and looks no further', async () => {
    const { bin, env } = machine();
    const onPath = writeProgram(join(bin, 'temporal'), ['echo "temporal version 1.3.0 (Server 1.27.1)"']);
    const { found, attempted, messages } = await find(env);
    expect(found).toEqual({ executable: onPath, version: '1.3.0', source: 'path' });
    expect(attempted).toEqual([]);
    expect(messages).toEqual([`decision: using ${onPath} (1.3.0): it is on PATH`]);
  });

  it.each([
    ['too old', ['echo "temporal version 1.2.0 (Server 1.26.0)"'], 'is 1.2.0, older than 1.3'],
    ['broken', ['echo broken >&2; exit 3'], '`--version` fails (exit code 3: broken)'],
    ['another program', ['echo "a calendar 1.9"'], '`--version` does not name a Temporal version'],
  ])('downloads the server into the cache when that on PATH is %s', async (_title, program, reason) => {
    const { bin, env, executable } = machine();
    const onPath = writeProgram(join(bin, 'temporal'), program);
    const { found, attempted, messages } = await find(env, { download: GOOD });
    expect(found).toEqual({ executable, version: TEMPORAL_CLI_VERSION, source: 'download' });
    expect(attempted).toEqual(['download']);
    expect(messages).toContain(`step: not from PATH: ${onPath} ${reason}`);
    expect((await find(env)).found.source).toBe('cache');
  });

  it('builds the server with Go when the download fails, and then uses the cache', async () => {
    const { env, executable } = machine();
    const first = await find(env, { build: GOOD });
    expect(first.found).toEqual({ executable, version: TEMPORAL_CLI_VERSION, source: 'go-build' });
    expect(first.attempted).toEqual(['download', 'build']);
    expect(first.messages).toContain('step: not the download: no internet');
    const second = await find(env);
    expect(second.found.source).toBe('cache');
    expect(second.attempted).toEqual([]);
  });

  it('discards a download that does not run here, and builds the server', async () => {
    const { env, entry } = machine();
    const { found, messages } = await find(env, { download: ['exit 126'], build: GOOD });
    expect(found.source).toBe('go-build');
    expect(messages).toContain('step: not the download: `--version` fails (exit code 126)');
    expect(readdirSync(entry)).toEqual(['temporal']);
  });

  it('fails with one error that says what was tried and every way to help', async () => {
    const { env, entry } = machine();
    const error = await find(env).then(
      () => new Error('found'),
      (reason: unknown) => reason as Error,
    );
    expect(error.message).toMatch(/^tramita: no Temporal server could be found or built/);
    for (const part of [
      'no `temporal` on it',
      `${entry} is empty`,
      'not the download: no internet',
      'not the go-build: no go',
      'TEMPORAL_ADDRESS=',
      'on PATH',
      'temporal.download',
      'Go 1.21 or newer',
    ]) {
      expect(error.message).toContain(part);
    }
    expect(existsSync(`${entry}.lock`)).toBe(false);
  });

  it('stops looking when its signal aborts', async () => {
    const { env } = machine();
    const cancelling = new AbortController();
    const finding = findTemporalServer({
      env,
      onProgress: () => undefined,
      signal: cancelling.signal,
      download: () => {
        cancelling.abort(new Error('called off'));
        return Promise.resolve('no internet');
      },
      build: () => Promise.reject(new Error('must not be reached')),
    });
    await expect(finding).rejects.toThrow('called off');
  });
});

describe('a cache entry', () => {
  it.each([
    ['truncated', (file: string) => truncateSync(file, 3)],
    ['not executable', (file: string) => chmodSync(file, 0o644)],
    ['replaced by something that does not run', (file: string) => writeFileSync(file, '#!/bin/sh\nexit 9\n')],
    [
      'replaced by another version',
      (file: string) => writeFileSync(file, '#!/bin/sh\necho "temporal version 1.7.0 (Server 1.31.0)"\n'),
    ],
  ])('that is %s is reported and made again', async (_title, breakIt) => {
    const { env, executable } = machine();
    await find(env, { build: GOOD });
    breakIt(executable);
    const { found, messages } = await find(env, { build: GOOD });
    expect(found.source).toBe('go-build');
    expect(messages.some((line) => line.startsWith(`step: not the cache: ${executable} `))).toBe(true);
    expect((await find(env)).found.source).toBe('cache');
  });
});

describe('two processes that need the server at the same time', () => {
  /** A fake `go` that runs as long as the file `hold` exists. It counts its builds and writes a tiny program. */
  function fakeGo(bin: string, home: string): void {
    writeProgram(join(bin, 'go'), [
      'if [ "$1" = version ]; then echo "go version go1.26.8 linux/amd64"; exit 0; fi',
      `echo build >> ${join(home, 'builds')}`,
      'while [ "$1" != -o ]; do shift; done',
      'echo "github.com/some/package" >&2',
      `while [ -e ${join(home, 'hold')} ]; do /bin/sleep 0.05; done`,
      `printf '#!/bin/sh\\n%s\\n' '${GOOD[0]!}' > "$2"`,
    ]);
  }

  it('build it once: the second one reports that it waits, and uses the result', async () => {
    const { home, bin, env } = machine();
    fakeGo(bin, home);
    writeFileSync(join(home, 'hold'), '');
    const both = [startTypescript('get-temporal.ts', [], env), startTypescript('get-temporal.ts', [], env)];
    const waiter = (): string | undefined =>
      both.flatMap(({ lines }) => lines).find((line) => line.includes('waiting: '));
    await waitUntil({ what: 'one that waits', deadlineMs: 90_000, check: () => waiter() !== undefined });
    expect(waiter()).toMatch(/waiting: process \d+ is getting it already/);
    rmSync(join(home, 'hold'));
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
    expect(readFileSync(join(home, 'builds'), 'utf8')).toBe('build\n');
    expect(both.map(({ lines }) => lines.at(-1)).sort()).toEqual(['source: cache', 'source: go-build']);
  });

  it('recover from a killed build: the next process removes its lock and builds', async () => {
    const { home, bin, env, entry } = machine();
    fakeGo(bin, home);
    writeFileSync(join(home, 'hold'), '');
    const killed = startTypescript('get-temporal.ts', [], env);
    await waitUntil({
      what: 'the start of the build',
      deadlineMs: 90_000,
      check: () => existsSync(join(home, 'builds')),
    });
    killed.child.kill('SIGKILL');
    await killed.ended;
    rmSync(join(home, 'hold'));
    expect(existsSync(`${entry}.lock`)).toBe(true);
    const next = startTypescript('get-temporal.ts', [], env);
    expect(await next.ended).toBe(0);
    expect(next.lines.at(-1)).toBe('source: go-build');
    expect(existsSync(`${entry}.lock`)).toBe(false);
  });
});

describe('buildProgress', () => {
  it.each([
    [{ downloads: 0, packages: 0, isLinking: false, elapsedMs: 900 }, '1 s, starting'],
    [{ downloads: 31, packages: 0, isLinking: false, elapsedMs: 8_000 }, '8 s, 31 modules downloaded'],
    [
      { downloads: 31, packages: 420, isLinking: false, elapsedMs: 83_000 },
      '1 min 23 s, compiled 420 of about 1720 packages',
    ],
    [{ downloads: 31, packages: 1_720, isLinking: true, elapsedMs: 290_000 }, '4 min 50 s, linking'],
  ])('describes %j as %s', (seen, text) => {
    expect(buildProgress(seen)).toBe(text);
  });
});
