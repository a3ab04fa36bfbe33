/** Turns and shared findings: one of many programs does the work, and all get its result. */
import { sql } from 'kysely';
import { shareFinding, takeTurn } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();
const programs = () => Array.from({ length: 4 }, () => database.connect({ max: 2 }));
let names = 0;
const newName = (): string => `duty ${(names += 1)}`;
/** Makes the turn and the finding older by so many seconds. */
const pass = (name: string, seconds: number) =>
  sql`update tramita.duty set taken_until = taken_until - ${seconds} * interval '1 second',
    found_at = found_at - ${seconds} * interval '1 second' where name = ${name}`.execute(database.db);

describe('takeTurn', () => {
  test('gives a turn to one of many callers, and to another when it has ended', async () => {
    const name = newName();
    const ask = async (): Promise<number> =>
      (await Promise.all(programs().map((db) => takeTurn(db, name, 60_000)))).filter(Boolean).length;
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(0);
    await pass(name, 61);
    expect(await ask()).toBe(1);
  });

  test('gives a turn again that was taken while the clock of the database was hours ahead', async () => {
    const name = newName();
    await takeTurn(database.db, name, 60_000);
    await pass(name, -5 * 3_600);
    expect(await takeTurn(database.db, name, 60_000)).toBe(true);
    expect(await takeTurn(database.db, name, 60_000)).toBe(false);
  });

  test('gives turns of different names independently', async () => {
    expect(await takeTurn(database.db, newName(), 60_000)).toBe(true);
    expect(await takeTurn(database.db, newName(), 60_000)).toBe(true);
  });
});

describe('shareFinding', () => {
  const share = (name: string) => {
    const calls = { count: 0 };
    const find = (): Promise<{ sum: number }> => Promise.resolve({ sum: (calls.count += 1) });
    return { calls, all: () => Promise.all(programs().map((db) => shareFinding(db, { name, keptMs: 30_000 }, find))) };
  };

  test('finds a value once and gives it to all programs with its age', async () => {
    const name = newName();
    const { calls, all } = share(name);
    await shareFinding(database.db, { name, keptMs: 30_000 }, () => Promise.resolve({ sum: (calls.count += 1) }));
    await pass(name, 20);
    for (const { found, ageMs } of await all()) {
      expect(found).toEqual({ sum: 1 });
      expect(ageMs).toBeGreaterThanOrEqual(20_000);
    }
    expect(calls.count).toBe(1);
  });

  test('lets one program replace an old value while the others do not wait', async () => {
    const name = newName();
    const { calls, all } = share(name);
    await all();
    const before = calls.count;
    await pass(name, 31);
    const sums = (await all()).map(({ found }) => found.sum);
    expect(calls.count).toBe(before + 1);
    expect(sums.filter((sum) => sum > before).length).toBeGreaterThanOrEqual(1);
  });

  test('replaces a value dated while the clock of the database was hours ahead', async () => {
    const name = newName();
    const { calls, all } = share(name);
    await all();
    const before = calls.count;
    await pass(name, -5 * 3_600);
    await all();
    expect(calls.count).toBe(before + 1);
    for (const { ageMs } of await all()) expect(ageMs).toBeLessThan(30_000);
    expect(calls.count).toBe(before + 1);
  });

  test('lets every program find the value when the holder of the turn did not come back', async () => {
    const name = newName();
    const { calls, all } = share(name);
    await all();
    await pass(name, 3_600);
    await takeTurn(database.db, name, 60_000);
    const before = calls.count;
    for (const { found } of await all()) expect(found.sum).toBeGreaterThan(before);
  });

  test('reports a failure and passes the turn on', async () => {
    const name = newName();
    const failing = shareFinding(database.db, { name, keptMs: 30_000 }, () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    await pass(name, 16);
    expect(await takeTurn(database.db, name, 60_000)).toBe(true);
  });
});
