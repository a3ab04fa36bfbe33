/**
 * Tokens that replace personal data in ids, search attributes and hashes: HMAC-SHA-256 over canonical JSON. Keyed, because a
 * plain hash of a CPF can be reversed in seconds (10^9 values).
 */
import { createHmac } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import { parseIdKey } from './parse-secrets.js';

/** 32 base64url characters are 192 bits. */
const TOKEN_LENGTH = 32;

/** Makes the tokens that replace personal data in ids, search attributes and hashes. */
export interface Tokens {
  /** The same kind and value always give the same 32 characters of `A-Za-z0-9_-`; different kinds never collide. */
  readonly token: (kind: string, value: unknown) => string;
}

/**
 * Makes {@link Tokens} from the id key. Use the same key everywhere, or the same flow gets different ids.
 *
 * @throws when the key is shorter than 32 characters or has blanks at an edge.
 */
export function createTokens(idKey: string): Tokens {
  const key = parseIdKey(idKey);
  if (!key.ok) throw new Error(`tramita: the id key cannot be used: ${key.problem}`);
  return {
    token: (kind, value) =>
      createHmac('sha256', key.value).update(canonicalJson({ kind, value })).digest('base64url').slice(0, TOKEN_LENGTH),
  };
}
