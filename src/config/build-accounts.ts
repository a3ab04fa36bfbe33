/**
 * Accounts from the environment and the JSON file. The plain `TRAMITA_API_URL`, `_API_KEY`, `_MAX_SPEND_*`,
 * `_MIN_BALANCE` and `_WEBHOOKS` belong to account `default`; other accounts say in the file which variables hold their
 * secrets, and inherit nothing, so that a forgotten line can never spend from another account's balance.
 */
import { DEFAULT_ACCOUNT } from '../protocol/index.js';
import type { EnvReader } from './env-reader.js';
import {
  API_KEY,
  API_URL,
  MAX_SPEND_PER_DAY,
  MAX_SPEND_PER_FLOW,
  MIN_BALANCE,
  WEBHOOKS,
  WEBHOOK_SECRETS,
  WEBHOOK_TOKENS,
  type Variable,
} from './env-names.js';
import type { FileAccount } from './file-schema.js';
import { dropUndefined, firstGiven, ownRecord } from './layers.js';
import { parseApiKey, parseWebhookSecrets, parseWebhookTokens, type SecretForm } from './parse-secrets.js';
import { parseApiUrl, parseMoney, parseOneOf } from './parse-values.js';
import type { AccountConfig } from './types.js';

/** interface-v1 "Limits": 500 requests a minute per key on ordinary operations. */
const REQUESTS_PER_MINUTE = 500;
/** Polls are free, and count against the same limit of the service: paid calls keep two thirds of it. */
const POLLS_SHARE = 1 / 3;
const CONCURRENCY = 4;
/** Design 8, outages. */
const OUTAGE_AFTER = 3;

const OF_DEFAULT = [
  API_URL,
  API_KEY,
  MAX_SPEND_PER_DAY,
  MAX_SPEND_PER_FLOW,
  MIN_BALANCE,
  WEBHOOKS,
  WEBHOOK_SECRETS,
  WEBHOOK_TOKENS,
];

export function buildAccounts(sources: {
  readonly reader: EnvReader;
  readonly file: Readonly<Record<string, FileAccount>>;
  readonly secretForm: SecretForm;
  readonly withApiKeys: boolean;
}): Readonly<Record<string, AccountConfig>> {
  const { reader, file, secretForm, withApiKeys } = sources;
  const named = Object.keys(file);
  // A file that names only other accounts needs no `default`, unless the environment speaks about it.
  const withDefault = named.length === 0 || named.includes(DEFAULT_ACCOUNT) || OF_DEFAULT.some(reader.isSet);
  const names = [...new Set([...(withDefault ? [DEFAULT_ACCOUNT] : []), ...named])];
  return ownRecord(
    names.map(
      (name) => [name, buildAccount({ reader, secretForm, withApiKeys, name, file: file[name] ?? {} })] as const,
    ),
  );
}

/** Names of variables that accounts of the file bring in. */
export function accountVariables(file: Readonly<Record<string, FileAccount>>): readonly string[] {
  return Object.values(file).flatMap((account) =>
    [account.apiKeyEnv, account.webhookSecretsEnv, account.webhookTokensEnv].filter((name) => name !== undefined),
  );
}

function buildAccount(sources: {
  readonly reader: EnvReader;
  readonly secretForm: SecretForm;
  readonly withApiKeys: boolean;
  readonly name: string;
  readonly file: FileAccount;
}): AccountConfig {
  const { reader, secretForm, withApiKeys, name, file } = sources;
  const isDefault = name === DEFAULT_ACCOUNT;
  const env = isDefault ? defaultAccountEnv(reader) : {};
  const keyVariable = secretVariable(file.apiKeyEnv, isDefault ? API_KEY : undefined);
  const secretsVariable = secretVariable(file.webhookSecretsEnv, isDefault ? WEBHOOK_SECRETS : undefined);
  const tokensVariable = secretVariable(file.webhookTokensEnv, isDefault ? WEBHOOK_TOKENS : undefined);
  const requestsPerMinute = file.requestsPerMinute ?? REQUESTS_PER_MINUTE;
  return {
    auth: file.auth ?? 'x-api-key',
    exclusive: file.exclusive ?? false,
    debitAt: file.debitAt ?? 'unknown',
    refunds: file.refunds ?? 'unknown',
    serverErrors: file.serverErrors ?? 'unknown',
    requestsPerMinute,
    pollsPerMinute: file.pollsPerMinute ?? Math.max(1, Math.floor(requestsPerMinute * POLLS_SHARE)),
    concurrency: file.concurrency ?? CONCURRENCY,
    outageAfter: file.outageAfter ?? OUTAGE_AFTER,
    maskCnj: file.maskCnj ?? false,
    webhooks: (env.webhooks ?? file.webhooks ?? 'off') === 'on',
    webhookSecrets: read(reader, secretsVariable, (text) => parseWebhookSecrets(text, secretForm)) ?? [],
    webhookTokens: read(reader, tokensVariable, parseWebhookTokens) ?? [],
    webhookSecretForm: secretForm,
    ...dropUndefined({
      apiUrl: firstGiven(env.apiUrl, file.apiUrl),
      apiKey: withApiKeys ? read(reader, keyVariable, parseApiKey) : undefined,
      apiKeyEnv: keyVariable?.name,
      webhookSecretsEnv: secretsVariable?.name,
      webhookTokensEnv: tokensVariable?.name,
      maxSpendPerDay: firstGiven(env.maxSpendPerDay, file.maxSpendPerDay),
      maxSpendPerFlow: firstGiven(env.maxSpendPerFlow, file.maxSpendPerFlow),
      minBalance: firstGiven(env.minBalance, file.minBalance),
    }),
  };
}

function defaultAccountEnv(reader: EnvReader) {
  return dropUndefined({
    apiUrl: reader.read(API_URL, parseApiUrl),
    maxSpendPerDay: reader.read(MAX_SPEND_PER_DAY, parseMoney),
    maxSpendPerFlow: reader.read(MAX_SPEND_PER_FLOW, parseMoney),
    minBalance: reader.read(MIN_BALANCE, parseMoney),
    webhooks: reader.read(WEBHOOKS, parseOneOf(['on', 'off'])),
  });
}

function secretVariable(named: string | undefined, fallback: Variable | undefined): Variable | undefined {
  return named === undefined ? fallback : { name: named, about: 'named by an account', secret: true };
}

function read<T>(
  reader: EnvReader,
  variable: Variable | undefined,
  parse: Parameters<typeof reader.read<T>>[1],
): T | undefined {
  return variable === undefined ? undefined : reader.read(variable, parse);
}
