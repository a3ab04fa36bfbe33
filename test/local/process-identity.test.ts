import { spawn } from 'node:child_process';
import {
  identifyProcess,
  isAlive,
  ownIdentity,
  parseProcStat,
  parsePsLine,
} from '../../src/local/process/process-identity.js';
import { stopProcess } from '../../src/local/process/stop-process.js';

describe('a process identity (pid and start)', () => {
  it.each([
    ['a plain name', '42 (node) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 98765 1 2', 'S', '98765'],
    [
      'a name with a space and parentheses',
      '42 (a) (b c) Z 1 42 42 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 777 0 0',
      'Z',
      '777',
    ],
  ])('is read with the state from /proc for %s', (_title, stat, state, startTicks) => {
    expect(parseProcStat(stat)).toEqual({ state, startTicks });
  });

  it('is undefined for text that is no stat line', () => {
    expect(parseProcStat('')).toBeUndefined();
    expect(parseProcStat('42 (node) S 1 2')).toBeUndefined();
  });

  it('is read with the state from ps where there is no /proc', () => {
    expect(parsePsLine('Ss   Fri Nov 20 23:32:11 2026\n')).toEqual({
      state: 'Ss',
      startedAt: 'Fri Nov 20 23:32:11 2026',
    });
    expect(parsePsLine('')).toBeUndefined();
  });

  it('is that of another process when the pid is equal and the start differs', () => {
    expect(isAlive(ownIdentity())).toBe(true);
    expect(isAlive({ ...ownIdentity(), startMark: 'earlier' })).toBe(false);
  });

  it.each([0, -1, 1.5, Number.NaN, 4_194_305])('is undefined for the pid %p', (pid) => {
    expect(identifyProcess(pid)).toBeUndefined();
  });

  it('protects another process with a recycled pid from stopProcess', async () => {
    const stranger = spawn('/bin/sleep', ['60']);
    const identity = identifyProcess(stranger.pid ?? 0)!;
    await expect(stopProcess({ identity: { ...identity, startMark: 'earlier' } })).resolves.toBe('already-gone');
    expect(isAlive(identity)).toBe(true);
    await expect(stopProcess({ identity })).resolves.toBe('stopped');
    expect(isAlive(identity)).toBe(false);
  });

  it('lets stopProcess kill a process that ignores SIGTERM', async () => {
    const stubborn = spawn('/bin/sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'], {
      detached: true,
    });
    await new Promise((resolve) => stubborn.stdout.once('data', resolve));
    const identity = identifyProcess(stubborn.pid ?? 0)!;
    await expect(stopProcess({ identity, graceMs: 200, leadsGroup: true })).resolves.toBe('killed');
  });
});
