/** Turns and shared findings: of many programs one works, and all know what it found. */
import { sql } from 'kysely';
import { shareFinding, takeTurn } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();
const programs = () => Array.from({ length: 4 }, () => database.connect({ max: 2 }));
let names = 0;
const newName = (): string => `duty ${(names += 1)}`;
/** As if so much time had passed. */
const pass = (name: string, seconds: number) =>
  sql`update tramita.duty set taken_until = taken_until - ${seconds} * interval '1 second',
    found_at = found_at - ${seconds} * interval '1 second' where name = ${name}`.execute(database.db);

describe('a turn', () => {
  test('is one caller’s, however many ask at once, and another’s when it is over', async () => {
    const name = newName();
    const ask = async (): Promise<number> =>
      (await Promise.all(programs().map((db) => takeTurn(db, name, 60_000)))).filter(Boolean).length;
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(0);
    await pass(name, 61);
    expect(await ask()).toBe(1);
  });

  test('that a clock of the database took hours ahead is over when the clock is right again', async () => {
    const name = newName();
    await takeTurn(database.db, name, 60_000);
    await pass(name, -5 * 3_600);
    expect(await takeTurn(database.db, name, 60_000)).toBe(true);
    expect(await takeTurn(database.db, name, 60_000)).toBe(false);
  });

  test('of one name has nothing to do with that of another', async () => {
    expect(await takeTurn(database.db, newName(), 60_000)).toBe(true);
    expect(await takeTurn(database.db, newName(), 60_000)).toBe(true);
  });
});

describe('what one program finds', () => {
  const share = (name: string) => {
    const asked = { found: 0 };
    const find = (): Promise<{ sum: number }> => Promise.resolve({ sum: (asked.found += 1) });
    return { asked, all: () => Promise.all(programs().map((db) => shareFinding(db, { name, keptMs: 30_000 }, find))) };
  };

  test('is found once and given to all, with its age', async () => {
    const name = newName();
    const { asked, all } = share(name);
    await shareFinding(database.db, { name, keptMs: 30_000 }, () => Promise.resolve({ sum: (asked.found += 1) }));
    await pass(name, 20);
    for (const { found, ageMs } of await all()) {
      expect(found).toEqual({ sum: 1 });
      expect(ageMs).toBeGreaterThanOrEqual(20_000);
    }
    expect(asked.found).toBe(1);
  });

  test('is found again by one of them when it is old, and the others do not wait for it', async () => {
    const name = newName();
    const { asked, all } = share(name);
    await all();
    const before = asked.found;
    await pass(name, 31);
    const sums = (await all()).map(({ found }) => found.sum);
    expect(asked.found).toBe(before + 1);
    expect(sums.filter((sum) => sum > before).length).toBeGreaterThanOrEqual(1);
  });

  test('is found again where a clock of the database that stood hours ahead has dated it', async () => {
    const name = newName();
    const { asked, all } = share(name);
    await all();
    const before = asked.found;
    await pass(name, -5 * 3_600);
    await all();
    expect(asked.found).toBe(before + 1);
    for (const { ageMs } of await all()) expect(ageMs).toBeLessThan(30_000);
    expect(asked.found).toBe(before + 1);
  });

  test('is found by everybody when the one that had the turn did not come back', async () => {
    const name = newName();
    const { asked, all } = share(name);
    await all();
    await pass(name, 3_600);
    await takeTurn(database.db, name, 60_000);
    const before = asked.found;
    for (const { found } of await all()) expect(found.sum).toBeGreaterThan(before);
  });

  test('that could not be found is told, and the turn passes on', async () => {
    const name = newName();
    const failing = shareFinding(database.db, { name, keptMs: 30_000 }, () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    await pass(name, 16);
    expect(await takeTurn(database.db, name, 60_000)).toBe(true);
  });
});
