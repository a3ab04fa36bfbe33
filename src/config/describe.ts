/** The configuration as it may be shown: every setting, every secret only as `set` or `unset`. Pure. */
import { formatAmount, type Amount, type Json, type JsonObject } from '../contract/index.js';
import { keptText } from './retention.js';
import type { AccountConfig, Config } from './types.js';
import type { ListenAddress } from './parse-values.js';

/**
 * The configuration as it may be shown or logged: every setting, of a secret only whether it is set. Plain JSON, built member by
 * member: a setting added later is not shown until somebody adds it here.
 */
export function describe(config: Config): JsonObject {
  return {
    accounts: mapValues(config.accounts, describeAccount),
    databaseUrl: describeDatabase(config.databaseUrl),
    bridgeDatabaseUrl: describeDatabase(config.bridgeDatabaseUrl),
    codecDatabaseUrl: describeDatabase(config.codecDatabaseUrl),
    databaseConnections: config.databaseConnections,
    unsafeDatabase: config.unsafeDatabase === true,
    taskQueue: config.taskQueue,
    deployment: config.deployment === undefined ? null : { ...config.deployment },
    nexus: config.nexus ? 'on' : 'off',
    webhookUrlHosts: config.webhookUrlHosts,
    bridge: {
      listen: listenText(config.bridge.listen),
      opsListen: listenText(config.bridge.opsListen),
      tls: config.bridge.tls === undefined ? 'unset' : 'set',
      bodiesMb: config.bridge.bodiesMb,
      behindProxy: config.bridge.behindProxy,
      insecure: config.bridge.insecure,
    },
    workerOpsListen: config.workerOpsListen === undefined ? null : listenText(config.workerOpsListen),
    filesDir: config.filesDir,
    fileStore: config.fileStore === undefined ? null : plainJson(config.fileStore),
    downloadHosts: config.downloadHosts,
    idKey: setOrUnset(config.idKey),
    logLevel: config.logLevel,
    traces: config.traces ?? null,
    journalDays: config.journalDays,
    retention: mapValues(config.retention, keptText),
    prices: mapValues(config.prices, formatAmount),
    gaps: plainJson(config.gaps),
    operations: plainJson(config.operations),
  };
}

function describeAccount(account: AccountConfig): JsonObject {
  return {
    apiUrl: account.apiUrl ?? null,
    apiKeyEnv: account.apiKeyEnv ?? null,
    apiKey: setOrUnset(account.apiKey),
    auth: account.auth,
    exclusive: account.exclusive,
    debitAt: account.debitAt,
    refunds: account.refunds,
    serverErrors: account.serverErrors,
    maxSpendPerDay: amountText(account.maxSpendPerDay),
    maxSpendPerFlow: amountText(account.maxSpendPerFlow),
    minBalance: amountText(account.minBalance),
    requestsPerMinute: account.requestsPerMinute,
    pollsPerMinute: account.pollsPerMinute,
    concurrency: account.concurrency,
    outageAfter: account.outageAfter,
    maskCnj: account.maskCnj,
    webhooks: account.webhooks ? 'on' : 'off',
    webhookSecretsEnv: account.webhookSecretsEnv ?? null,
    webhookSecrets: listState(account.webhookSecrets),
    webhookTokensEnv: account.webhookTokensEnv ?? null,
    webhookTokens: listState(account.webhookTokens),
    webhookSecretForm: account.webhookSecretForm,
  };
}

/** Host, port and database only: user, password and parameters stay out. */
function describeDatabase(url: string | undefined): string {
  if (url === undefined) return 'unset';
  const parsed = new URL(url);
  return `set (${parsed.host}${parsed.pathname})`;
}

function listState(list: readonly string[]): string {
  return list.length === 0 ? 'unset' : `set (${list.length})`;
}

function setOrUnset(value: string | undefined): string {
  return value === undefined ? 'unset' : 'set';
}

function amountText(amount: Amount | undefined): string | null {
  return amount === undefined ? null : formatAmount(amount);
}

function listenText(address: ListenAddress): string {
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => Json): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function plainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
