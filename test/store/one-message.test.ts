/** Several statements with parameters in one message: one transaction, all or none, and a connection that stays usable. */
import { sql } from 'kysely';
import { inOneMessage, type Database } from '../../src/store/index.js';
import { keepPlans } from '../../src/store/kept-plans.js';
import { withDatabase } from '../support/database.js';
import { countRoundTrips } from './support.js';

const database = withDatabase();
const values = ['it\'s; \\ $1 "x"', 'ç€', null] as const;

beforeAll(() => sql`create table public.line (name text, bytes bytea)`.execute(database.db));
afterEach(() => sql`truncate public.line`.execute(database.db));

const count = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from public.line`.execute(database.db);
  return rows[0]?.n ?? -1;
};

test('inOneMessage returns the rows of the last statement with exact values in one round trip', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  let rows: readonly unknown[] = [];
  const sent = await countRoundTrips(async () => {
    rows = await inOneMessage(database.db, [
      { text: 'insert into public.line values ($1, $2), ($3, null)', values: [values[0], bytes, values[2]] },
      { text: 'select 1 as other, 2 as more union all select 3, 4' },
      { text: 'select name, bytes, $1::text as said from public.line order by name', values: [values[1]] },
    ]);
  });
  expect(sent).toHaveLength(1);
  expect(rows).toEqual([
    { name: values[0], bytes, said: values[1] },
    { name: null, bytes: null, said: values[1] },
  ]);
});

test('a failing statement undoes the others, and its connection stays usable', async () => {
  const db = database.connect({ max: 1 });
  const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;
  const before = await pid();
  const failing = inOneMessage(db, [
    { text: "insert into public.line values ('gone', null)" },
    { text: 'select 1 / $1::int', values: ['0'] },
    { text: "insert into public.line values ('never', null)" },
  ]);
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect([await pid(), await count()]).toEqual([before, 0]);
  expect(await inOneMessage(db, [{ text: 'select $1::text as said', values: ['on'] }])).toEqual([{ said: 'on' }]);
});

test('statements run as read committed and durable, whatever the default of the server is', async () => {
  const url = new URL(database.directUrl);
  url.searchParams.set('options', '-c default_transaction_isolation=serializable -c synchronous_commit=off');
  const db = database.connect({ url: url.href });
  const rows = await inOneMessage(db, [
    {
      text: "select current_setting('transaction_isolation') as isolation, current_setting('synchronous_commit') as durable",
    },
  ]);
  expect(rows).toEqual([{ isolation: 'read committed', durable: 'on' }]);
});

describe('a repeated statement', () => {
  const countPlans = async (db: Database): Promise<number> =>
    (await sql<{ n: number }>`select count(*)::int as n from pg_prepared_statements`.execute(db)).rows[0]?.n ?? -1;
  const repeat = async (run: () => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < 4; at += 1) await run();
  };

  test('keeps its plan at the server, and still works when a migration changes its columns', async () => {
    // A direct connection: behind a pooler in transaction mode no statement gets a name.
    const db = database.connect({ url: database.directUrl, max: 1 });
    await inOneMessage(db, [{ text: 'insert into public.line values ($1, null)', values: ['here'] }]);
    const look = () =>
      inOneMessage<unknown>(db, [{ text: 'select $1::text as said, line.* from public.line', values: ['x'] }]);
    await repeat(look);
    expect(await countPlans(db)).toBeGreaterThan(0);
    await sql`alter table public.line add column more int`.execute(database.db);
    expect(await look()).toEqual([{ said: 'x', name: 'here', bytes: null, more: null }]);
    await repeat(look);
    await sql`alter table public.line drop column more`.execute(database.db);
    expect(await look()).toEqual([{ said: 'x', name: 'here', bytes: null }]);
  });

  test('is named again after the message that named it has failed', async () => {
    const db = database.connect({ url: database.directUrl, max: 1 });
    const divide = (by: string) =>
      inOneMessage<{ n: number }>(db, [
        { text: 'select 6 / $1::int as n', values: [by] },
        { text: 'select $1::int + 1 as n', values: [by] },
      ]);
    await divide('1');
    await expect(divide('0')).rejects.toMatchObject({ code: '22012' });
    for (let by = 1; by < 4; by += 1) expect(await divide(`${by}`)).toEqual([{ n: by + 1 }]);
  });

  test('gets no name when another server process answers than the one of the connection', () => {
    const plans = keepPlans(7);
    const name = (pid: number): string | undefined => {
      plans.nameOf('select 1');
      plans.arrived(pid);
      return plans.nameOf('select 1');
    };
    expect([name(7), name(8), name(7)]).toEqual([undefined, undefined, undefined]);
    const direct = keepPlans(7);
    direct.arrived(7);
    expect([direct.nameOf('select 1'), direct.nameOf('select 1')]).toEqual([undefined, 'tramita_1']);
    direct.arrived(8);
    expect(direct.nameOf('select 1')).toBeUndefined();
  });
});
