/**
 * Brings the schema up to date. One transaction for all of it, under one advisory lock: two processes that migrate at
 * once do it one after the other, and a migration that fails leaves nothing behind. Forward only.
 */
import { Client } from 'pg';
import { openBridgeLogin } from './bridge-login.js';
import { lockNumber } from './lock-number.js';
import { MIGRATIONS } from './migrations/index.js';

export interface MigrateOptions {
  /** URL of the bridge. Where it names the user `tramita_bridge`, that role may log in with its password afterwards. */
  readonly bridgeUrl?: string;
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
    lock_timeout: options.lockTimeoutMs ?? 60_000,
  });
  // The error also fails the statement that waits for it; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${lockNumber('tramita migrations')})`);
    const applied = await applyMissing(client);
    await client.query('commit');
    if (options.bridgeUrl !== undefined) await openBridgeLogin(client, options.bridgeUrl);
    return applied;
  } finally {
    await client.end().catch(() => undefined);
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
  for (const migration of missing) {
    await client.query(migration.sql);
    await client.query('insert into tramita.migration (name) values ($1)', [migration.name]);
  }
  return missing.map((migration) => migration.name);
}
