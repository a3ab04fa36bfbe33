import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  decideLock,
  FOREIGN_LOCK_STALE_MS,
  tryLock,
  UNREADABLE_LOCK_STALE_MS,
  withLock,
  type LockHolder,
} from '../../src/local/process/file-lock.js';
import { temporaryFolder } from './support/folders.js';

jest.setTimeout(60_000);

const holder: LockHolder = { pid: 4711, startMark: 'boot:1', host: 'here', token: 't', purpose: 'building' };

describe('whether a lock in the way still counts', () => {
  it.each([
    [
      'a living holder here holds it, however long',
      { holder, untouchedMs: 9e9, host: 'here', isHolderAlive: true },
      'held',
    ],
    [
      'a dead holder here has left it behind, at once',
      { holder, untouchedMs: 0, host: 'here', isHolderAlive: false },
      'left-behind',
    ],
    [
      'a holder elsewhere that touches it holds it',
      { holder, untouchedMs: FOREIGN_LOCK_STALE_MS, host: 'there', isHolderAlive: false },
      'held',
    ],
    [
      'a holder elsewhere that stopped touching it has left it',
      { holder, untouchedMs: FOREIGN_LOCK_STALE_MS + 1, host: 'there', isHolderAlive: true },
      'left-behind',
    ],
    [
      'an unreadable fresh lock is being written',
      { holder: undefined, untouchedMs: 0, host: 'here', isHolderAlive: false },
      'held',
    ],
    [
      'an unreadable old lock is left behind',
      { holder: undefined, untouchedMs: UNREADABLE_LOCK_STALE_MS + 1, host: 'here', isHolderAlive: false },
      'left-behind',
    ],
  ] as const)('%s', (_title, seen, verdict) => {
    expect(decideLock(seen)).toBe(verdict);
  });
});

describe('a lock file', () => {
  const file = join(temporaryFolder('lock'), 'deeper', 'x.lock');

  it('has one holder, who is named to the others, until it is released', () => {
    const first = tryLock({ file, purpose: 'first' });
    expect(tryLock({ file, purpose: 'second' })).toMatchObject({ holder: { pid: process.pid, purpose: 'first' } });
    if ('lock' in first) first.lock.release();
    const second = tryLock({ file, purpose: 'second' });
    expect(second).toHaveProperty('lock');
    if ('lock' in second) second.lock.release();
    expect(existsSync(file)).toBe(false);
  });

  it('is taken over from a process that is gone, and the old holder cannot release the new one', () => {
    const taken = tryLock({ file, purpose: 'dead' });
    const mine = JSON.parse(readFileSync(file, 'utf8')) as LockHolder;
    writeFileSync(file, JSON.stringify({ ...mine, startMark: 'earlier', token: 'other' }));
    const successor = tryLock({ file, purpose: 'successor' });
    expect(successor).toHaveProperty('lock');
    if ('lock' in taken) taken.lock.release();
    expect(existsSync(file)).toBe(true);
    if ('lock' in successor) successor.lock.release();
  });

  it('is taken over when its writer died between create and write', () => {
    writeFileSync(file, '');
    expect(tryLock({ file, purpose: 'too early' })).toEqual({ holder: undefined });
    const longAgo = new Date(Date.now() - UNREADABLE_LOCK_STALE_MS - 1_000);
    utimesSync(file, longAgo, longAgo);
    const answer = tryLock({ file, purpose: 'later' });
    expect(answer).toHaveProperty('lock');
    if ('lock' in answer) answer.lock.release();
  });

  it('recovers from a takeover that was killed halfway', () => {
    writeFileSync(file, JSON.stringify({ ...holder, host: 'nowhere' }));
    mkdirSync(`${file}.takeover`);
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const path of [file, `${file}.takeover`]) utimesSync(path, longAgo, longAgo);
    expect(tryLock({ file, purpose: 'clears the gate' })).toHaveProperty('holder');
    const answer = tryLock({ file, purpose: 'goes through it' });
    expect(answer).toHaveProperty('lock');
    if ('lock' in answer) answer.lock.release();
  });

  it('lets waiters through one after the other, says once that it waits, and is free after an error', async () => {
    const order: string[] = [];
    const waited: string[] = [];
    const use = (name: string, fails = false): Promise<void> =>
      withLock({
        file,
        purpose: name,
        deadlineMs: 10_000,
        onWait: () => waited.push(name),
        use: async () => {
          order.push(`${name} in`);
          await Promise.resolve();
          order.push(`${name} out`);
          if (fails) throw new Error('in the middle');
        },
      });
    await Promise.allSettled([use('a', true), use('b')]);
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out']);
    expect(waited).toEqual(['b']);
    expect(existsSync(file)).toBe(false);
  });

  it('says which file could not be had in time', async () => {
    const answer = tryLock({ file, purpose: 'long work' });
    const waiting = withLock({ file, purpose: 'short work', deadlineMs: 50, use: () => Promise.resolve() });
    await expect(waiting).rejects.toThrow(`tramita: short work: getting the lock ${file} did not happen within`);
    if ('lock' in answer) answer.lock.release();
  });
});
