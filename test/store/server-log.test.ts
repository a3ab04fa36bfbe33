/**
 * When a statement fails, PostgreSQL logs its text and no value, also when the database is set to log the parameters of failed
 * statements. What it logs of successful statements is a setting of the server (docs/operations.md).
 */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { readMovements } from '../../src/contract/index.js';
import { createInbox } from '../../src/inbox/index.js';
import { createFacts, MOVEMENTS, movementRows } from '../../src/records/index.js';
import { BRIDGE_ROLE } from '../../src/store/index.js';
import { openLogin } from '../../src/store/role-login.js';
import { lockNumber, type Database } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { amount, incomingEvent, intentOf, jsonBody, makeLedger, randomCase, refreshRequest } from './support.js';

const LOG = process.env['TRAMITA_TEST_DATABASE_LOG'];
const database = withDatabase();
const CNJ = randomCase();
const NAME = `Maria Canária ${randomUUID()}`;
const SENT = Buffer.from(JSON.stringify({ id: `own-process:${CNJ}:1`, parte: NAME, texto: 'x'.repeat(3_000) }));
const CANARIES = [CNJ, NAME, NAME.slice(-36), SENT.toString('hex').slice(40, 90)];

const read = (): string => readFileSync(LOG ?? '', 'utf8');
/** A short statement timeout, so that a statement that waits for a lock fails soon. */
const impatient = (): Database => database.connect({ max: 4, statementTimeoutMs: 1_000 });

/** Runs `run`, which must fail after the statement `held`, and returns what the server has logged since. */
async function logOf(held: string, run: (db: Database) => Promise<unknown>): Promise<string> {
  const before = read().length;
  const outcome = await database.db.transaction().execute(async (trx) => {
    await sql.raw(held).execute(trx);
    return run(impatient()).then(
      () => 'done',
      () => 'failed',
    );
  });
  expect(outcome).toBe('failed');
  return read().slice(before);
}

function expectNoValue(log: string): void {
  for (const canary of CANARIES) expect(log).not.toContain(canary);
}

const event = incomingEvent({
  eventId: `own-process:${CNJ}:1`,
  event: NAME,
  body: SENT,
  keys: [`cnj:${CNJ}`, `oab:SP:${CNJ}`],
  createdAt: NAME,
  deliveryId: NAME,
});

/** The log of a server that was started elsewhere cannot be read. */
const withLog = LOG === undefined ? describe.skip : describe;

withLog('the log of the server has no value of', () => {
  beforeAll(async () => {
    const name = new URL(database.directUrl).pathname.slice(1);
    await sql.raw(`alter database ${name} set log_parameter_max_length_on_error = 1024`).execute(database.db);
  });

  it('an event whose key is locked', async () => {
    const held = `select pg_advisory_xact_lock(${lockNumber(`cnj:${CNJ}`)})`;
    const log = await logOf(held, (db) => createInbox({ db, clock: Date.now }).record(event));
    expect(log).toContain('canceling statement due to lock timeout');
    expect(log).toContain('canceling statement due to statement timeout');
    expect(log).toContain('STATEMENT:  select count(pg_advisory_xact_lock(number))');
    expectNoValue(log);
  });

  it('an event whose table is locked', async () => {
    const held = 'lock table tramita.event in access exclusive mode';
    const log = await logOf(held, (db) => createInbox({ db, clock: Date.now }).record(event));
    expect(log).toMatch(/STATEMENT: {2}\s+with incoming/);
    expectNoValue(log);
  });

  it('an event that cannot be stored', async () => {
    const log = await logOf('select 1', (db) =>
      createInbox({ db, clock: Date.now }).record({ ...event, event: `${NAME}\0` }),
    );
    expect(log).toContain('invalid byte sequence for encoding "UTF8"');
    expectNoValue(log);
  });

  it('a flow that begins to wait', async () => {
    const log = await logOf('lock table tramita.waiter in access exclusive mode', (db) =>
      createInbox({ db, clock: Date.now }).waitFor({
        workflowId: 'w',
        intentId: randomUUID(),
        keys: [`cnj:${CNJ}`],
      }),
    );
    expect(log).toContain('insert into tramita.waiter');
    expectNoValue(log);
  });

  it('a statement that waits for a lock while it runs', async () => {
    const [intentId, key] = [randomUUID(), `cnj:${CNJ}`];
    const held = `insert into tramita.waiter (workflow_id, key, intent_id, expires_at) values ('w', '${key}', '${intentId}', now())`;
    const log = await logOf(held, (db) =>
      createInbox({ db, clock: Date.now }).waitFor({ workflowId: 'w', intentId, keys: [key] }),
    );
    expect(log).toContain('canceling statement due to statement timeout');
    expect(log).toContain('insert into tramita.waiter');
    expectNoValue(log);
  });

  it('an opening and a settlement with its answer', async () => {
    const held = 'lock table tramita.intent, tramita.answer_body in exclusive mode';
    const request = refreshRequest({ params: { cnj: CNJ, nome: NAME } });
    const opened = await logOf(held, (db) => makeLedger(db).ledger.openIntent(request));
    const { intentId } = intentOf(await makeLedger(database.db).ledger.openIntent(request));
    const settled = await logOf(held, (db) =>
      makeLedger(db).ledger.settle(intentId, {
        state: 'done',
        charged: amount(1),
        httpStatus: 200,
        body: jsonBody({ parte: NAME, cnj: CNJ }),
      }),
    );
    expect([opened, settled].map((log) => log.includes('STATEMENT:'))).toEqual([true, true]);
    expectNoValue(opened + settled);
  });

  it('the password of the bridge', async () => {
    const before = read().length;
    const options = '-c default_transaction_read_only=on';
    const client = new Client({ connectionString: database.directUrl, options });
    await client.connect();
    const url = new URL(database.bridgeUrl);
    url.password = `canary-${randomUUID()}`;
    await expect(openLogin(client, { role: BRIDGE_ROLE, url: url.href })).rejects.toThrow('SQLSTATE 25006');
    await client.end();
    const log = read().slice(before);
    expect(log).toContain('STATEMENT:  alter role tramita_bridge login');
    expect(log).not.toContain(url.password);
  });

  it('a record of a case', async () => {
    const read = readMovements({ data: { movimentacoes: [{ data: '2026-01-02', conteudo: NAME }] } });
    const rows = movementRows(CNJ, read?.records ?? []);
    const log = await logOf('lock table tramita.movement in exclusive mode', (db) =>
      createFacts({ db }).save({
        account: 'default',
        operation: 'listMovements',
        nowMs: 0,
        pages: [{ table: MOVEMENTS, rows }],
        drift: [],
      }),
    );
    expect(log).toContain('STATEMENT:');
    expectNoValue(log);
  });
});
