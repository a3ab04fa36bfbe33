/**
 * Static bearer tokens. The configuration holds their hashes, so reading it lets nobody in. A plain SHA-256 is enough, because a
 * token has 256 random bits and cannot be guessed.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CodecToken } from '../config/index.js';

const TOKEN_BYTES = 32;

/** A new token of 256 random bits, in base64url. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** SHA-256, as TRAMITA_CODEC_TOKENS expects it. */
export function hashToken(token: string): string {
  return digestOf(token).toString('hex');
}

/** The name of the token's holder. Compares with all tokens, in constant time. */
export function findToken(tokens: readonly CodecToken[], given: string): string | undefined {
  const digest = digestOf(given);
  const matches = tokens.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), digest));
  return matches[0]?.name;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
