/**
 * Brings the schema up to date while programs work on. One migration is one transaction that locks for an instant; indexes over
 * what has grown, and whatever takes long, follow outside of it. Forward only. Two processes that migrate at once do it one
 * after the other; one that is broken off is gone on with by the next.
 */
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { lockNumber } from './lock-number.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import { BRIDGE_ROLE, CODEC_ROLE, openLogin } from './role-login.js';

export interface MigrateOptions {
  /** URL of the bridge. Where it names the user `tramita_bridge`, that role may log in with its password afterwards. */
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
    await takeTurn(client, Date.now() + (options.lockTimeoutMs ?? 60_000));
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

/** Asked for again and again: a statement that waits has a snapshot, for which an index build of the other one would wait. */
async function takeTurn(client: Client, untilMs: number): Promise<void> {
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
  if (!known.has(begun)) await inOneInstant(client, [sql, `insert into tramita.migration (name) values ('${begun}')`]);
  if (after === undefined) return;
  // A broken-off build leaves an index that is kept up to date and never used.
  const { rows } = await client.query<{ index: string }>(
    `select indexrelid::regclass::text as index from pg_index
     where not indisvalid and indrelid in (select oid from pg_class where relnamespace = 'tramita'::regnamespace)`,
  );
  for (const { index } of rows) await client.query(`drop index concurrently ${index}`);
  for (const statement of after) await client.query(statement);
  await client.query('insert into tramita.migration (name) values ($1)', [name]);
}

/** Statements of others may have to wait this long behind one that waits for their tables. A call of ours has four of them. */
const INSTANT_MS = 300;
/** Until the next try, so that what had to wait is through. */
const PAUSE_MS = 500;
const LOCK_TRIES = 300;
/** SQLSTATE: a lock could not be got in time, or only against somebody who waits for ours. */
const BUSY = new Set(['55P03', '40P01']);

/** Statements that lock for an instant: they give way to the holder of what they need, and try again. */
async function inOneInstant(client: Client, statements: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query([`begin; set local lock_timeout = ${INSTANT_MS}`, ...statements, 'commit'].join(';\n'));
      return;
    } catch (error) {
      await client.query('rollback');
      if (!BUSY.has((error as { code?: string }).code ?? '') || tries >= LOCK_TRIES) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
