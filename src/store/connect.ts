/**
 * The connection to PostgreSQL: a `pg` pool under Kysely. It fails fast when the database is away (a charged call must
 * not wait long for its intent), reads numbers and times in our forms, and never lets an error of an idle connection end
 * the process. It knows no statements of its own: the rooms write them.
 */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, types, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { codeOfError } from '../contract/values/index.js';
import { databaseAddress } from './database-address.js';
import { endsConnection } from './database-away.js';
import { isStalePlan, keepPlans, type KeptPlans } from './kept-plans.js';
import { sendTogether, type Statement } from './message.js';
import type { Tables } from './tables.js';

/** The connection to PostgreSQL that {@link connect} makes: a Kysely over the tables of the schema `tramita`. */
export type Database = Kysely<Tables>;

export interface ConnectOptions {
  /** `postgres://…`; parameters of the URL (`sslmode`, …) are honoured. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Connections of this process; 4. */
  readonly max?: number;
  /** How long to wait for a connection; 3,000. */
  readonly connectTimeoutMs?: number;
  /** Longest statement, waiting for locks included; 5,000. */
  readonly statementTimeoutMs?: number;
  /** Called for errors of idle connections, with their code or name only. */
  readonly onIdleError?: (code: string) => void;
}

/** A silent network ends a statement this much later than the server itself would. */
const NETWORK_MARGIN_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 5_000;
const CONNECTIONS = 4;
/** A frozen process loses its transaction, and with it its locks, after this time. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Makes the connection to the database. Opens nothing yet: the first statement connects. Close with `db.destroy()`. */
export function connect(options: ConnectOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? CONNECTIONS,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
    query_timeout: statementTimeoutMs + NETWORK_MARGIN_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser },
  } satisfies PoolConfig);
  const report = (error: Error): void => options.onIdleError?.(codeOfError(error) ?? error.name);
  pool.on('error', report);
  // The pool listens only to idle clients; one that dies while it is lent out would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const lending = createLendingPool(pool, settingsOf(statementTimeoutMs));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: lending as never }) });
  POOLS.set(db, lending);
  ADDRESSES.set(db, databaseAddress(options.url));
  return db;
}

const ADDRESSES = new WeakMap<Database, string | undefined>();

/** Host and port of what {@link connect} made, for messages; undefined for a transaction. */
export function addressOf(db: Database): string | undefined {
  return ADDRESSES.get(db);
}

/** A connection for a caller that decides which statements are sent together. `db` comes from {@link connect}, no transaction. */
export function lendConnection(db: Database): Promise<LentConnection> {
  const pool = POOLS.get(db);
  if (pool === undefined)
    throw new Error('tramita: only what `connect` made lends connections, not a transaction of it');
  return pool.connect();
}

const POOLS = new WeakMap<Database, LendingPool>();

export interface LentConnection {
  /** Returns the result of the last statement in `text`. */
  query(text: string, values: readonly unknown[]): Promise<QueryResult>;
  /**
   * Sends the statements in one message. The settings follow a `begin`, or come first if no transaction is open. A repeated
   * statement keeps its plan, so its best plan must not depend on its values.
   */
  together(statements: readonly Statement[]): Promise<readonly QueryResult[]>;
  release(): void;
}

/** The pool as Kysely sees it, without cursors. */
interface LendingPool {
  connect(): Promise<LentConnection>;
  end(): Promise<void>;
}

function createLendingPool(pool: Pool, settings: string): LendingPool {
  const plans = new WeakMap<PoolClient, KeptPlans>();
  pool.on('connect', (client) => plans.set(client, keepPlans((client as { readonly processID?: unknown }).processID)));
  const connect = async (): Promise<LentConnection> => {
    const client = await pool.connect();
    return lend(client, settings, plans.get(client) ?? keepPlans(undefined));
  };
  return { connect, end: () => pool.end() };
}

/**
 * Settings of one transaction only: a pooler would refuse settings of a session, or pass them on to the next user of the
 * connection. A confirmed commit is on disk, whatever the server's default is; `remote_apply`, `remote_write` and `on` stay as
 * the server has them. Values of a failed statement stay out of the server's log and of the error, whatever the server logs.
 * The row has the server process and nothing else: each column costs.
 */
function settingsOf(statementTimeoutMs: number): string {
  return `select pid from (select pg_backend_pid() as pid, set_config('statement_timeout', '${statementTimeoutMs}', true),
    set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', true),
    set_config('log_parameter_max_length_on_error', '0', true),
    case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', true) end
    offset 0) as settings`;
}

const BEGINS = /^\s*(begin|start transaction)\b[^;]*/;
/** Statements that may run in the implicit transaction of a message. */
const READS_OR_WRITES = /^\s*(select|with|insert|update|delete)\b/i;

/** Lends a connection. If an error leaves its state unknown, or a kept plan is refused, it does not go back to the pool. */
function lend(client: PoolClient, settings: string, plans: KeptPlans): LentConnection {
  let broken: Error | undefined;
  /** Nothing comes back on this connection: a rollback would wait for nothing, as long as the statement before it. */
  let dead: Error | undefined;
  const setting: Statement = { text: settings };
  const noteBroken = async <T>(send: () => Promise<T>): Promise<T> => {
    if (dead !== undefined) throw dead;
    try {
      return await send();
    } catch (error) {
      if (endsConnection(error)) dead = error as Error;
      if (plans.failed(error) || dead !== undefined) broken = error as Error;
      throw error;
    }
  };
  /** Sends one message. The settings always keep their plan. */
  const send = (statements: readonly Statement[], keptPlans: 'all' | 'settings'): Promise<readonly QueryResult[]> =>
    noteBroken(async () => {
      const begins = statements.some(({ text }) => BEGINS.test(text));
      const isAlone = !begins && client.getTransactionStatus() === 'I';
      const message = [
        ...(isAlone ? [setting] : []),
        ...statements.flatMap((statement) => (BEGINS.test(statement.text) ? [statement, setting] : [statement])),
      ];
      const named = message.map((statement) =>
        keptPlans === 'all' || statement === setting ? { ...statement, name: plans.nameOf(statement.text) } : statement,
      );
      const results = await sendTogether(client, named);
      const session = results[message.indexOf(setting)]?.rows[0] as { readonly pid: unknown } | undefined;
      plans.arrived(session?.pid);
      return results;
    });
  const together = (statements: readonly Statement[]): Promise<readonly QueryResult[]> => send(statements, 'all');
  const query = async (text: string, values: readonly unknown[]): Promise<QueryResult> => {
    const isAlone = client.getTransactionStatus() === 'I' && READS_OR_WRITES.test(text);
    if (!isAlone) {
      const begun = text.replace(BEGINS, (begin) => `${begin}; ${settings}`);
      return noteBroken(async () => lastOf(await client.query(begun, [...values])));
    }
    const sendAlone = (): Promise<readonly QueryResult[]> => send([{ text, values }], 'settings');
    const results = await sendAlone().catch((error: unknown) => {
      // Only the settings had a kept plan, so nothing was run.
      if (isStalePlan(error)) return sendAlone();
      throw error;
    });
    return lastOf([...results]);
  };
  return { query, together, release: () => client.release(broken) };
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

/** Accepts any type id: the enum that `pg` declares lacks newer types. */
const standard: { getTypeParser(oid: number, format: 'text' | 'binary'): (text: string) => unknown } = types;

function typeParser(oid: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  const own = format === 'binary' ? undefined : PARSERS.get(oid);
  return own ?? standard.getTypeParser(oid, format);
}

/** Amounts, counts and sequence numbers all fit; one that does not must never be rounded silently. */
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

/** Rejects if the database does not answer. */
export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
}
