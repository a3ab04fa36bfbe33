/** Looks that calls make themselves: all processes together share the account's part of the polls. */
import { sql } from 'kysely';
import { createLookTurns } from '../../src/workers/look-turns.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();
let names = 0;

function world(pollsPerMinute: number) {
  const account = `account ${(names += 1)}`;
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  const accounts = { [account]: { pollsPerMinute } };
  const program = () => {
    const looks = createLookTurns({ db: database.connect({ max: 2 }), clock, accounts });
    return async (times: number): Promise<number> =>
      (await Promise.all(Array.from({ length: times }, () => looks(account)))).filter(Boolean).length;
  };
  return { clock, program };
}

test('looks get a third of the polls of a minute, one second of them at a time', async () => {
  const ask = world(6_000).program();
  expect(await ask(200)).toBe(34);
  expect(await ask(200)).toBe(0);
});

test('one program gets the turn, and no program gets another before it is over', async () => {
  // One look a minute.
  const { clock, program } = world(3);
  const [first, second] = [program(), program()];
  const both = await Promise.all([first(10), second(10)]);
  expect([...both].sort()).toEqual([0, 1]);
  // By the clock of the database it is still the same turn.
  clock.ms += 60_050;
  expect((await first(10)) + (await second(10))).toBe(0);
  await sql`update tramita.duty set taken_until = clock_timestamp()`.execute(database.db);
  clock.ms += 60_050;
  expect([await first(10), await second(10)]).toEqual([1, 0]);
});

test('an account with too few polls or without configuration gets no look', async () => {
  expect(await world(2).program()(20)).toBe(0);
  const looks = createLookTurns({ db: database.db, clock: { monotonicMs: () => 0 }, accounts: {} });
  expect(await looks('default')).toBe(false);
});
