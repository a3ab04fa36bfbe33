/**
 * A fresh, migrated database for one test file, dropped afterwards. The server comes from `postgres-up.ts`; nothing is
 * shared between files but that server, the role `tramita_bridge`, and the migrated database that all are copied from.
 */
import { createHash, randomBytes } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { Client } from 'pg';
import { BRIDGE_PASSWORD } from './pgbouncer.js';
import {
  BRIDGE_ROLE,
  CODEC_ROLE,
  connect,
  migrate,
  type ConnectOptions,
  type Database,
} from '../../src/store/index.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';

export interface TestDatabase {
  /** URL of this file's own database, with administrator's rights. Available inside tests and hooks. */
  readonly url: string;
  /** The same, bypassing the pooler (TRAMITA_TEST_PGBOUNCER=1), for migrations and for tests about one connection. */
  readonly directUrl: string;
  readonly db: Database;
  /**
   * The same database for the role `tramita_bridge`; works once it was passed to `migrate`. The role belongs to the whole
   * cluster, so every file uses the same password.
   */
  readonly bridgeUrl: string;
  /** The same for the role `tramita_codec`, bypassing the pooler. */
  readonly codecUrl: string;
  /** Another connection pool to the same database, closed with the file. */
  connect(options?: Partial<ConnectOptions>): Database;
  /**
   * Runs `fn` while another transaction holds the locks that `take` takes. The transaction has no idle timeout: the usual one of
   * 15 s is too short for a slow machine.
   */
  holding<T>(take: RawBuilder<unknown>, fn: () => Promise<T>): Promise<T>;
  /**
   * Registers what to close when the file ends, before the database is dropped; the last one registered is closed first. An
   * `afterAll` of the file itself would run too late, because jest runs those of a block in the order in which they are written.
   */
  atEnd(close: () => unknown): void;
}

/** Call once, at the top of a test file or a `describe`. */
export function withDatabase(options: { readonly migrated?: boolean } = {}): TestDatabase {
  const name = `tramita_${randomBytes(6).toString('hex')}`;
  const closers: (() => unknown)[] = [];
  let db: Database | undefined;
  const database: TestDatabase = {
    get url() {
      return ofDatabase(name, process.env['TRAMITA_TEST_POOLER_URL']);
    },
    get directUrl() {
      return ofDatabase(name);
    },
    get bridgeUrl() {
      const url = new URL(database.url);
      url.username = BRIDGE_ROLE;
      url.password = BRIDGE_PASSWORD;
      return url.href;
    },
    get codecUrl() {
      const url = new URL(database.directUrl);
      url.username = CODEC_ROLE;
      url.password = BRIDGE_PASSWORD;
      return url.href;
    },
    get db() {
      if (db === undefined) throw new Error('withDatabase: use `db` inside tests and hooks only');
      return db;
    },
    connect(more = {}) {
      // A machine that stalls for some seconds must not fail a test.
      const patience = { connectTimeoutMs: 30_000, statementTimeoutMs: 30_000 };
      const pool = connect({ url: database.url, applicationName: 'tramita test', max: 4, ...patience, ...more });
      closers.push(() => pool.destroy());
      return pool;
    },
    holding: (take, fn) =>
      database.db.transaction().execute(async (trx) => {
        await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
        await take.execute(trx);
        return fn();
      }),
    atEnd: (close) => void closers.push(close),
  };
  beforeAll(async () => {
    const isMigrated = options.migrated !== false;
    await onServer(async (client) => {
      if (isMigrated) await makeTemplate(client);
      await client.query(`create database ${name} template ${isMigrated ? TEMPLATE : 'template1'}`);
    });
    database.atEnd(() => onServer((client) => client.query(`drop database if exists ${name} with (force)`)));
    db = database.connect({ max: 10 });
    if (isMigrated) await beginLife(db);
  });
  afterAll(async () => {
    const failures: unknown[] = [];
    for (const close of closers.reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `not closed: ${failures.map(String).join('; ')}`);
  });
  return database;
}

/**
 * Named after the migrations, so that a server which outlives the run never has an old one. A copy takes a third of a second
 * of processor time less than the migrations.
 */
const TEMPLATE = `tramita_migrated_${createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 12)}`;

/** Made by the first file that needs it, and renamed when it is complete. */
async function makeTemplate(client: Client): Promise<void> {
  await client.query('select pg_advisory_lock(hashtext($1))', [TEMPLATE]);
  const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE]);
  if (rowCount === 0) {
    await client.query(`drop database if exists ${TEMPLATE}_begun with (force)`);
    await client.query(`create database ${TEMPLATE}_begun`);
    await migrate(ofDatabase(`${TEMPLATE}_begun`));
    await client.query(`alter database ${TEMPLATE}_begun rename to ${TEMPLATE}`);
  }
  await client.query('select pg_advisory_unlock(hashtext($1))', [TEMPLATE]);
}

/** A copy is another database, so its ledger begins a life of its own, as a migrated one does. */
async function beginLife(db: Database): Promise<void> {
  await sql`update tramita.ledger_life
    set epoch = gen_random_uuid(), identity = tramita.ledger_identity(), begun_at = clock_timestamp()`.execute(db);
}

function ofDatabase(name: string, server = serverUrl()): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function serverUrl(): string {
  const url = process.env['TRAMITA_TEST_DATABASE_URL'];
  if (url === undefined || url === '') {
    throw new Error(
      'TRAMITA_TEST_DATABASE_URL is not set: run this rung with jest, whose global set-up starts PostgreSQL',
    );
  }
  return url;
}

async function onServer(action: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await action(client);
  } finally {
    await client.end();
  }
}
