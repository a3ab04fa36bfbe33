/**
 * Checks JWTs of an OpenID Connect issuer: signature, issuer, audience, expiry, and the claim that allows reading. The issuer's
 * keys are found through its discovery document and cached; it need not answer when the server starts.
 */
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { holdsCpfOrCnpj } from '../contract/values/index.js';
import type { OidcSettings } from '../config/index.js';

/** The verdict on a token. `away`: the issuer does not answer, so nothing is known about the token. */
export type Judged =
  | { readonly kind: 'known'; readonly who: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'not-allowed'; readonly who: string }
  | { readonly kind: 'away'; readonly why: string };

/** Asymmetric algorithms only, because the keys are public. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const ANSWER_WITHIN_MS = 5_000;
/** Pause after the issuer has not answered; until its end its tokens are not checked. */
const NEXT_TRY_MS = 5_000;
const CLOCK_TOLERANCE_S = 30;
const LONGEST_NAME = 128;
const PERSONAL =
  'its subject holds a CPF or CNPJ, which the access log does not keep: let the issuer put an e-mail address into the claim "email"';

export function createOidc(settings: OidcSettings): (token: string) => Promise<Judged> {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;
  const getKeys = (): Promise<JWTVerifyGetKey> => {
    if (Date.now() - failedMs < NEXT_TRY_MS) return Promise.reject(new Error('it did not answer a moment ago'));
    keys ??= discover(settings.issuer).catch((error: unknown) => {
      failedMs = Date.now();
      keys = undefined;
      throw error;
    });
    return keys;
  };
  return async (token) => {
    const { errors, jwtVerify } = await import('jose');
    let keySet: JWTVerifyGetKey;
    try {
      keySet = await getKeys();
    } catch (error) {
      return { kind: 'away', why: reasonOf(error) };
    }
    try {
      const { issuer, audience } = settings;
      const { payload } = await jwtVerify(token, keySet, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      const who = nameOf(payload);
      if (who === undefined) return { kind: 'refused', why: PERSONAL };
      return { kind: hasClaim(payload, settings.claim) ? 'known' : 'not-allowed', who };
    } catch (error) {
      const isAway = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError);
      return { kind: isAway ? 'away' : 'refused', why: reasonOf(error) };
    }
  };
}

async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet } = await import('jose');
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    redirect: 'error',
  });
  if (!answer.ok) throw new Error(`its discovery document was answered with ${answer.status}`);
  const document = (await answer.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (document.issuer !== issuer) throw new Error('its discovery document names another issuer');
  const [url, own] = [new URL(String(document.jwks_uri)), new URL(issuer)];
  if (url.protocol !== 'https:' && (own.protocol === 'https:' || url.hostname !== own.hostname)) {
    throw new Error('its keys are offered in plain HTTP');
  }
  return createRemoteJWKSet(url, { timeoutDuration: ANSWER_WITHIN_MS });
}

/** The claim may be text, a list, or words with blanks between them, like `scope`. */
function hasClaim(payload: JWTPayload, { name, value }: OidcSettings['claim']): boolean {
  const seen = payload[name];
  return Array.isArray(seen) ? seen.includes(value) : typeof seen === 'string' && seen.split(' ').includes(value);
}

/** The name for the access log and the logs, which must not hold a person's number: some issuers use the CPF as the subject. */
function nameOf({ email, sub }: JWTPayload): string | undefined {
  const names = [email, sub].filter((name) => typeof name === 'string');
  return names.find((name) => !holdsCpfOrCnpj(name))?.slice(0, LONGEST_NAME);
}

/** The code of the JWT library (`ERR_JWT_EXPIRED`) or of the network error; never a token. */
function reasonOf(error: unknown): string {
  const { code, name, message, cause } = error as Error & { readonly code?: unknown };
  if (typeof code === 'string') return code;
  const inner = (cause as { readonly code?: unknown } | undefined)?.code;
  if (typeof inner === 'string') return inner;
  return message.startsWith('it') ? message : name;
}
