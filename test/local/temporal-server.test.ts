import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startTemporalServer, type TemporalServer } from '../../src/local/index.js';
import { isAlive, type ProcessIdentity } from '../../src/local/process/process-identity.js';
import { cacheProblem, temporalCacheEntry } from '../../src/local/temporal/temporal-cache.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { writeProgram } from './support/folders.js';

jest.setTimeout(240_000);

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
const entry = temporalCacheEntry(process.env);
const { executable } = entry;
const searchAttributes = { TramitaFlow: 'Keyword' };

let running: TemporalServer | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function start(
  folder: string,
  more: Partial<Parameters<typeof startTemporalServer>[0]> = {},
): Promise<TemporalServer> {
  const server = await startTemporalServer({
    executable,
    dataDir: join(folder, 'temporal'),
    logFile: join(folder, 'temporal.log'),
    env,
    searchAttributes,
    ...more,
  });
  running = server;
  return server;
}

async function describeNamespace(uiUrl: string): Promise<string | undefined> {
  const response = await fetch(`${uiUrl}/api/v1/namespaces/default`);
  return ((await response.json()) as { namespaceInfo?: { id?: string } }).namespaceInfo?.id;
}

describe('a real Temporal server', () => {
  // The executable comes from `npm run demo`, `npm test` or findTemporalServer.
  beforeAll(async () => {
    const problem = await cacheProblem(entry, process.env);
    if (problem !== undefined) throw new Error(`${problem}: get it by \`npm run demo\` first`);
  });

  it('answers when it is started, keeps data and ports across a restart, and is gone when stopped', async () => {
    const folder = temporaryFolder('temporal');
    const spawned: ProcessIdentity[] = [];
    const first = await start(folder, { onSpawn: (identity) => spawned.push(identity) });
    expect(spawned).toEqual([first.identity]);
    expect(first.address).toMatch(/^127\.0\.0\.1:\d+$/);
    const namespace = await describeNamespace(first.uiUrl);
    expect(namespace).toEqual(expect.any(String));
    await first.stop();
    expect(isAlive(first.identity)).toBe(false);

    const second = await start(folder);
    expect([second.address, second.uiUrl]).toEqual([first.address, first.uiUrl]);
    expect(await describeNamespace(second.uiUrl)).toBe(namespace);
  });

  it('takes another port when that of its last run is taken', async () => {
    const folder = temporaryFolder('temporal');
    const first = await start(folder);
    await first.stop();
    const squatter = createServer().listen(Number(first.address.split(':')[1]), '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const second = await start(folder);
    expect(second.address).not.toBe(first.address);
    expect(second.uiUrl).toBe(first.uiUrl);
    await new Promise((resolve) => squatter.close(resolve));
  });

  it('refuses to use a folder that a living process already uses, and names that process', async () => {
    const folder = temporaryFolder('temporal');
    const first = await start(folder);
    await expect(
      startTemporalServer({ executable, dataDir: join(folder, 'temporal'), logFile: join(folder, 'other.log'), env }),
    ).rejects.toThrow(`tramita: a Temporal server (process ${first.pid}) of process ${process.pid} already uses`);
    expect(isAlive(first.identity)).toBe(true);
  });

  it('starts again with its data after kill -9, and the kill is reported', async () => {
    const folder = temporaryFolder('temporal');
    const reported = new Promise((resolve) => {
      void start(folder, { onExit: resolve }).then((first) => process.kill(first.pid, 'SIGKILL'));
    });
    expect(await reported).toEqual({
      name: 'the Temporal server',
      how: 'signal SIGKILL',
      logFile: join(folder, 'temporal.log'),
    });
    const namespace = await describeNamespace((await start(folder)).uiUrl);
    expect(namespace).toEqual(expect.any(String));
  });
});

describe('a Temporal server that does not start', () => {
  it('fails with the end of its log', async () => {
    const folder = temporaryFolder('temporal');
    const program = writeProgram(join(folder, 'temporal-tool'), ['echo "disk on fire" >&2', 'exit 7']);
    await expect(start(folder, { executable: program })).rejects.toThrow(
      /ended while starting: exit code 7\. Its log .* ends with:\ndisk on fire/,
    );
  });

  it('is tried again on other ports when a port was taken meanwhile', async () => {
    const folder = temporaryFolder('temporal');
    const program = writeProgram(join(folder, 'temporal-tool'), [
      'echo "bind: address already in use"',
      `echo "$8" >> ${join(folder, 'ports')}`,
      'exit 1',
    ]);
    await expect(start(folder, { executable: program })).rejects.toThrow('address already in use');
    const ports = readFileSync(join(folder, 'ports'), 'utf8').trim().split('\n');
    expect(new Set(ports).size).toBe(3);
  });

  it('fails at once when the port that was asked for is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const { port } = squatter.address() as { port: number };
    const starting = start(temporaryFolder('temporal'), { ports: { grpc: port, ui: port + 1 } });
    await expect(starting).rejects.toThrow(`tramita: port ${port} for Temporal is taken`);
    await new Promise((resolve) => squatter.close(resolve));
  });
});
