/**
 * Every environment variable of ours as data: unit and default, whether it is a secret, and the member of the JSON file
 * that says the same. The only list: the reader, the errors, `describe` and the documentation go by it. `TEMPORAL_*`
 * variables are Temporal's own and are read in `temporal-connection.ts`.
 */

export interface Variable {
  readonly name: string;
  /** What it holds, with unit and default. */
  readonly about: string;
  /** True: the value is never shown, and `<name>_FILE` may name a file that holds it. */
  readonly secret: boolean;
  /** Path in the JSON file named by `TRAMITA_CONFIG` that sets the same thing. */
  readonly member?: string;
}

const plain = (name: string, about: string, member?: string): Variable =>
  member === undefined ? { name, about, secret: false } : { name, about, secret: false, member };
const secret = (name: string, about: string): Variable => ({ name, about, secret: true });

/** Base URL of the service; https, or http for loopback. No default. Account `default`. */
export const API_URL = plain('TRAMITA_API_URL', 'base URL of the service (https)', 'accounts.default.apiUrl');
/** Key of the service. No default. Account `default`. */
export const API_KEY = secret('TRAMITA_API_KEY', 'API key of account default');
/** PostgreSQL of the worker. No default outside the local stack. Secret: it carries a password. */
export const DATABASE_URL = secret('TRAMITA_DATABASE_URL', 'PostgreSQL URL of the worker');
/** PostgreSQL of the bridge, role `tramita_bridge`. No default. */
export const BRIDGE_DATABASE_URL = secret('TRAMITA_BRIDGE_DATABASE_URL', 'PostgreSQL URL of the bridge');
/** `tramita`. */
export const TASK_QUEUE = plain('TRAMITA_TASK_QUEUE', 'Temporal task queue, default tramita');
/** Comma list, newest first. No default. Account `default`. */
export const WEBHOOK_SECRETS = secret('TRAMITA_WEBHOOK_SECRETS', 'webhook HMAC secrets, comma list, newest first');
/** Comma list, newest first. No default. Account `default`. */
export const WEBHOOK_TOKENS = secret('TRAMITA_WEBHOOK_TOKENS', 'webhook bearer tokens, comma list, newest first');
/** `utf8` or `hex`; `utf8`. All accounts. */
export const WEBHOOK_SECRET_FORM = plain('TRAMITA_WEBHOOK_SECRET_FORM', 'utf8 or hex, default utf8');
/** `on` or `off`; `off`. Account `default`. */
export const WEBHOOKS = plain('TRAMITA_WEBHOOKS', 'on or off, default off', 'accounts.default.webhooks');
/** Comma list of hosts; none. */
export const WEBHOOK_URL_HOSTS = plain('TRAMITA_WEBHOOK_URL_HOSTS', 'hosts that a webhook_url may name, comma list');
/** `host:port`; `127.0.0.1:8788`. */
export const BRIDGE_LISTEN = plain('TRAMITA_BRIDGE_LISTEN', 'host:port, default 127.0.0.1:8788');
/** `host:port`; `127.0.0.1:8789`. */
export const BRIDGE_OPS_LISTEN = plain('TRAMITA_BRIDGE_OPS_LISTEN', 'host:port, default 127.0.0.1:8789');
/** PEM text or the path of a PEM file. None: plain HTTP. */
export const BRIDGE_TLS_CERT = secret('TRAMITA_BRIDGE_TLS_CERT', 'certificate of the bridge, PEM text or path');
/** PEM text or the path of a PEM file. None: plain HTTP. */
export const BRIDGE_TLS_KEY = secret('TRAMITA_BRIDGE_TLS_KEY', 'private key of the bridge, PEM text or path');
/** Folder; `.tramita/files`. */
export const FILES_DIR = plain('TRAMITA_FILES_DIR', 'document store and spool, default .tramita/files');
/** Comma list of origins besides public https; none. */
export const DOWNLOAD_HOSTS = plain('TRAMITA_DOWNLOAD_HOSTS', 'origins that signed links may point to, comma list');
/** Decimal amount per civil day of São Paulo; no limit. Account `default`. */
export const MAX_SPEND_PER_DAY = plain(
  'TRAMITA_MAX_SPEND_PER_DAY',
  'decimal amount, default no limit',
  'accounts.default.maxSpendPerDay',
);
/** Decimal amount per flow; no limit. Account `default`. */
export const MAX_SPEND_PER_FLOW = plain(
  'TRAMITA_MAX_SPEND_PER_FLOW',
  'decimal amount, default no limit',
  'accounts.default.maxSpendPerFlow',
);
/** Decimal amount; no floor. Account `default`. */
export const MIN_BALANCE = plain(
  'TRAMITA_MIN_BALANCE',
  'decimal amount, default no floor',
  'accounts.default.minBalance',
);
/** At least 32 characters. No default outside the local stack. */
export const ID_KEY = secret('TRAMITA_ID_KEY', 'key of tokens and hashes, at least 32 characters');
/** pino level; `info`. */
export const LOG_LEVEL = plain('TRAMITA_LOG_LEVEL', 'pino level, default info');
/** `host:port`; none: several workers on one machine must not fight for a port. */
export const WORKER_OPS_LISTEN = plain('TRAMITA_WORKER_OPS_LISTEN', 'host:port, default none');
/** Path of the JSON file; none. */
export const CONFIG_FILE = plain('TRAMITA_CONFIG', 'path of the JSON file');

/** `1` or `0`; `0`. */
export const UNSAFE_DATABASE = plain(
  'TRAMITA_UNSAFE_DATABASE',
  '1: a worker starts although PostgreSQL may forget what it has confirmed (fsync or full_page_writes off), default 0',
);

export const VARIABLES: readonly Variable[] = [
  API_URL,
  API_KEY,
  DATABASE_URL,
  BRIDGE_DATABASE_URL,
  TASK_QUEUE,
  WEBHOOK_SECRETS,
  WEBHOOK_TOKENS,
  WEBHOOK_SECRET_FORM,
  WEBHOOKS,
  WEBHOOK_URL_HOSTS,
  BRIDGE_LISTEN,
  BRIDGE_OPS_LISTEN,
  BRIDGE_TLS_CERT,
  BRIDGE_TLS_KEY,
  FILES_DIR,
  DOWNLOAD_HOSTS,
  MAX_SPEND_PER_DAY,
  MAX_SPEND_PER_FLOW,
  MIN_BALANCE,
  ID_KEY,
  LOG_LEVEL,
  WORKER_OPS_LISTEN,
  CONFIG_FILE,
  UNSAFE_DATABASE,
];

/** `X_FILE` names a file that holds the secret `X`. */
export const FILE_SUFFIX = '_FILE';

/** Both ways to set a value, for the beginning of an error: `TRAMITA_API_URL (or accounts.default.apiUrl in the file …)`. */
export function bothWays(variable: Variable): string {
  if (variable.secret) return `${variable.name} (or ${variable.name}${FILE_SUFFIX}, the path of a file that holds it)`;
  const member =
    variable.member === undefined ? '' : ` (or ${variable.member} in the file named by ${CONFIG_FILE.name})`;
  return variable.name + member;
}
