/**
 * Keyed fingerprints of the settings on which all programs of a database must agree. With another id key the same flow gets
 * another id and pays again; at another service, pending work would be bought again (docs/decisions/0021). They are made with
 * the id key, so nobody can test guesses against them without it. Pure.
 */
import { DEFAULT_ACCOUNT, ID_KEY_FINGERPRINT } from '../protocol/index.js';
import { ENV, bothWays } from './env-names.js';
import { createTokens } from './id-tokens.js';
import type { PayloadKeys } from './payload-keys.js';
import type { Config } from './types.js';

/** As the store saves it. */
export interface SettingFingerprint {
  readonly subject: 'id key' | 'base url' | 'api key' | 'payload key';
  /** Empty for the id key; for a payload key, the id of that key. */
  readonly account: string;
  readonly value: string;
}

/** Fingerprints of these settings and payload keys; none without an id key, because nothing can be compared then. */
export function fingerprintsOf(
  config: Pick<Config, 'accounts' | 'idKey'>,
  payloadKeys?: PayloadKeys,
): readonly SettingFingerprint[] {
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
    ...[...(payloadKeys?.byId ?? [])].map(([id, key]): SettingFingerprint => {
      const value = token('fingerprint/payload key', key.export().toString('base64'));
      return { subject: 'payload key', account: id, value };
    }),
  ];
}

/** Why a worker with these keys could not read what the flows of this database write, and the cure; undefined if it can. Pure. */
export function payloadKeysProblem(
  kept: readonly { readonly subject: string; readonly account: string; readonly sinceMs: number }[],
  keys: PayloadKeys | undefined,
): string | undefined {
  const used = kept.filter(({ subject }) => subject === 'payload key');
  const newestMs = Math.max(...used.map(({ sinceMs }) => sinceMs));
  const newest = used.filter(({ sinceMs }) => sinceMs === newestMs);
  const [first] = newest;
  if (first === undefined || newest.some(({ account }) => keys?.byId.has(account) === true)) return undefined;
  const since = new Date(newestMs).toISOString();
  return `${seenKeys(keys)}, and the flows of this database are encrypted with the key "${first.account}" since ${since}: this worker could not read them; add that key. If it is lost for good: \`tramita account forget-key --key ${first.account}\``;
}

/** Why no worker of this database could read what a program with these keys writes; undefined if one could or none has started. */
export function unreadKeyProblem(
  kept: readonly { readonly subject: string; readonly account: string }[],
  keys: PayloadKeys | undefined,
): string | undefined {
  const id = keys?.writes?.id;
  const isKnown = kept.some(({ subject, account }) => subject === 'payload key' && account === id);
  // Only workers write the id key's fingerprint; the one of a base URL may be there before the first worker.
  const hasWorker = kept.some(({ subject }) => subject === 'id key');
  if (id === undefined || isKnown || !hasWorker) return undefined;
  return `${bothWays(ENV.PAYLOAD_KEYS)} writes with the key "${id}", and no worker of this database has started with it, so none could read what is sent to flows; give it to the workers first, listed after the key that they write with`;
}

/** Like {@link payloadKeysProblem}, for the key of a running flow. */
export function missingKeyProblem(
  keyId: string,
  { taskQueue, payloadKeys }: { readonly taskQueue: string; readonly payloadKeys?: PayloadKeys | undefined },
): string {
  return `${seenKeys(payloadKeys)}, and flows that run on the task queue ${taskQueue} are encrypted with the key ${JSON.stringify(keyId)}: this worker could not read them; add that key, or terminate the flows`;
}

function seenKeys(keys: PayloadKeys | undefined): string {
  const seen = keys === undefined ? 'is not set' : `has the keys ${[...keys.byId.keys()].join(', ')}`;
  return `${bothWays(ENV.PAYLOAD_KEYS)} ${seen}`;
}

/** `apiUrl` as the configuration reads it: host in lower case, no default port, no slash at the end. */
export function baseUrlFingerprint(
  idKey: string,
  { account, apiUrl }: { readonly account: string; readonly apiUrl: string },
): SettingFingerprint {
  return { subject: 'base url', account, value: createTokens(idKey).token('fingerprint/base url', apiUrl) };
}

/** The part of a fingerprint that is shown: enough to compare two by eye. */
export function shortFingerprint(value: string): string {
  return value.slice(0, 8);
}

/** Why a program with these settings must not use this database, and the cure. */
export function fingerprintProblem(mismatch: {
  readonly given: SettingFingerprint;
  readonly kept: { readonly value: string; readonly sinceMs: number };
}): string {
  const { given, kept } = mismatch;
  const since = new Date(kept.sinceMs).toISOString();
  const seen = `(seen ${shortFingerprint(given.value)}, in the database ${shortFingerprint(kept.value)} since ${since})`;
  if (given.subject === 'id key') {
    return `${bothWays(ENV.ID_KEY)} is not the key that this database was written with ${seen}: pending calls would be paid again under new ids; set the key that the other workers have, or use another database`;
  }
  const { account } = given;
  if (given.subject === 'payload key') {
    return `${bothWays(ENV.PAYLOAD_KEYS)} has another key under the id "${account}" than this database was written with ${seen}: neither worker could read what the other writes; give a new key a new id`;
  }
  const setting = account === DEFAULT_ACCOUNT ? bothWays(ENV.API_URL) : `accounts.${account}.apiUrl`;
  return `${setting} is another address than account ${account} has been used with ${seen}: work pending there would be asked for here; set the previous address, or change it deliberately with \`tramita account move --account ${account} --to <URL> --by <name>\``;
}
