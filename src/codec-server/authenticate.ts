/** Who asks: by a bearer token of the configuration, or by a JWT of its issuer. From the header, or from the cookie of the login page. */
import type { CodecConfig } from '../config/index.js';
import { createOidc, type Judged } from './oidc.js';
import { findToken } from './tokens.js';

export type Authenticate = (credential: string | undefined) => Promise<Judged>;

export const COOKIE = 'tramita_codec';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** A longer one is not looked at; JWTs with many groups stay below it. */
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

/** The header wins: a command line or a UI with a login of its own sends it on purpose. */
export function credentialOf(headers: {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}): string | undefined {
  const { authorization, cookie = '' } = headers;
  if (authorization !== undefined) return /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const mine = cookie.split(/; */).find((pair) => pair.startsWith(`${COOKIE}=`));
  return mine?.slice(COOKIE.length + 1);
}
