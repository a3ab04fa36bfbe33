/**
 * Parses the configured base URL into where to connect. It is checked once, so that no later step has to ask whether the
 * key may be sent there. Pure; errors say how to fix the URL and never show user info.
 */
import { isIP } from 'node:net';

export interface ServiceOrigin {
  readonly secure: boolean;
  /** Name or address as `connect` takes it: IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the `Host` header. */
  readonly hostHeader: string;
  /** Path of the base URL without trailing slash; prepended to every target. */
  readonly basePath: string;
}

/** Throws `tramita: …` when the text is not an https URL (http for loopback) without user info, query and fragment. */
export function parseBaseUrl(text: string): ServiceOrigin {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw problem('is not an absolute URL');
  if (url.username !== '' || url.password !== '')
    throw problem('must not have user info; the key belongs in TRAMITA_API_KEY');
  if (/[?#\\\s]/.test(text)) throw problem('must not have a query, a fragment, a backslash or spaces');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw problem(`has the scheme "${url.protocol}"; use https`);
  const secure = url.protocol === 'https:';
  if (!secure && !isLoopback(host))
    throw problem(`sends the key in clear text to ${host}; use https (http only for loopback hosts)`);
  return {
    secure,
    host,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    hostHeader: url.host,
    basePath: url.pathname.replace(/\/+$/, ''),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function problem(what: string): Error {
  return new Error(`tramita: the base URL ${what}; set TRAMITA_API_URL to something like "https://api.example.com"`);
}
