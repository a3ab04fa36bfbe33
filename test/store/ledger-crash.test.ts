/** Connections that die at the worst moments: nothing is ever half written, and a lost acknowledgement is recognised. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { connect, isDatabaseAway, withLocks, type Database } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { REQUEST_ID, amount, intentOf, jsonBody, makeLedger, refreshRequest } from './support.js';
import { until } from '../support/until.js';

const database = withDatabase();

/** What the store sends: the text of one statement, or a message of several whose end is reported to a callback. */
type Sent = string | { readonly text: string; callback: (error: Error | undefined, result?: unknown) => void };

/** A pool whose only connection is killed by the server just before (or after) the message that `when` picks. */
function fragile(when: (text: string) => boolean, moment: 'before' | 'after'): { db: Database; armed: () => boolean } {
  const applicationName = `fragile-${Math.random().toString(36).slice(2)}`;
  const db = database.connect({ url: database.directUrl, applicationName, max: 1 });
  const query = Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
  let armed = true;
  const intercept = async (client: Client, args: unknown[]): Promise<unknown> => {
    const own = (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters;
    const sent = args[0] as Sent;
    const text = typeof sent === 'string' ? sent : sent.text;
    const isVictim = armed && own.application_name === applicationName && when(text.trim());
    if (!isVictim) return query.apply(client, args);
    armed = false;
    if (moment === 'before') {
      await kill(applicationName);
      return query.apply(client, args);
    }
    const lost = new Error('Connection terminated unexpectedly');
    if (typeof sent === 'string') {
      await query.apply(client, args);
      await kill(applicationName);
      throw lost;
    }
    const report = sent.callback;
    await new Promise<void>((resolve) => {
      sent.callback = () => resolve();
      void query.apply(client, args);
    });
    await kill(applicationName);
    report(lost);
    return undefined;
  };
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    return intercept(this, args) as never;
  });
  return { db, armed: () => armed };
}

async function kill(applicationName: string): Promise<void> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where application_name = ${applicationName}`.execute(database.db);
  await sql`select pg_terminate_backend(pid) from unnest(${rows.map(({ pid }) => pid)}::integer[]) as pid`.execute(
    database.db,
  );
  await until(async () => {
    const left = await sql`select from pg_stat_activity where application_name = ${applicationName}`.execute(
      database.db,
    );
    return left.rows.length === 0;
  });
}

afterEach(() => jest.restoreAllMocks());

test.each([
  ['the read', /with at_step as/],
  ['the row and its commit', /insert into tramita.intent.*commit$/s],
])(
  'an opening whose connection dies before %s writes nothing and reports the database as away',
  async (_name, text) => {
    const { db, armed } = fragile((sent) => text.test(sent), 'before');
    const { ledger } = makeLedger(db);
    const request = refreshRequest();
    const error = await ledger.openIntent(request).catch((caught: unknown) => caught);
    expect(armed()).toBe(false);
    expect(isDatabaseAway(error)).toBe(true);
    const { ledger: sound } = makeLedger(database.db);
    expect(await sound.list({ workflowId: request.workflowId })).toEqual([]);
    const waiters = await database.db
      .selectFrom('tramita.waiter')
      .selectAll()
      .where('workflow_id', '=', request.workflowId)
      .execute();
    expect(waiters).toEqual([]);
    // The pool replaces the connection by itself, and the locks of the dead one are gone.
    expect((await ledger.openIntent(request)).kind).toBe('send');
  },
);

test('after a lost acknowledgement of the commit the same attempt may send and another may not', async () => {
  const { db } = fragile((sent) => sent.endsWith('; commit'), 'after');
  const { ledger } = makeLedger(db);
  const request = refreshRequest();
  await expect(ledger.openIntent(request)).rejects.toThrow();
  expect((await ledger.openIntent({ ...request, attemptToken: randomUUID() })).kind).toBe('ambiguous');
  expect((await ledger.openIntent(request)).kind).toBe('send');
  expect(await ledger.list({ workflowId: request.workflowId })).toHaveLength(1);
});

test.each([
  ['before', 'open'],
  ['after', 'done'],
] as const)(
  'a settlement whose connection dies %s its commit leaves the row %s, and settling again completes it',
  async (moment, state) => {
    const sound = makeLedger(database.db).ledger;
    const { intentId } = intentOf(await sound.openIntent(refreshRequest()));
    const { db } = fragile((sent) => sent.endsWith('; commit'), moment);
    const { ledger } = makeLedger(db);
    const answer = {
      state: 'done',
      httpStatus: 200,
      charged: amount(700),
      requestId: REQUEST_ID,
      body: jsonBody({ moment }),
    } as const;
    await expect(ledger.settle(intentId, answer)).rejects.toThrow();
    expect(await sound.find(intentId)).toMatchObject({ state });
    expect((await sound.answerBytes(intentId)) === undefined).toBe(state === 'open');
    expect(await ledger.settle(intentId, answer)).toMatchObject({
      applied: true,
      intent: { state: 'done', charged: 700 },
    });
  },
);

test('idle connections that the server closes do not end the process, and the pool goes on', async () => {
  const codes: string[] = [];
  const applicationName = 'idle-victim';
  const db = database.connect({
    url: database.directUrl,
    applicationName,
    max: 2,
    onIdleError: (code) => codes.push(code),
  });
  await sql`select 1`.execute(db);
  await kill(applicationName);
  await until(() => Promise.resolve(codes.length > 0));
  expect(codes).toContain('57P01');
  await expect(sql`select 1`.execute(db)).resolves.toBeDefined();
});

test('waiting too long for a lock fails as the database being away, and does not disturb the holder', async () => {
  const slow = database.connect({ statementTimeoutMs: 300, max: 1 });
  await withLocks(database.db, ['busy'], async () => {
    const error = await withLocks(slow, ['busy'], () => Promise.resolve()).catch((caught: unknown) => caught);
    expect(isDatabaseAway(error)).toBe(true);
  });
  // The lock is free again. On a slow machine 300 ms may be too short, so it is tried again.
  await until(() => withLocks(slow, ['busy'], () => Promise.resolve(true)).catch(() => false));
});

test('locks taken in opposite order never deadlock', async () => {
  const names = ['a', 'b', 'c', 'd'];
  // The server breaks a deadlock with an error after a second. Waiting for a lock is allowed here.
  const patient = database.connect({ max: 10, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  const runs = Array.from({ length: 40 }, (_, index) =>
    withLocks(patient, index % 2 === 0 ? names : [...names].reverse(), (trx) => sql`select 1`.execute(trx)),
  );
  await expect(Promise.all(runs)).resolves.toHaveLength(40);
});

test('a wrong statement does not count as the database being away', async () => {
  const error = await sql`select nonsense`.execute(database.db).catch((caught: unknown) => caught);
  expect(isDatabaseAway(error)).toBe(false);
  const refused = connect({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'test' });
  const away = await sql`select 1`.execute(refused).catch((caught: unknown) => caught);
  expect(isDatabaseAway(away)).toBe(true);
  await refused.destroy();
});
