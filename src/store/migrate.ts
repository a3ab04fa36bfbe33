/**
 * Brings the schema up to date while programs keep running. Each migration is one transaction that holds its locks for an
 * instant; indexes on large tables, and whatever else takes long, follow outside of it. Forward only. Processes that migrate
 * at the same time take turns; an interrupted migration is continued by the next process.
 */
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { codeOfError } from '../contract/values/index.js';
import { lockNumber } from './lock-number.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import { BRIDGE_ROLE, CODEC_ROLE, openLogin } from './role-login.js';

export interface MigrateOptions {
  /** URL of the bridge. If it names the user `tramita_bridge`, that role may log in with its password afterwards. */
  readonly bridgeUrl?: string;
  /** URL of the codec server; likewise for the user `tramita_codec`. */
  readonly codecUrl?: string;
  /** How long to wait for another process that migrates; 60,000. */
  readonly lockTimeoutMs?: number;
}

/**
 * Brings the schema of a database up to date. Applies what is missing and returns its names, in order; an empty list when the
 * schema was up to date.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const client = new Client({
    connectionString: url,
    application_name: 'tramita migrate',
    connectionTimeoutMillis: 5_000,
  });
  // The error also fails the statement that waits for it; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await waitForTurn(client, Date.now() + (options.lockTimeoutMs ?? 60_000));
    const applied = await applyMissing(client);
    const { bridgeUrl, codecUrl } = options;
    if (bridgeUrl !== undefined) await openLogin(client, { role: BRIDGE_ROLE, url: bridgeUrl });
    if (codecUrl !== undefined) await openLogin(client, { role: CODEC_ROLE, url: codecUrl });
    return applied;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const TURN_EVERY_MS = 100;

/** Polls for the lock: a waiting statement holds a snapshot, and an index build of the other process would wait for that. */
async function waitForTurn(client: Client, untilMs: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
      String(lockNumber('tramita migrations')),
    ]);
    if (rows[0]?.mine === true) return;
    if (Date.now() > untilMs) throw new Error('tramita: another process migrates this database; try again later');
    await setTimeout(TURN_EVERY_MS);
  }
}

async function applyMissing(client: Client): Promise<readonly string[]> {
  await client.query(`
    create schema if not exists tramita;
    create table if not exists tramita.migration (name text primary key, applied_at timestamptz not null default now());
  `);
  const { rows } = await client.query<{ name: string }>('select name from tramita.migration');
  const known = new Set(rows.map((row) => row.name));
  const missing = MIGRATIONS.filter((migration) => !known.has(migration.name));
  for (const migration of missing) await apply(client, migration, known);
  return missing.map((migration) => migration.name);
}

async function apply(client: Client, { name, sql, after }: Migration, known: ReadonlySet<string>): Promise<void> {
  const begun = after === undefined ? name : `${name} (begun)`;
  if (!known.has(begun)) await applyBriefly(client, [sql, `insert into tramita.migration (name) values ('${begun}')`]);
  if (after === undefined) return;
  // An interrupted build leaves an invalid index, which is updated and never used.
  const { rows } = await client.query<{ index: string }>(
    `select indexrelid::regclass::text as index from pg_index
     where not indisvalid and indrelid in (select oid from pg_class where relnamespace = 'tramita'::regnamespace)`,
  );
  for (const { index } of rows) await client.query(`drop index concurrently ${index}`);
  for (const statement of after) await client.query(statement);
  await client.query('insert into tramita.migration (name) values ($1)', [name]);
}

/** Lock timeout: while a migration waits for a table, statements of others queue behind it. A charged call has four of them. */
const INSTANT_MS = 300;
/** Before the next try, so that the queued statements get through. */
const PAUSE_MS = 500;
const LOCK_TRIES = 300;
/** SQLSTATE of a lock timeout and of a deadlock. */
const BUSY = new Set(['55P03', '40P01']);

/** Runs the statements in one transaction. If a lock is not free, gives way to its holder and tries again. */
async function applyBriefly(client: Client, statements: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query([`begin; set local lock_timeout = ${INSTANT_MS}`, ...statements, 'commit'].join(';\n'));
      return;
    } catch (error) {
      await client.query('rollback');
      if (!BUSY.has(codeOfError(error) ?? '') || tries >= LOCK_TRIES) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
