/**
 * What an erasure leaves of a caller's own idempotency key (`once`): a keyed token of the whole key, whatever was erased in it. So
 * a later start with the same key still finds what it has paid for. Pure apart from the token function.
 */
/** Keyed HMAC over canonical JSON; `kind` keeps tokens of different things apart. */
export type TokenOf = (kind: string, value: unknown) => string;

const ERASED = /erased:key:[\w-]+(?:#\w+)?$/;

/** `rest`: the key without what is erased. A portfolio's round stays if nothing in it is erased: its cost is summed by its name. */
export function eraseKey(token: TokenOf, key: string, rest: string): string {
  const prefix = prefixOf(key);
  const mark = ERASED.exec(key)?.[0] ?? markOf(token, key);
  return rest.startsWith(prefix) ? `${prefix}${mark}` : mark;
}

/** The key, and what an erasure may have left of it. */
export function spellingsOfKey(token: TokenOf, key: string): readonly string[] {
  const mark = markOf(token, key);
  return [...new Set([key, mark, `${prefixOf(key)}${mark}`])];
}

function markOf(token: TokenOf, key: string): string {
  return `erased:key:${token('erased key', key)}`;
}

/** The round of a portfolio, with its slash; otherwise nothing. */
function prefixOf(key: string): string {
  return key.startsWith('portfolio/') ? key.slice(0, key.lastIndexOf('/') + 1) : '';
}
