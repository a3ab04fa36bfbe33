/** Identifies the caller by a configured bearer token or a JWT of the configured issuer, in the header or the login page's cookie. */
import type { CodecConfig } from '../config/index.js';
import { createOidc, type Judged } from './oidc.js';
import { findToken } from './tokens.js';

export type Authenticate = (credential: string | undefined) => Promise<Judged>;

export const COOKIE = 'tramita_codec';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Longer credentials are refused unread; JWTs with many groups are shorter. */
const LONGEST = 8_192;

export function createAuthenticate({ tokens, oidc }: Pick<CodecConfig, 'tokens' | 'oidc'>): Authenticate {
  const judgeJwt = oidc === undefined ? undefined : createOidc(oidc);
  return async (credential) => {
    if (credential === undefined || credential === '') return { kind: 'refused', why: 'no token' };
    if (credential.length > LONGEST) return { kind: 'refused', why: 'too long a token' };
    const who = findToken(tokens, credential);
    if (who !== undefined) return { kind: 'known', who };
    if (judgeJwt !== undefined && JWT.test(credential)) return judgeJwt(credential);
    return { kind: 'refused', why: 'unknown token' };
  };
}

/** The header wins, because a command line or a UI with its own login sends it on purpose. */
export function credentialOf(headers: {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}): string | undefined {
  const { authorization, cookie = '' } = headers;
  if (authorization !== undefined) return /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const mine = cookie.split(/; */).find((pair) => pair.startsWith(`${COOKIE}=`));
  return mine?.slice(COOKIE.length + 1);
}
