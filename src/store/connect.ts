/**
 * The connection to PostgreSQL: a `pg` pool under Kysely. It fails fast when the database is away (a charged call must
 * not wait long for its intent), gives numbers and times in our forms, and never lets an error of an idle connection end
 * the process. What statements mean is left to the rooms that write them.
 */
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { Pool, types, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { endsConnection } from './database-away.js';
import { OneMessage } from './one-message.js';
import type { Tables } from './tables.js';

/** The connection to PostgreSQL that {@link connect} makes: a Kysely over the tables of the schema `tramita`. */
export type Database = Kysely<Tables>;

export interface ConnectOptions {
  /** `postgres://…`; parameters of the URL (`sslmode`, …) are honoured. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Connections of this process; 10. */
  readonly max?: number;
  /** How long to wait for a connection; 3,000. */
  readonly connectTimeoutMs?: number;
  /** Longest statement, waiting for locks included; 5,000. */
  readonly statementTimeoutMs?: number;
  /** Told about errors of idle connections, by code or name only. */
  readonly onIdleError?: (code: string) => void;
}

/** A silent network ends a statement this much later than the server itself would. */
const NETWORK_MARGIN_MS = 2_000;
/** A frozen process loses its transaction, and with it its locks, after this time. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Makes the connection to the database. Opens nothing yet: the first statement connects. Close with `db.destroy()`. */
export function connect(options: ConnectOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + NETWORK_MARGIN_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser },
  } satisfies PoolConfig);
  const report = (error: Error): void => options.onIdleError?.((error as { code?: string }).code ?? error.name);
  pool.on('error', report);
  // The pool listens only to idle clients; one that dies while it is lent out would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: carefulPool(pool) }) });
}

/**
 * The pool as Kysely sees it. A connection whose state is not known after an error is thrown away instead of lent out
 * again, and of several statements sent at once the result of the last one is given. Of Kysely's interface only cursors are left out.
 */
function carefulPool(pool: Pool): PostgresPool {
  return { connect: async () => lend(await pool.connect()) as never, end: () => pool.end() };
}

function lend(client: PoolClient) {
  let broken: Error | undefined;
  const query = async (text: string, values: readonly unknown[]): Promise<QueryResult> => {
    const [message] = values;
    try {
      // The last one is the commit.
      if (message instanceof OneMessage) return (await message.sendOver(client)).at(-2) as QueryResult;
      return lastOf(await client.query(text, [...values]));
    } catch (error) {
      if (endsConnection(error)) broken = error as Error;
      else if (message instanceof OneMessage) {
        await client.query('rollback').catch((problem: unknown) => (broken = problem as Error));
      }
      throw error;
    }
  };
  return { query, release: () => client.release(broken) };
}

function lastOf(result: QueryResult | QueryResult[]): QueryResult {
  return Array.isArray(result) ? (result.at(-1) as QueryResult) : result;
}

/** Parsers of text, by type; everything else is read as `pg` reads it. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, readSafeInteger],
  [types.builtins.NUMERIC, readSafeInteger],
  [types.builtins.TIMESTAMPTZ, readInstant],
]);

/** For any type: the list of types that `pg` declares is an enum that newer ones are missing from. */
const standard: { getTypeParser(oid: number, format: 'text' | 'binary'): (text: string) => unknown } = types;

function typeParser(oid: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  const own = format === 'binary' ? undefined : PARSERS.get(oid);
  return own ?? standard.getTypeParser(oid, format);
}

/** Amounts, counts and sequence numbers: all fit; one that does not must never be rounded silently. */
function readSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new Error(`tramita: the database holds the number ${text}, which is not a safe integer`);
  }
  return value;
}

function readInstant(text: string): number {
  return (standard.getTypeParser(types.builtins.TIMESTAMPTZ, 'text')(text) as Date).getTime();
}
