import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  claimStack,
  cleanLeftovers,
  readStack,
  waitUntil,
  type LocalProgress,
  type Stack,
} from '../../src/local/index.js';
import { identifyProcess } from '../../src/local/process/process-identity.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startTypescript, type TypescriptProcess } from './support/typescript-process.js';

jest.setTimeout(240_000);

const env = { PATH: process.env['PATH'] };
const quiet = (): void => undefined;

function openFolder(): string {
  const folder = temporaryFolder('stack');
  chmodSync(folder, 0o755);
  return folder;
}

/** Starts a stack in a process of its own and waits until it is up. */
async function holdStack(root: string, more: 'with-postgres' | 'alone'): Promise<TypescriptProcess> {
  const holder = startTypescript('hold-stack.ts', [root, more], env);
  await waitUntil({
    what: `a stack in another process (${holder.lines.join(' | ')})`,
    deadlineMs: 100_000,
    check: () => holder.lines.includes('up'),
  });
  return holder;
}

const aliveNames = (root: string): string[] =>
  readStack(root)!
    .processes.filter((process) => process.isAlive)
    .map(({ name }) => name);

describe('the stack of a folder', () => {
  it('is recorded in a private file while it runs, and no longer after a clean end', async () => {
    const root = openFolder();
    const holder = await holdStack(root, 'alone');
    expect(readStack(root)).toMatchObject({
      isRunning: true,
      owner: { pid: holder.child.pid },
      processes: [{ name: 'sleeper', isAlive: true }],
    });
    expect(statSync(join(root, '.tramita', 'stack.json')).mode & 0o777).toBe(0o600);
    const [{ pid } = { pid: 0 }] = readStack(root)!.processes;
    holder.child.kill('SIGTERM');
    expect(await holder.ended).toBe(0);
    expect(holder.lines.at(-1)).toBe('end {"ended":"requested","why":"SIGTERM","signal":"SIGTERM","problems":[]}');
    expect(identifyProcess(pid)).toBeUndefined();
    expect(readStack(root)).toBeUndefined();
    expect(existsSync(join(root, '.tramita', 'stack.lock'))).toBe(false);
  });

  it('has one owner: a second claim fails with the pid and how to stop it, and changes nothing', async () => {
    const root = openFolder();
    const holder = await holdStack(root, 'alone');
    const pid = String(holder.child.pid);
    await expect(claimStack({ root, onProgress: quiet })).rejects.toThrow(
      `tramita: a stack already runs in ${join(root, '.tramita')} (process ${pid}); stop it with Ctrl-C in its terminal or \`kill ${pid}\``,
    );
    await expect(cleanLeftovers({ root, onProgress: quiet })).rejects.toThrow(`(process ${pid})`);
    expect(aliveNames(root)).toEqual(['sleeper']);
    holder.child.kill('SIGTERM');
    expect(await holder.ended).toBe(0);
  });

  it('names the folder that cannot be made, and why', async () => {
    const root = join(openFolder(), 'a-file');
    writeFileSync(root, '');
    const claim = (folder: string): Promise<Stack> => claimStack({ root: folder, onProgress: quiet });
    const cannot = (folder: string, code: string): string =>
      `tramita: ${join(folder, '.tramita')} cannot be created (${code}); run it in a folder that you may write to`;
    await expect(claim(root)).rejects.toThrow(cannot(root, 'ENOTDIR'));
    // With `recursive`, Node would retry this forever.
    if (existsSync('/proc/self')) await expect(claim('/proc')).rejects.toThrow(cannot('/proc', 'ENOENT'));
    const taken = openFolder();
    writeFileSync(join(taken, '.tramita'), '');
    await expect(claim(taken)).rejects.toThrow(cannot(taken, 'EEXIST'));
  });

  it('ends when a part dies, and names it', async () => {
    const root = openFolder();
    const holder = await holdStack(root, 'alone');
    process.kill(readStack(root)!.processes[0]!.pid, 'SIGKILL');
    expect(await holder.ended).toBe(0);
    expect(holder.lines.at(-1)).toBe('end {"ended":"requested","why":"sleeper: signal SIGKILL","problems":[]}');
  });
});

it('a stack ends when its PostgreSQL dies, which is not its child process', async () => {
  const root = openFolder();
  const holder = await holdStack(root, 'with-postgres');
  const postgres = readStack(root)!.processes.find(({ name }) => name === 'postgres')!;
  process.kill(postgres.pid, 'SIGKILL');
  expect(await holder.ended).toBe(0);
  expect(holder.lines.at(-1)).toBe('end {"ended":"requested","why":"postgres","problems":[]}');
});

describe('a stack that was killed with SIGKILL', () => {
  it('is stopped by pid at the next start, and the database comes back with its data', async () => {
    const root = openFolder();
    const killed = await holdStack(root, 'with-postgres');
    const url = killed.lines.find((line) => line.startsWith('url '))!.slice(4);
    await query(url, 'CREATE TABLE kept AS SELECT 7 AS n');
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(aliveNames(root)).toEqual(['postgres', 'sleeper']);
    const [postgres, sleeper] = readStack(root)!.processes;

    const next = await holdStack(root, 'with-postgres');
    expect(next.lines[0]).toMatch(
      new RegExp(
        `^stopping what an earlier stack .* left running: sleeper \\(${sleeper!.pid}\\), postgres \\(${postgres!.pid}\\)$`,
      ),
    );
    expect(identifyProcess(sleeper!.pid)).toBeUndefined();
    expect(identifyProcess(postgres!.pid)).toBeUndefined();
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    next.child.kill('SIGTERM');
    expect(await next.ended).toBe(0);
    await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('is not stopped by a pid that now belongs to another process', async () => {
    const root = openFolder();
    const killed = await holdStack(root, 'alone');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const file = join(root, '.tramita', 'stack.json');
    const pid = readStack(root)!.processes[0]!.pid;
    const honest = readFileSync(file, 'utf8');
    const startMark = (JSON.parse(honest) as { processes: [{ startMark: string }] }).processes[0].startMark;
    writeFileSync(file, honest.replaceAll(startMark, 'earlier'));
    const messages: LocalProgress[] = [];
    const stack = await claimStack({ root, onProgress: (progress) => messages.push(progress) });
    expect(messages).toEqual([]);
    expect(identifyProcess(pid)).toBeDefined();
    stack.release();
    writeFileSync(file, honest);
    await cleanLeftovers({ root, onProgress: quiet });
    expect(identifyProcess(pid)).toBeUndefined();
  });

  it('stays recorded when it is released while one of its processes lives', async () => {
    const root = openFolder();
    const stack: Stack = await claimStack({ root, onProgress: quiet });
    const holder = await holdStack(openFolder(), 'alone');
    stack.recordProcess({ name: 'stubborn', identity: identifyProcess(holder.child.pid!)! });
    stack.release();
    expect(readStack(root)).toMatchObject({ processes: [{ name: 'stubborn', isAlive: true }] });
    holder.child.kill('SIGTERM');
    await holder.ended;
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
