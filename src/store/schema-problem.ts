/** Is the schema the one this program was written for? Worker and bridge ask before they start anything. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './connect.js';
import { isDatabaseAway } from './database-away.js';
import { MIGRATIONS } from './migrations/index.js';

/** SQLSTATE of a missing table or schema. */
const NOT_THERE = new Set(['42P01', '3F000']);

/** For a program that starts: its database may be starting beside it. */
export const DATABASE_WAIT_MS = 60_000;
const AGAIN_AFTER_MS = 500;

/**
 * A message that names the cure, or undefined when every migration of this program is applied. A newer schema is no
 * problem: migrations only add, so that programs of two versions can run during a deployment. Throws when the database
 * is away, for `waitMs` (default 0) and longer.
 */
export async function schemaProblem(db: Database, waitMs = 0): Promise<string | undefined> {
  const deadlineMs = Date.now() + waitMs;
  let missing: readonly string[] | undefined;
  while (missing === undefined) {
    try {
      missing = await missingMigrations(db);
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() >= deadlineMs) throw error;
      await sleep(AGAIN_AFTER_MS);
    }
  }
  if (missing.length === 0) return undefined;
  const what = missing.length === MIGRATIONS.length ? 'has no tramita schema' : `lacks ${missing.join(', ')}`;
  return `tramita: the database ${what}; run \`tramita migrate\` and start again`;
}

async function missingMigrations(db: Database): Promise<readonly string[]> {
  try {
    const rows = await db.selectFrom('tramita.migration').select('name').execute();
    const known = new Set(rows.map((row) => row.name));
    return MIGRATIONS.map((migration) => migration.name).filter((name) => !known.has(name));
  } catch (error) {
    if (NOT_THERE.has((error as { code?: string }).code ?? '')) return MIGRATIONS.map((migration) => migration.name);
    throw error;
  }
}
