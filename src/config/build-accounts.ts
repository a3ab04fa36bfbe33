/**
 * Accounts from the environment and the JSON file. The plain `TRAMITA_API_URL`, `_API_KEY`, `_MAX_SPEND_*`,
 * `_MIN_BALANCE` and `_WEBHOOKS` belong to account `default`; other accounts say in the file which variables hold their
 * secrets, and inherit nothing, so that a forgotten line can never spend from another account's balance.
 */
import { present } from '../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../protocol/index.js';
import type { EnvReader } from './env-reader.js';
import { ENV, type Variable } from './env-names.js';
import type { FileAccount } from './file-schema.js';
import { ownRecord } from './layers.js';
import { parseApiKey, parseWebhookSecrets, parseWebhookTokens, type SecretForm } from './parse-secrets.js';
import { parseApiUrl, parseMoney, parseOneOf } from './parse-values.js';
import type { AccountConfig } from './types.js';

/** For settings that neither the environment nor the file gives. */
const DEFAULTS = {
  auth: 'x-api-key',
  exclusive: false,
  debitAt: 'unknown',
  refunds: 'unknown',
  serverErrors: 'unknown',
  /** Interface "Limits": 500 requests a minute per key on ordinary operations. */
  requestsPerMinute: 500,
  concurrency: 4,
  outageAfter: 3,
  maskCnj: false,
  webhooks: 'off',
} as const;
/** Polls are free but count against the same rate limit of the service, so paid calls keep two thirds of it. */
const POLLS_SHARE = 1 / 3;

const DEFAULT_VARIABLES = [
  ENV.API_URL,
  ENV.API_KEY,
  ENV.MAX_SPEND_PER_DAY,
  ENV.MAX_SPEND_PER_FLOW,
  ENV.MIN_BALANCE,
  ENV.WEBHOOKS,
  ENV.WEBHOOK_SECRETS,
  ENV.WEBHOOK_TOKENS,
];

interface Sources {
  readonly reader: EnvReader;
  readonly secretForm: SecretForm;
  readonly withApiKeys: boolean;
}

export function buildAccounts(
  { reader, withApiKeys }: Omit<Sources, 'secretForm'>,
  file: Readonly<Record<string, FileAccount>>,
): Readonly<Record<string, AccountConfig>> {
  const secretForm = reader.read(ENV.WEBHOOK_SECRET_FORM, parseOneOf(['utf8', 'hex'])) ?? 'utf8';
  const sources: Sources = { reader, secretForm, withApiKeys };
  const named = Object.keys(file);
  // A file that names only other accounts needs no `default`, unless the environment sets one of its variables.
  const withDefault = named.length === 0 || named.includes(DEFAULT_ACCOUNT) || DEFAULT_VARIABLES.some(reader.isSet);
  const names = [...new Set([...(withDefault ? [DEFAULT_ACCOUNT] : []), ...named])];
  return ownRecord(names.map((name) => [name, buildAccount(sources, name, file[name] ?? {})] as const));
}

/** The variables that accounts of the file name. */
export function accountVariables(file: Readonly<Record<string, FileAccount>>): readonly string[] {
  return Object.values(file).flatMap((account) =>
    [account.apiKeyEnv, account.webhookSecretsEnv, account.webhookTokensEnv].filter((name) => name !== undefined),
  );
}

function buildAccount({ reader, secretForm, withApiKeys }: Sources, name: string, file: FileAccount): AccountConfig {
  const isDefault = name === DEFAULT_ACCOUNT;
  const env = isDefault ? defaultAccountEnv(reader) : {};
  const { apiUrl, maxSpendPerDay, maxSpendPerFlow, minBalance, ...rest } = { ...DEFAULTS, ...present(file), ...env };
  const keyVariable = secretVariable(file.apiKeyEnv, isDefault ? ENV.API_KEY : undefined);
  const secretsVariable = secretVariable(file.webhookSecretsEnv, isDefault ? ENV.WEBHOOK_SECRETS : undefined);
  const tokensVariable = secretVariable(file.webhookTokensEnv, isDefault ? ENV.WEBHOOK_TOKENS : undefined);
  return {
    ...rest,
    pollsPerMinute: rest.pollsPerMinute ?? Math.max(1, Math.floor(rest.requestsPerMinute * POLLS_SHARE)),
    webhooks: rest.webhooks === 'on',
    webhookSecrets: reader.read(secretsVariable, (text) => parseWebhookSecrets(text, secretForm)) ?? [],
    webhookTokens: reader.read(tokensVariable, parseWebhookTokens) ?? [],
    webhookSecretForm: secretForm,
    ...present({
      apiUrl: apiUrl ?? undefined,
      apiKey: withApiKeys ? reader.read(keyVariable, parseApiKey) : undefined,
      apiKeyEnv: keyVariable?.name,
      webhookSecretsEnv: secretsVariable?.name,
      webhookTokensEnv: tokensVariable?.name,
      maxSpendPerDay: maxSpendPerDay ?? undefined,
      maxSpendPerFlow: maxSpendPerFlow ?? undefined,
      minBalance: minBalance ?? undefined,
    }),
  };
}

function defaultAccountEnv(reader: EnvReader) {
  return present({
    apiUrl: reader.read(ENV.API_URL, parseApiUrl),
    maxSpendPerDay: reader.read(ENV.MAX_SPEND_PER_DAY, parseMoney),
    maxSpendPerFlow: reader.read(ENV.MAX_SPEND_PER_FLOW, parseMoney),
    minBalance: reader.read(ENV.MIN_BALANCE, parseMoney),
    webhooks: reader.read(ENV.WEBHOOKS, parseOneOf(['on', 'off'])),
  });
}

function secretVariable(named: string | undefined, fallback: Variable | undefined): Variable | undefined {
  return named === undefined ? fallback : { name: named, secret: true };
}
