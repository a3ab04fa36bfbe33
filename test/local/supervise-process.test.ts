import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { superviseProcess, waitUntil, type ProcessIdentity } from '../../src/local/index.js';
import { identifyProcess, isAlive } from '../../src/local/process/process-identity.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('a supervised program', () => {
  const supervise = (script: string, more: Partial<Parameters<typeof superviseProcess>[0]> = {}) =>
    superviseProcess({
      name: 'worker',
      command: '/bin/sh',
      args: ['-c', script],
      env: { PATH: '/bin:/usr/bin' },
      logFile: join(temporaryFolder('supervise'), 'logs', 'worker.log'),
      onExit: () => undefined,
      ...more,
    });

  it('is started once isReady says so, logs without prefixes, and reports no exit when stopped', async () => {
    const onExit = jest.fn();
    const answers: boolean[] = [];
    const logFile = join(temporaryFolder('supervise'), 'logs', 'worker.log');
    const worker = await supervise('echo one; echo two >&2; exec sleep 60', {
      onExit,
      logFile,
      isReady: () => {
        answers.push(answers.length >= 2 && sizeOf(logFile) === 'one\ntwo\n'.length);
        return answers.at(-1) === true;
      },
    });
    expect(answers.length).toBeGreaterThanOrEqual(3);
    expect(answers.indexOf(true)).toBe(answers.length - 1);
    await worker.stop();
    expect((await worker.ended).how).toBe('signal SIGTERM');
    expect(readFileSync(worker.logFile, 'utf8')).toBe('one\ntwo\n');
    expect(onExit).not.toHaveBeenCalled();
  });

  it('fails with the end of its log when it exits while starting', async () => {
    const starting = supervise('echo no database >&2; exit 4', { isReady: () => false });
    await expect(starting).rejects.toThrow(
      /^tramita: worker ended while starting: exit code 4\. Its log .* ends with:\nno database$/,
    );
  });

  it('fails when it is never ready, and is stopped', async () => {
    const spawned: ProcessIdentity[] = [];
    const starting = supervise('exec sleep 60', {
      isReady: () => false,
      readyWithinMs: 200,
      onSpawn: (identity) => spawned.push(identity),
    });
    await expect(starting).rejects.toThrow(/^tramita: the start of worker did not happen within/);
    expect(spawned.map(isAlive)).toEqual([false]);
  });

  it('fails when its executable does not exist', async () => {
    await expect(supervise('', { command: '/no/such/program' })).rejects.toThrow(
      /worker ended while starting: cannot be run: .*ENOENT/,
    );
  });

  it('is reported when it exits by itself', async () => {
    const end = await new Promise((resolve, reject) => {
      supervise('sleep 1; exit 5', { onExit: resolve }).catch(reject);
    });
    expect(end).toMatchObject({ name: 'worker', how: 'exit code 5' });
  });

  it('is killed together with its children', async () => {
    const folder = temporaryFolder('supervise');
    const worker = await supervise(
      `trap "" TERM; sleep 600 & echo $! > ${join(folder, 'child')}; wait; wait; while :; do sleep 1; done`,
      {
        stopGraceMs: 300,
        isReady: () => sizeOf(join(folder, 'child')) > 0,
      },
    );
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    await worker.stop();
    expect((await worker.ended).how).toBe('signal SIGKILL');
    await waitUntil({
      what: 'the end of the child',
      deadlineMs: 30_000,
      check: () => identifyProcess(child) === undefined,
    });
  });
});

function sizeOf(file: string): number {
  try {
    return readFileSync(file).length;
  } catch {
    return 0;
  }
}
