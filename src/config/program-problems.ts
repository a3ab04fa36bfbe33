/**
 * What a valid configuration lacks for a program, as text: `config` and `doctor` can show an incomplete configuration, and
 * `worker` and `bridge` refuse to start with the whole list. Pure.
 */
import { createSecureContext } from 'node:tls';
import { ENV, FILE_SUFFIX, bothWays } from './env-names.js';
import type { Env } from './env-reader.js';
import { when } from './layers.js';
import { errorCode } from './error-code.js';
import { isLoopback } from './parse-values.js';
import { DEFAULT_ACCOUNT } from '../protocol/index.js';
import type { AccountConfig, Config } from './types.js';

/** What a worker lacks in this configuration, one line each; empty if it can start. */
export function workerProblems(config: Config): readonly string[] {
  return [
    ...tlsProblems(config),
    ...when(config.databaseUrl === undefined, `${bothWays(ENV.DATABASE_URL)} is not set; expected a PostgreSQL URL`),
    ...when(config.idKey === undefined, `${bothWays(ENV.ID_KEY)} is not set; expected at least 32 characters`),
    ...Object.entries(config.accounts).flatMap(([name, account]) => accountProblems(name, account)),
  ];
}

/** What a bridge lacks in this configuration, one line each; empty if it can start. */
export function bridgeProblems(config: Config): readonly string[] {
  const { bridge } = config;
  const open = Object.entries(config.accounts).filter(
    ([, account]) => account.webhookSecrets.length === 0 && account.webhookTokens.length === 0,
  );
  return [
    ...tlsProblems(config),
    ...when(
      config.bridgeDatabaseUrl === undefined,
      `${bothWays(ENV.BRIDGE_DATABASE_URL)} is not set; expected a PostgreSQL URL with the role tramita_bridge`,
    ),
    ...(bridge.insecure ? [] : open.map(([name, account]) => unprotected(name, account))),
    ...when(
      !isLoopback(bridge.listen.host) && bridge.tls === undefined && !bridge.behindProxy,
      `the bridge would listen on ${bridge.listen.host} without TLS; set ${ENV.BRIDGE_TLS_CERT.name} and its key, or pass --behind-proxy when a proxy in front terminates TLS`,
    ),
    ...certificateProblem(bridge.tls),
  ];
}

/** Loads the pair as the server does. The error code shows nothing of the pair. */
function certificateProblem(pair: Config['bridge']['tls']): readonly string[] {
  if (pair === undefined) return [];
  try {
    createSecureContext(pair);
    return [];
  } catch (error) {
    const cert = ENV.BRIDGE_TLS_CERT.name;
    const what = `${cert} and ${ENV.BRIDGE_TLS_KEY.name} cannot be used together (${errorCode(error)})`;
    return [`${what}; expected a certificate with its chain, and its own key without a passphrase, both as PEM`];
  }
}

/** Whether a setting is present that only a bridge needs: a machine that runs only workers has none of them. */
export function hasBridge({ accounts, bridge, bridgeDatabaseUrl }: Config): boolean {
  const takesWebhooks = ({ webhookSecrets, webhookTokens }: AccountConfig): boolean =>
    webhookSecrets.length + webhookTokens.length > 0;
  return bridgeDatabaseUrl !== undefined || bridge.tls !== undefined || Object.values(accounts).some(takesWebhooks);
}

/**
 * Our connections to the service verify TLS regardless of the environment. Those of other libraries in the process (the database,
 * Temporal) do not, and a user who sets this variable may expect that a false certificate is accepted.
 */
export function tlsProblems({ tlsUnverified }: Pick<Config, 'tlsUnverified'>): readonly string[] {
  return when(
    tlsUnverified === true,
    'NODE_TLS_REJECT_UNAUTHORIZED is 0: any host that answers could read keys and passwords; unset it (NODE_EXTRA_CA_CERTS names a certificate authority of your own)',
  );
}

/** Also looks at the process's own environment, because that is what Node obeys. */
export function switchesTlsOff(env: Env): boolean {
  return [env, process.env].some((each) => each['NODE_TLS_REJECT_UNAUTHORIZED'] === '0');
}

function accountProblems(name: string, account: AccountConfig): readonly string[] {
  const url = name === DEFAULT_ACCOUNT ? bothWays(ENV.API_URL) : `accounts.${name}.apiUrl`;
  return [
    ...when(account.apiUrl === undefined, `${url} is not set; expected the base URL of the service`),
    ...(account.apiKey === undefined ? [keyProblem(name, account)] : []),
  ];
}

function keyProblem(name: string, account: AccountConfig): string {
  if (account.apiKeyEnv === undefined) {
    return `accounts.${name}.apiKeyEnv is not set; expected the name of the variable that holds the API key of account ${name}`;
  }
  const named = account.apiKeyEnv === ENV.API_KEY.name ? '' : ` (named by accounts.${name}.apiKeyEnv)`;
  return `${account.apiKeyEnv}${named} (or ${account.apiKeyEnv}${FILE_SUFFIX}, the path of a file that holds it) is not set; expected the API key of account ${name}`;
}

function unprotected(name: string, account: AccountConfig): string {
  const secrets = account.webhookSecretsEnv ?? `accounts.${name}.webhookSecretsEnv`;
  const tokens = account.webhookTokensEnv ?? `accounts.${name}.webhookTokensEnv`;
  const files = [secrets, tokens].every((variable) =>
    [ENV.WEBHOOK_SECRETS.name, ENV.WEBHOOK_TOKENS.name].includes(variable),
  )
    ? `, or their ${FILE_SUFFIX} forms`
    : '';
  return `account ${name} has neither webhook secret nor token, so anyone could post events; set ${secrets} or ${tokens}${files} (or pass --insecure)`;
}
