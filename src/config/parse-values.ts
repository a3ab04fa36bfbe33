/**
 * Single plain values: text → typed value, or what was seen and what is expected. Pure; used for the environment,
 * the JSON file and overrides. A problem never repeats a value that may carry a password: URLs lose everything but scheme
 * and host. Secrets have their own file.
 */
import { isIP } from 'node:net';
import { parseAmount, type Amount } from '../contract/index.js';
import type { Parsed } from '../protocol/index.js';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Longest `seen` text in a message. */
const MAX_SEEN = 60;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

export const good = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const bad = (seen: string, expected: string): Parsed<never> => ({
  ok: false,
  problem: `seen ${seen}; expected ${expected}`,
});

export function parseApiUrl(text: string): Parsed<string> {
  const expected =
    'an https URL without user, query and fragment (http only for a loopback host), like https://api.example.com';
  const url = toUrl(text);
  if (url === undefined || !isPlainOrigin(url)) return bad(seenUrl(text), expected);
  return good(url.href.replace(/\/+$/, ''));
}

/** An origin that signed links may point to: `http://127.0.0.1:8790`, `https://files.example.com`. */
export function parseOrigin(text: string): Parsed<string> {
  const url = toUrl(text);
  if (url === undefined || !isPlainOrigin(url) || url.pathname !== '/') {
    return bad(seenUrl(text), 'origins like https://files.example.com (http only for a loopback host), without a path');
  }
  return good(url.origin);
}

/** Kept as given: the driver reads it. The value is never shown, because it carries a password. */
export function parseDatabaseUrl(text: string): Parsed<string> {
  const url = toUrl(text);
  const expected = 'a PostgreSQL URL, like postgresql://user:password@host:5432/database';
  if (url === undefined) return bad('a text that is not a URL', expected);
  if (!['postgres:', 'postgresql:'].includes(url.protocol)) return bad(`a URL of scheme ${url.protocol}`, expected);
  if (url.hostname === '' && !url.searchParams.has('host')) return bad('a URL without a host', expected);
  if (!hasWholeEscapes(url)) {
    return bad('a URL with a % that begins no escape', '%25 for each % of its user, password or database');
  }
  return good(text);
}

/** The driver decodes these parts, and fails as if no server answered. */
function hasWholeEscapes({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** A host that a `webhook_url` may name, with an optional port. */
export function parseHost(text: string): Parsed<string> {
  const lower = text.toLowerCase();
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(lower) ?? [];
  if (!HOST_NAME.test(host) || (port !== undefined && !isPort(Number(port)))) {
    return bad(shown(text), 'host names without scheme and path, like hooks.example.com');
  }
  return good(lower);
}

export function parseListen(text: string): Parsed<ListenAddress> {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  const hostOk = match?.[1] === undefined ? isIP(host) === 4 || HOST_NAME.test(host.toLowerCase()) : isIP(host) === 6;
  if (!hostOk || !(port === 0 || isPort(port))) {
    return bad(shown(text), 'host:port with a port up to 65535, like 127.0.0.1:8788 or [::1]:8788');
  }
  return good({ host, port });
}

export function parseMoney(text: string): Parsed<Amount> {
  const amount = parseAmount(text);
  return amount === undefined
    ? bad(shown(text), 'a decimal amount with up to four places, like "20.00"')
    : good(amount);
}

/** A whole number from `least` to `most`, both included. */
export function parseWhole(least: number, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? good(value) : bad(shown(text), `a whole number from ${least} to ${most}`);
  };
}

/** A text that matches `form`, unchanged. */
export function parseLike(form: RegExp, expected: string): (text: string) => Parsed<string> {
  return (text) => (form.test(text) ? good(text) : bad(shown(text), expected));
}

export const parseTaskQueue = parseLike(
  /^[A-Za-z0-9][\w.-]{0,99}$/,
  'a name of letters, digits, ".", "-" and "_", at most 100 characters',
);

/** Temporal writes a version as `name.build` in places, so the name has no dot. */
export const parseDeployment = parseLike(
  /^[A-Za-z0-9][\w-]{0,99}$/,
  'a name of letters, digits, "-" and "_", at most 100 characters',
);

export function parsePath(text: string): Parsed<string> {
  return /\p{C}/u.test(text) || text.trim() !== text
    ? bad(shown(text), 'a path without control characters, and without a space at its start or end')
    : good(text);
}

export function parseOneOf<const T extends string>(allowed: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const match = allowed.find((word) => word === text);
    return match === undefined ? bad(shown(text), `one of ${allowed.join(', ')}`) : good(match);
  };
}

/** Comma list of non-empty entries; blanks around entries are not part of them. */
export function parseListOf<T>(parse: (entry: string) => Parsed<T>): (text: string) => Parsed<readonly T[]> {
  return (text) => {
    const values: T[] = [];
    for (const entry of text.split(',').map((part) => part.trim())) {
      if (entry === '') return bad('an empty entry', 'a comma list without empty entries');
      const parsed = parse(entry);
      if (!parsed.ok) return parsed;
      values.push(parsed.value);
    }
    return good([...new Set(values)]);
  };
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** The seen value, quoted and truncated. Never for secrets. */
export function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SEEN ? `${text.slice(0, MAX_SEEN - 3)}...` : text);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function isPlainOrigin(url: URL): boolean {
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return secure && url.username === '' && url.password === '' && !hasRest(url);
}

/** The text counts: `search` and `hash` of a bare `?` or `#` are empty, and it would still take the path that is added to it. */
function hasRest({ href }: URL): boolean {
  return /[?#]/.test(href);
}

function seenUrl(text: string): string {
  const url = toUrl(text);
  if (url === undefined || url.host === '') return 'a text that is not a web URL';
  const user = url.username === '' && url.password === '' ? '' : ' with a user or password in it';
  const rest = hasRest(url) ? ' with a query or fragment' : '';
  return `${url.protocol}//${url.host}${user}${rest}`;
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
