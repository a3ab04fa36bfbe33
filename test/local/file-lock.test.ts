import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FOREIGN_LOCK_STALE_MS,
  isLeftBehind,
  tryLock,
  UNREADABLE_LOCK_STALE_MS,
  withLock,
  type LockHolder,
} from '../../src/local/process/file-lock.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const holder: LockHolder = { pid: 4711, startMark: 'boot:1', host: 'here', token: 't', purpose: 'building' };

describe('a lock file that exists', () => {
  it.each([
    [
      'counts while the holder on this host lives, however long',
      { holder, untouchedMs: 9e9, host: 'here', isHolderAlive: true },
      false,
    ],
    [
      'is left behind as soon as the holder on this host is dead',
      { holder, untouchedMs: 0, host: 'here', isHolderAlive: false },
      true,
    ],
    [
      'counts while a holder on another host keeps touching it',
      { holder, untouchedMs: FOREIGN_LOCK_STALE_MS, host: 'there', isHolderAlive: false },
      false,
    ],
    [
      'is left behind when a holder on another host has stopped touching it',
      { holder, untouchedMs: FOREIGN_LOCK_STALE_MS + 1, host: 'there', isHolderAlive: true },
      true,
    ],
    [
      'counts while it is fresh and cannot be read yet',
      { holder: undefined, untouchedMs: 0, host: 'here', isHolderAlive: false },
      false,
    ],
    [
      'is left behind when it is old and cannot be read',
      { holder: undefined, untouchedMs: UNREADABLE_LOCK_STALE_MS + 1, host: 'here', isHolderAlive: false },
      true,
    ],
  ] as const)('%s', (_title, seen, expected) => {
    expect(isLeftBehind(seen)).toBe(expected);
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

  it('is taken over from a process that is gone, whose release then has no effect', () => {
    const taken = tryLock({ file, purpose: 'dead' });
    const mine = JSON.parse(readFileSync(file, 'utf8')) as LockHolder;
    writeFileSync(file, JSON.stringify({ ...mine, startMark: 'earlier', token: 'other' }));
    const successor = tryLock({ file, purpose: 'successor' });
    expect(successor).toHaveProperty('lock');
    if ('lock' in taken) taken.lock.release();
    expect(existsSync(file)).toBe(true);
    if ('lock' in successor) successor.lock.release();
  });

  it('is taken over when its writer died between creating and writing it', () => {
    writeFileSync(file, '');
    expect(tryLock({ file, purpose: 'too early' })).toEqual({ holder: undefined });
    const longAgo = new Date(Date.now() - UNREADABLE_LOCK_STALE_MS - 1_000);
    utimesSync(file, longAgo, longAgo);
    const attempt = tryLock({ file, purpose: 'later' });
    expect(attempt).toHaveProperty('lock');
    if ('lock' in attempt) attempt.lock.release();
  });

  it('recovers from a takeover that was killed halfway', () => {
    writeFileSync(file, JSON.stringify({ ...holder, host: 'nowhere' }));
    mkdirSync(`${file}.takeover`);
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const path of [file, `${file}.takeover`]) utimesSync(path, longAgo, longAgo);
    expect(tryLock({ file, purpose: 'clears the gate' })).toHaveProperty('holder');
    const attempt = tryLock({ file, purpose: 'goes through it' });
    expect(attempt).toHaveProperty('lock');
    if ('lock' in attempt) attempt.lock.release();
  });

  it('admits waiters one after the other, reports a wait once, and is free after an error', async () => {
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

  it('is named in the error when it cannot be taken in time', async () => {
    const attempt = tryLock({ file, purpose: 'long work' });
    const waiting = withLock({ file, purpose: 'short work', deadlineMs: 50, use: () => Promise.resolve() });
    await expect(waiting).rejects.toThrow(`tramita: short work: getting the lock ${file} did not happen within`);
    if ('lock' in attempt) attempt.lock.release();
  });
});
