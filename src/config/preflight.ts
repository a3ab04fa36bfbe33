/** Warnings about a configuration that are no reason to refuse it. Pure; no secret in any line. */
import { ENV, type Variable } from './env-names.js';
import { when } from './layers.js';
import { isLoopback } from './parse-values.js';
import { hasBridge } from './program-problems.js';
import type { AccountConfig, Config } from './types.js';

/** Warnings about settings that are allowed but risky, like an account without a limit, one line each. */
export function preflight(config: Config): readonly string[] {
  const { bridge } = config;
  return [
    ...Object.entries(config.accounts).flatMap(([name, account]) =>
      accountWarnings(account).map((warning) => `account ${name}: ${warning}`),
    ),
    ...sharedKeys(config),
    ...zeroPrices(config),
    ...(config.openSecretFiles ?? []).map(
      (name) => `${name}: others on this machine can read the file; restrict it (chmod 600)`,
    ),
    ...unencryptedDatabase(ENV.DATABASE_URL, config.databaseUrl),
    ...unencryptedDatabase(ENV.BRIDGE_DATABASE_URL, config.bridgeDatabaseUrl),
    ...unencryptedDatabase(ENV.CODEC_DATABASE_URL, config.codecDatabaseUrl),
    ...when(bridge.insecure, '--insecure: deliveries to accounts without secret and token are accepted from anyone'),
    ...when(
      hasBridge(config) && bridge.tls === undefined,
      'the bridge serves plain HTTP; a proxy in front has to terminate TLS (the service delivers to https only)',
    ),
    ...when(
      !isLoopback(bridge.opsListen.host),
      `health and metrics of the bridge listen on ${bridge.opsListen.host} without a password`,
    ),
    ...when(
      isOpenStore(config.fileStore),
      `${ENV.FILES_ENDPOINT.name}: documents cross the network in plain HTTP; use https`,
    ),
    ...config.downloadHosts
      .filter((origin) => origin.startsWith('http:'))
      .map((origin) => `signed links may point to ${origin} in plain HTTP`),
  ];
}

function accountWarnings(account: AccountConfig): readonly string[] {
  const hasSecret = account.webhookSecrets.length > 0;
  const hasToken = account.webhookTokens.length > 0;
  return [
    ...when(
      hasToken && !hasSecret,
      'webhooks have a token but no HMAC secret: the token alone does not protect the body',
    ),
    ...when(account.webhooks && !hasSecret && !hasToken, 'webhooks are on, but there is neither secret nor token'),
    ...when(account.apiUrl?.startsWith('http:') === true, 'the service is called in plain HTTP'),
    ...when(account.maxSpendPerDay === undefined, 'no limit per day (maxSpendPerDay)'),
    ...when(
      account.exclusive && account.debitAt === 'unknown',
      'exclusive without debitAt: the balance is not evidence until debitAt says when the service debits',
    ),
  ];
}

export function unencryptedDatabase({ name }: Variable, url: string | undefined): readonly string[] {
  return when(
    url !== undefined && isOpenToTheNetwork(url),
    `${name}: the database is on another machine and the connection is not encrypted; add sslmode=verify-full`,
  );
}

function sharedKeys(config: Config): readonly string[] {
  const names = Object.keys(config.accounts);
  return names.flatMap((name, index) => {
    const key = config.accounts[name]?.apiKey;
    const other = names.slice(0, index).find((earlier) => config.accounts[earlier]?.apiKey === key);
    return key === undefined || other === undefined
      ? []
      : [`accounts ${other} and ${name} use the same API key: limits and balance are counted twice`];
  });
}

/** A price of zero has no effect (docs/decisions/0022). */
function zeroPrices({ prices }: Config): readonly string[] {
  return Object.entries(prices)
    .filter(([, price]) => price === 0)
    .map(([id]) => `prices.${id} is "0", which says nothing: the next known price is reserved until the answer says`);
}

function isOpenStore(store: Config['fileStore']): boolean {
  if (store?.kind !== 's3' || store.endpoint?.startsWith('http:') !== true) return false;
  return !isLoopback(new URL(store.endpoint).hostname);
}

const ENCRYPTED = ['require', 'verify-ca', 'verify-full', 'prefer', 'allow', 'no-verify'];

/** Reads the URL as the driver does: unencrypted without `sslmode` or `ssl`. A host that is a path is a local socket. */
function isOpenToTheNetwork(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host === '' || host.startsWith('/') || isLoopback(host)) return false;
  const ssl = searchParams.get('ssl');
  return !ENCRYPTED.includes(searchParams.get('sslmode') ?? '') && ssl !== 'true' && ssl !== '1';
}
