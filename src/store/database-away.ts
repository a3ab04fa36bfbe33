/**
 * Is the database away, or was the statement wrong? Decided only by codes (SQLSTATE of PostgreSQL, `errno` names of
 * Node); the few errors of `pg` without a code are recognised by their fixed text. Pure.
 */
import { CODELESS, codeOfError } from '../contract/values/index.js';

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * 08…: connection exception. 57P0x: shut down, crashed, starting up. 57P05, 25P03: idle session ended.
 * 53…: no connections, memory or disk left. 57014, 55P03: statement or lock timeout. 25006: read-only standby.
 */
const AWAY_STATES = /^(08...|57P0.|57014|55P03|53...|25P03|25006)$/;

/** True when a statement did not get its lock within `lock_timeout`. */
export function isLockNotFree(error: unknown): boolean {
  return codeOfError(error) === '55P03';
}

/** True when trying again later can help and nothing is known to be wrong with the statement. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, message, errors } = shapeOf(error);
  // The Unix socket is missing. ENOENT from any other system call is about a file, not about the database.
  if (code === 'ENOENT') return (error as { readonly syscall?: unknown }).syscall === 'connect';
  if (code !== undefined) return SYSTEM_CODES.has(code) || AWAY_STATES.test(code);
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isDatabaseAway);
  return message !== undefined && CODELESS.test(message);
}

/** What is wrong with a server that answers, and what to do, by SQLSTATE. With any other code nobody answers. */
const SERVER_PROBLEMS: readonly (readonly [RegExp, string, string])[] = [
  [/^53300$/, 'has no connection left', 'wait, or raise max_connections of the server'],
  [/^53100$/, 'has no disk left', 'make room for it'],
  [/^53...$/, 'is out of memory or another resource', "look at the server's log"],
  [/^57P03$/, 'starts, stops or recovers', 'wait for it'],
  [/^25006$/, 'is read-only, as a standby is', 'correct the address, or promote it'],
  [/^(57014|55P03)$/, 'took too long, or a lock in it is not free', 'try again, and look at what it does'],
];

/**
 * For an error that `isDatabaseAway`: one line that says what is wrong with the database and what to do. Pure.
 *
 * @param variable that holds the URL.
 * @param address host and port, where they are known.
 */
export function awayProblem(error: unknown, variable = 'TRAMITA_DATABASE_URL', address?: string): string {
  const { code = '' } = shapeOf(error);
  const known = SERVER_PROBLEMS.find(([states]) => states.test(code));
  const [what, cure] =
    known === undefined ? ['does not answer', 'start it, or correct the address'] : [`${known[1]} (${code})`, known[2]];
  const where = address === undefined ? '' : ` (${address})`;
  return `the database of ${variable}${where} ${what}; ${cure}`;
}

/** False only if the server reported that it refused the statement: then the connection is still usable. */
export function endsConnection(error: unknown): boolean {
  const { code, severity } = shapeOf(error);
  const isFromServer = severity !== undefined && code !== undefined && /^[0-9A-Z]{5}$/.test(code);
  return !isFromServer || severity === 'FATAL' || severity === 'PANIC';
}

interface ErrorShape {
  readonly code: string | undefined;
  readonly severity: string | undefined;
  readonly message: string | undefined;
  /** Members of an `AggregateError`: one per address that was tried. */
  readonly errors: unknown;
}

function shapeOf(error: unknown): ErrorShape {
  if (typeof error !== 'object' || error === null) {
    return { code: undefined, severity: undefined, message: undefined, errors: undefined };
  }
  const { code, severity, message, errors } = error as Record<string, unknown>;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { code: text(code), severity: text(severity), message: text(message), errors };
}
