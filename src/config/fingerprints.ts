/**
 * The settings that two programs must not disagree about, as keyed fingerprints to be kept in the database: with another id
 * key the same flow gets another id and pays again, and what is pending at one service would be bought at another
 * (docs/decisions/0021). Made with the id key itself, so nothing can be tried against them without it. Pure.
 */
import { DEFAULT_ACCOUNT, ID_KEY_FINGERPRINT } from '../protocol/index.js';
import { ENV, bothWays } from './env-names.js';
import { createTokens } from './id-tokens.js';
import type { Config } from './types.js';

/** As the store keeps it. */
export interface SettingFingerprint {
  readonly subject: 'id key' | 'base url' | 'api key';
  /** Empty for the id key. */
  readonly account: string;
  readonly value: string;
}

/** Of what the configuration has; empty without an id key, for then nothing can be told. */
export function fingerprintsOf(config: Pick<Config, 'accounts' | 'idKey'>): readonly SettingFingerprint[] {
  const { idKey, accounts } = config;
  if (idKey === undefined) return [];
  const { token } = createTokens(idKey);
  return [
    { subject: 'id key', account: '', value: token(ID_KEY_FINGERPRINT, '') },
    ...Object.entries(accounts).flatMap(([account, { apiUrl, apiKey }]): SettingFingerprint[] => [
      ...(apiUrl === undefined ? [] : [baseUrlFingerprint(idKey, { account, apiUrl })]),
      ...(apiKey === undefined
        ? []
        : [{ subject: 'api key', account, value: token('fingerprint/api key', apiKey) } as const]),
    ]),
  ];
}

/** `apiUrl` as the configuration reads it: host in lower case, no default port, no slash at the end. */
export function baseUrlFingerprint(
  idKey: string,
  { account, apiUrl }: { readonly account: string; readonly apiUrl: string },
): SettingFingerprint {
  return { subject: 'base url', account, value: createTokens(idKey).token('fingerprint/base url', apiUrl) };
}

/** What is shown of one: enough to compare two by eye. */
export function shortFingerprint(value: string): string {
  return value.slice(0, 8);
}

/** Why a program must not go on, and the cure. */
export function fingerprintProblem(mismatch: {
  readonly given: SettingFingerprint;
  readonly kept: { readonly value: string; readonly sinceMs: number };
}): string {
  const { given, kept } = mismatch;
  const since = new Date(kept.sinceMs).toISOString();
  const seen = `(seen ${shortFingerprint(given.value)}, in the database ${shortFingerprint(kept.value)} since ${since})`;
  if (given.subject === 'id key') {
    return `${bothWays(ENV.ID_KEY)} is another key than this database is written with ${seen}: what is pending would be paid again under new ids; set the key that the other workers have, or use another database`;
  }
  const { account } = given;
  const setting = account === DEFAULT_ACCOUNT ? bothWays(ENV.API_URL) : `accounts.${account}.apiUrl`;
  return `${setting} is another address than account ${account} has been used with ${seen}: what is pending there would be asked for here; set the former address, or change it on purpose with \`tramita account move --account ${account} --to <URL> --by <name>\``;
}
