/**
 * Removes what must not leave this room: the key where an answer repeats it, and everything but the code of an error of
 * sockets, TLS, files or axios, because a library's message or object may hold the key, the link or a person's number. Pure.
 */

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;
const MAX_DEPTH = 3;

/** The error's code (`ECONNRESET`, `DEPTH_ZERO_SELF_SIGNED_CERT`…), or `fallback` where it has none. Never its message. */
export function describeError(error: unknown, fallback = 'connection failed'): string {
  return codeOf(error, MAX_DEPTH) ?? fallback;
}

function codeOf(error: unknown, depth: number): string | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === 'string' && CODE.test(code)) return code;
  return codeOf(cause, depth - 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth - 1) : undefined);
}

/** A shorter key may occur in an answer by chance. */
const SHORTEST_KEY = 8;

/** The body with the key masked: services repeat what they refuse. */
export function withoutKey(body: Buffer, apiKey: string): Buffer {
  if (apiKey.length < SHORTEST_KEY || !body.includes(longestWord(apiKey))) return body;
  return Buffer.from(body.toString('latin1').replace(inJson(apiKey), '[API key]'), 'latin1');
}

/** No serialiser escapes letters and digits. */
function longestWord(apiKey: string): string {
  return apiKey.split(/[^0-9A-Za-z]+/).reduce((longest, word) => (word.length > longest.length ? word : longest));
}

/** Finds the key as it is, and as JSON may escape it: `/` as `\/`, `+` as `\u002B`. */
function inJson(apiKey: string): RegExp {
  const characters = Array.from(apiKey, (character) => {
    if (/[0-9A-Za-z]/.test(character)) return character;
    const code = character
      .charCodeAt(0)
      .toString(16)
      .replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return `(?:\\\\u00${code}|\\\\?\\${character})`;
  });
  return new RegExp(characters.join(''), 'g');
}
