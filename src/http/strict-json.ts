/**
 * Parses the bytes of an answer as JSON, strictly: fatal UTF-8, one BOM allowed, bounded depth, no own `__proto__` keys (`JSON.parse`
 * makes them own properties and a later `Object.assign` changes a prototype). Whole numbers too big for a float become
 * strings, so that no identifier is rounded. Pure; never throws.
 */

export type ParsedJson =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Deepest answers seen have about ten levels; more than this is an attack or a fault. */
const MAX_DEPTH = 100;
/** Integers of up to 15 digits are exact in a float. These characters precede a number; digits in a string mostly follow a quote. */
const BIG_INTEGER_HINT = /(?:^|[-:,[\s])\d{16}/;
/** Whole tokens, so that the digits of a fraction or an exponent are not taken for an integer. */
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const BIG_INTEGER = /^-?[1-9]\d{15,}$/;

export function parseStrictJson(bytes: Uint8Array): ParsedJson {
  if (bytes.length === 0) return { ok: false, problem: 'the body is empty' };
  let text: string;
  try {
    // Strips one BOM; a second one stays and is not JSON.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, problem: 'the body is not UTF-8' };
  }
  let value: unknown;
  try {
    value = parseText(text);
  } catch {
    return { ok: false, problem: 'the body is not JSON' };
  }
  const problem = structureProblem(value);
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

/**
 * Reads JSON that {@link parseStrictJson} refuses (a string cut within a character, a forbidden key). Only for `meta`, never
 * for data that is stored. Undefined when it is not JSON at all.
 */
export function readLooseJson(bytes: Uint8Array): unknown {
  try {
    return parseText(new TextDecoder('utf-8').decode(bytes));
  } catch {
    return undefined;
  }
}

function parseText(text: string): unknown {
  return JSON.parse(BIG_INTEGER_HINT.test(text) ? quoteBigIntegers(text) : text);
}

/** Leaves strings as they are. They are skipped without a regular expression, which fails on strings of millions of characters. */
function quoteBigIntegers(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const begin = quote === -1 ? text.length : quote;
    const between = text.slice(at, begin);
    parts.push(between.replace(NUMBER, (token) => (BIG_INTEGER.test(token) ? `"${token}"` : token)));
    at = endOfString(text, begin);
    parts.push(text.slice(begin, at));
  }
  return parts.join('');
}

/** Index after the string whose opening quote is at `begin`. */
function endOfString(text: string, begin: number): number {
  for (let quote = text.indexOf('"', begin + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Iterative: a hostile depth must not overflow our own stack. */
function structureProblem(root: unknown): string | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH} levels`;
    if (Object.hasOwn(value, '__proto__')) return 'the body has a "__proto__" key';
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null) open.push({ value: child, depth: depth + 1 });
    }
  }
  return undefined;
}
