/** Is the schema the one this program was written for? Worker and bridge ask before they start anything. */
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOfError } from '../contract/values/index.js';
import { addressOf, type Database } from './connect.js';
import { awayProblem, isDatabaseAway } from './database-away.js';
import { MIGRATIONS } from './migrations/index.js';

/** SQLSTATE of a missing table or schema. */
const NOT_THERE = new Set(['42P01', '3F000']);

/** What is wrong with a URL, by SQLSTATE. Waiting cures none of it. */
const REFUSED: Readonly<Record<string, string>> = {
  '28P01': 'its user or its password',
  '28000': 'its user, or its sslmode if the server requires TLS',
  '3D000': 'its database, which does not exist',
  '42501': 'its user, who lacks a right',
};

/** Node's error codes for a certificate that is not trusted. */
const NOT_TRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/;
/** Message of `pg`, which gives this error no code. */
const NO_TLS = 'The server does not support SSL connections';

/** How long a program that starts waits for its database, which may be starting too. */
const DATABASE_WAIT_MS = 60_000;
const AGAIN_AFTER_MS = 500;

/**
 * A message that names the cure, or undefined when every migration of this program is applied. A newer schema is no
 * problem: migrations only add, so that programs of two versions can run during a deployment. Throws when the database
 * is away.
 *
 * @param variable that holds the URL, for the person who corrects it.
 */
export async function schemaProblem(db: Database, variable = 'TRAMITA_DATABASE_URL'): Promise<string | undefined> {
  let missing: readonly string[];
  try {
    missing = await missingMigrations(db);
  } catch (error) {
    const refused = refusedProblem(error, variable);
    if (refused === undefined) throw error;
    return refused;
  }
  if (missing.length === 0) return undefined;
  const what = missing.length === MIGRATIONS.length ? 'has no tramita schema' : `lacks ${missing.join(', ')}`;
  return `tramita: the database ${what}; run \`tramita migrate\` and start again`;
}

/** What to correct if the server refuses the user, the database or TLS, or is not trusted; undefined for any other error. */
function refusedProblem(error: unknown, variable = 'TRAMITA_DATABASE_URL'): string | undefined {
  const { code = '', message } = error as { readonly code?: string; readonly message?: string };
  if (message === NO_TLS)
    return `tramita: the server of ${variable} speaks no TLS: correct its sslmode, or its address`;
  if (NOT_TRUSTED.test(code)) {
    return `tramita: the certificate of the server of ${variable} is not trusted (${code}): correct its address, or name the authority with NODE_EXTRA_CA_CERTS`;
  }
  const wrong = REFUSED[code];
  if (wrong === undefined) return undefined;
  // The message of 42501 (insufficient_privilege) names a table, a schema or a role, so it can be shown.
  const detail = code === '42501' ? `${code}: ${message ?? ''}` : code;
  return `tramita: ${variable} is refused by the database (${detail}): correct ${wrong}`;
}

/** One line that names the URL's variable, the address and the cure, for a database that is away or refuses; undefined for any other error. */
export function databaseProblem(
  error: unknown,
  {
    variable = 'TRAMITA_DATABASE_URL',
    address,
  }: { readonly variable?: string; readonly address?: string | undefined } = {},
): string | undefined {
  return isDatabaseAway(error) ? `tramita: ${awayProblem(error, variable, address)}` : refusedProblem(error, variable);
}

/** `schemaProblem` for a program that starts: it logs that the database is away, and waits for it for a minute before that is the problem. */
export async function schemaProblemAtStart(
  db: Database,
  log: { warn(fields: object, message: string): void },
  variable?: string,
): Promise<string | undefined> {
  const deadlineMs = Date.now() + DATABASE_WAIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await schemaProblem(db, variable);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      const away = awayProblem(error, variable, addressOf(db));
      if (Date.now() >= deadlineMs) return `tramita: ${away}`;
      if (isFirst) log.warn({}, `${away}: waiting for it, a minute at most`);
      await sleep(AGAIN_AFTER_MS);
    }
  }
}

async function missingMigrations(db: Database): Promise<readonly string[]> {
  try {
    const rows = await db.selectFrom('tramita.migration').select('name').execute();
    const known = new Set(rows.map((row) => row.name));
    return MIGRATIONS.map((migration) => migration.name).filter((name) => !known.has(name));
  } catch (error) {
    if (NOT_THERE.has(codeOfError(error) ?? '')) return MIGRATIONS.map((migration) => migration.name);
    throw error;
  }
}
