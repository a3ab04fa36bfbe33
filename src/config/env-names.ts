/**
 * All our environment variables: whether each is a secret, and the member of the JSON file that sets the same. This is the only
 * list: the reader and the errors use it, and a test compares the documentation with it. `TEMPORAL_*` variables are Temporal's
 * own and are read in `temporal-connection.ts`.
 */

export interface Variable {
  readonly name: string;
  /** True: the value is never shown, and `<name>_FILE` may name a file that holds it. */
  readonly secret: boolean;
  /** Path in the JSON file named by `TRAMITA_CONFIG` that sets the same thing. */
  readonly member?: string;
}

const plain = (name: string): Variable => ({ name, secret: false });
const secret = (name: string): Variable => ({ name, secret: true });
const ofDefault = (name: string, member: string): Variable => ({
  ...plain(name),
  member: `accounts.default.${member}`,
});

export const ENV = {
  // Account `default`.
  API_URL: ofDefault('TRAMITA_API_URL', 'apiUrl'), // https, or http for loopback
  API_KEY: secret('TRAMITA_API_KEY'),
  MAX_SPEND_PER_DAY: ofDefault('TRAMITA_MAX_SPEND_PER_DAY', 'maxSpendPerDay'), // per civil day of São Paulo
  MAX_SPEND_PER_FLOW: ofDefault('TRAMITA_MAX_SPEND_PER_FLOW', 'maxSpendPerFlow'),
  MIN_BALANCE: ofDefault('TRAMITA_MIN_BALANCE', 'minBalance'),
  WEBHOOKS: ofDefault('TRAMITA_WEBHOOKS', 'webhooks'), // on or off
  WEBHOOK_SECRETS: secret('TRAMITA_WEBHOOK_SECRETS'), // comma list, newest first
  WEBHOOK_TOKENS: secret('TRAMITA_WEBHOOK_TOKENS'), // comma list, newest first
  // All accounts.
  DATABASE_URL: secret('TRAMITA_DATABASE_URL'), // contains a password
  BRIDGE_DATABASE_URL: secret('TRAMITA_BRIDGE_DATABASE_URL'), // role `tramita_bridge`
  DATABASE_CONNECTIONS: { ...plain('TRAMITA_DATABASE_CONNECTIONS'), member: 'databaseConnections' }, // of one program
  UNSAFE_DATABASE: plain('TRAMITA_UNSAFE_DATABASE'), // 1: start although PostgreSQL may forget what it has confirmed
  TASK_QUEUE: plain('TRAMITA_TASK_QUEUE'),
  DEPLOYMENT: plain('TRAMITA_DEPLOYMENT'), // worker deployment that this program's workers are a version of
  BUILD_ID: plain('TRAMITA_BUILD_ID'), // build id of that version
  NEXUS: plain('TRAMITA_NEXUS'), // on or off
  WEBHOOK_SECRET_FORM: plain('TRAMITA_WEBHOOK_SECRET_FORM'), // utf8 or hex
  WEBHOOK_URL_HOSTS: plain('TRAMITA_WEBHOOK_URL_HOSTS'), // hosts that a webhook_url may name
  BRIDGE_LISTEN: plain('TRAMITA_BRIDGE_LISTEN'),
  BRIDGE_OPS_LISTEN: plain('TRAMITA_BRIDGE_OPS_LISTEN'),
  BRIDGE_BODIES_MB: plain('TRAMITA_BRIDGE_BODIES_MB'), // memory of all larger bodies in transit
  BRIDGE_TLS_CERT: secret('TRAMITA_BRIDGE_TLS_CERT'), // PEM text or path
  BRIDGE_TLS_KEY: secret('TRAMITA_BRIDGE_TLS_KEY'), // PEM text or path
  WORKER_OPS_LISTEN: plain('TRAMITA_WORKER_OPS_LISTEN'), // no default: several workers on a machine would fight for it
  FILES_DIR: plain('TRAMITA_FILES_DIR'),
  FILES: plain('TRAMITA_FILES'), // a directory, or s3://bucket/prefix
  FILES_ENDPOINT: plain('TRAMITA_FILES_ENDPOINT'), // of S3-compatible storage
  FILES_REGION: plain('TRAMITA_FILES_REGION'),
  FILES_PATH_STYLE: plain('TRAMITA_FILES_PATH_STYLE'), // on or off
  DOWNLOAD_HOSTS: plain('TRAMITA_DOWNLOAD_HOSTS'), // origins besides public https
  ID_KEY: secret('TRAMITA_ID_KEY'),
  PAYLOAD_KEYS: secret('TRAMITA_PAYLOAD_KEYS'), // kid:base64 comma list, newest first
  // The codec server.
  CODEC_LISTEN: plain('TRAMITA_CODEC_LISTEN'),
  CODEC_TOKENS: secret('TRAMITA_CODEC_TOKENS'), // name:sha256 comma list
  CODEC_ORIGINS: plain('TRAMITA_CODEC_ORIGINS'), // of the Temporal UIs that may ask
  CODEC_NAMESPACES: plain('TRAMITA_CODEC_NAMESPACES'),
  CODEC_OIDC_ISSUER: plain('TRAMITA_CODEC_OIDC_ISSUER'),
  CODEC_OIDC_AUDIENCE: plain('TRAMITA_CODEC_OIDC_AUDIENCE'),
  CODEC_OIDC_CLAIM: plain('TRAMITA_CODEC_OIDC_CLAIM'), // name=value
  CODEC_DATABASE_URL: secret('TRAMITA_CODEC_DATABASE_URL'), // role `tramita_codec`
  LOG_LEVEL: plain('TRAMITA_LOG_LEVEL'),
  CONFIG_FILE: plain('TRAMITA_CONFIG'),
} as const satisfies Readonly<Record<string, Variable>>;

export const VARIABLES: readonly Variable[] = Object.values(ENV);

/** `X_FILE` names a file that holds the secret `X`. */
export const FILE_SUFFIX = '_FILE';

/** Both ways to set a value, for the beginning of an error: `TRAMITA_API_URL (or accounts.default.apiUrl in the file …)`. */
export function bothWays({ name, secret: isSecret, member }: Variable): string {
  if (isSecret) return `${name} (or ${name}${FILE_SUFFIX}, the path of a file that holds it)`;
  return member === undefined ? name : `${name} (or ${member} in the file named by ${ENV.CONFIG_FILE.name})`;
}
