/**
 * API keys of the sandbox and how a request carries one (interface "Authentication" 2 and 7). Pure. Every operation
 * accepts both headers; when a request sends both, `x-api-key` counts.
 */
import { refuse, type Answer } from './answer.js';
import { sha256Hex } from './derive.js';

/** An account of the sandbox; `empty` has no balance. */
export type AccountName = 'sandbox' | 'empty';

/** The API keys that the sandbox knows; any other is refused with 401. */
export const API_KEYS = {
  works: 'sandbox-key',
  /** Known, but without permissions: 403. */
  forbidden: 'forbidden-key',
  /** An account without balance: charged calls are refused with 402 and cost nothing. */
  empty: 'empty-key',
} as const;

export function readApiKey(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own !== '') return own;
  const authorization = headers['authorization'];
  return typeof authorization === 'string' ? /^Bearer (\S+)$/i.exec(authorization)?.[1] : undefined;
}

/** The account of the key, or the refusal. */
export function identify(key: string | undefined): AccountName | Answer {
  switch (key) {
    case API_KEYS.works:
      return 'sandbox';
    case API_KEYS.empty:
      return 'empty';
    case API_KEYS.forbidden:
      return refuse(403, 'FORBIDDEN', 'This key may not do this operation.');
    default:
      return refuse(401, 'API_KEY_REQUIRED', 'The API key is missing or not valid.');
  }
}

/** What charge book and request log record instead of the key. */
export function hashKey(key: string): string {
  return KNOWN_HASHES.get(key) ?? sha256Hex(key).slice(0, 16);
}

/** Cached, so that all rows of a key share one string. */
const KNOWN_HASHES: ReadonlyMap<string, string> = new Map(
  Object.values(API_KEYS).map((key) => [key, sha256Hex(key).slice(0, 16)]),
);
