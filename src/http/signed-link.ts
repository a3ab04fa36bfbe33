/**
 * Parses a signed link into where to connect and what to request, byte for byte. It is split by hand: axios, fetch and
 * `URL` rewrite such links (measured: 7 of 15), which breaks the signature. Also decides by host and port where a link may
 * point; resolved addresses are checked later (`resolve-pinned.ts`). Pure; problems never show the link.
 */
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

export interface SignedLink {
  readonly secure: boolean;
  /** Lower-case name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly hostHeader: string;
  /** Path and query exactly as written, without the fragment. */
  readonly path: string;
  /** `scheme://authority` as written in lower case; for relative redirects. */
  readonly origin: string;
  /** True when the origin is on the allow-list: plain http, other ports and private addresses are then fine. */
  readonly trusted: boolean;
}

export type ParsedLink =
  { readonly ok: true; readonly link: SignedLink } | { readonly ok: false; readonly problem: string };

const LINK = /^(https?):\/\/([^/?#]*)([^#]*)/i;
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?$/;

/** `allowedOrigins` are texts like `http://127.0.0.1:9000`. */
export function parseSignedLink(url: string, allowedOrigins: readonly string[]): ParsedLink {
  if (/[^\x21-\x7e]/.test(url)) return refuse('has spaces, control or non-ASCII characters');
  const match = LINK.exec(url);
  if (match === null) return refuse('is not an http or https URL');
  const scheme = (match[1] ?? '').toLowerCase();
  const authorityText = (match[2] ?? '').toLowerCase();
  const authority = AUTHORITY.exec(authorityText);
  if (authority === null) return refuse('has user info or no usable host');
  const [, hostText = '', portText] = authority;
  const secure = scheme === 'https';
  const port = portOf(secure, portText);
  if (port < 1 || port > 65_535) return refuse('has no usable port');
  const host = hostText.replace(/^\[|\]$/g, '');
  if (hostText.startsWith('[') && isIP(host) !== 6) return refuse('has no usable host');
  const target = { secure, host, port };
  const trusted = allowedOrigins.some((allowed) => sameOrigin(allowed, target));
  const problem = trusted ? undefined : untrustedProblem(target);
  if (problem !== undefined) return refuse(problem);
  const rest = match[3] ?? '';
  return {
    ok: true,
    link: {
      ...target,
      hostHeader: authorityText,
      path: rest.startsWith('/') ? rest : `/${rest}`,
      origin: `${scheme}://${authorityText}`,
      trusted,
    },
  };
}

/** Where a redirect of `link` points, as a full URL; undefined for forms that a signed link never uses. */
export function resolveRedirect(link: SignedLink, location: string): string | undefined {
  if (/^https?:\/\//i.test(location)) return location;
  if (location.startsWith('//')) return `${link.secure ? 'https' : 'http'}:${location}`;
  return location.startsWith('/') ? `${link.origin}${location}` : undefined;
}

type Origin = Pick<SignedLink, 'secure' | 'host' | 'port'>;

/** Why a link may not be followed to an origin that is not on the allow-list. */
function untrustedProblem({ secure, host, port }: Origin): string | undefined {
  if (!secure) return 'is not https and its origin is not in TRAMITA_DOWNLOAD_HOSTS';
  if (port !== 443) return 'names another port than 443 and its origin is not in TRAMITA_DOWNLOAD_HOSTS';
  if (isIP(host) === 0) return looksNumeric(host) ? 'has an unusual spelling of an address' : undefined;
  return isPublicAddress(host) ? undefined : 'points to an address that is not public';
}

/** `127.1`, `0x7f000001`, `2130706433`: resolvers read these as IPv4 addresses. No public name ends in a number. */
function looksNumeric(host: string): boolean {
  const last = host.split('.').at(-1) ?? '';
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last);
}

function sameOrigin(allowed: string, { secure, host, port }: Origin): boolean {
  if (!URL.canParse(allowed)) return false;
  const { protocol, hostname, port: portText } = new URL(allowed);
  const isSameHost = hostname.replace(/^\[|\]$/g, '') === host;
  return isSameHost && protocol === (secure ? 'https:' : 'http:') && portOf(secure, portText) === port;
}

function portOf(secure: boolean, text = ''): number {
  if (text !== '') return Number(text);
  return secure ? 443 : 80;
}

function refuse(problem: string): ParsedLink {
  return { ok: false, problem: `the link ${problem}` };
}
