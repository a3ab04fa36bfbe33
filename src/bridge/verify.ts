/**
 * Whether a delivery is from the service. Pure: raw bytes + raw headers + secrets → verdict; it never throws on input of a
 * stranger. The HMAC is over the received bytes (HMAC has no length extension); over a decoded string, two byte strings could
 * share a signature. Replays are not recognised here, because the timestamp is unsigned: the inbox remembers event ids instead,
 * for as long as `retention.eventKeys` says.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { headerValues, repeatedServiceHeader } from './raw-headers.js';
import type { BridgeAccount } from './types.js';

export type RefusalReason =
  | 'not-configured'
  | 'duplicate-header'
  | 'signature-missing'
  | 'signature-malformed'
  | 'signature-mismatch'
  | 'token-missing'
  | 'token-mismatch';

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: RefusalReason };

/** Lower-case hex only. `Buffer.from(hex)` stops at the first bad character, so the shape is checked first. */
const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const BEARER = /^Bearer ([\x21-\x7e]+)$/;

/**
 * Whether a delivery is from the service, by the signature over its raw bytes and by its token: for a receiver of your own. Pure,
 * and never throws on input of a stranger.
 */
export function verifyDelivery(delivery: {
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly account: BridgeAccount;
  /** True: an account without secret and token accepts everything. */
  readonly insecure: boolean;
}): Verdict {
  const { rawHeaders, body, account } = delivery;
  const reason = headRefusal(delivery) ?? signatureRefusal(rawHeaders, body, account);
  return reason === undefined ? { ok: true } : { ok: false, reason };
}

/** Every refusal that needs no byte of the body: all but a signature that does not match it. Pure. */
export function headRefusal(head: {
  readonly rawHeaders: readonly string[];
  readonly account: BridgeAccount;
  readonly insecure: boolean;
}): RefusalReason | undefined {
  const { rawHeaders, account, insecure } = head;
  if (repeatedServiceHeader(rawHeaders) !== undefined) return 'duplicate-header';
  if (account.secrets.length === 0 && account.tokens.length === 0) return insecure ? undefined : 'not-configured';
  const refusal = tokenRefusal(rawHeaders, account.tokens);
  if (refusal !== undefined || account.secrets.length === 0) return refusal;
  const given = signatureOf(rawHeaders);
  return typeof given === 'string' ? given : undefined;
}

function tokenRefusal(rawHeaders: readonly string[], tokens: readonly string[]): RefusalReason | undefined {
  if (tokens.length === 0) return undefined;
  const [header] = headerValues(rawHeaders, 'authorization');
  if (header === undefined) return 'token-missing';
  const given = BEARER.exec(header)?.[1];
  if (given === undefined) return 'token-mismatch';
  // Digests are compared, so that the time shows neither the length nor the content of a token.
  const digest = sha256(given);
  return anyEqual(digest, tokens.map(sha256)) ? undefined : 'token-mismatch';
}

/** The only refusal that needs the body; for a head that {@link headRefusal} accepts. */
export function signatureRefusal(
  rawHeaders: readonly string[],
  body: Buffer,
  account: BridgeAccount,
): RefusalReason | undefined {
  if (account.secrets.length === 0) return undefined;
  const given = signatureOf(rawHeaders);
  if (typeof given === 'string') return given;
  const expected = account.secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret, account.secretForm)).update(body).digest(),
  );
  return anyEqual(given, expected) ? undefined : 'signature-mismatch';
}

/** The digest that was sent, or why there is no usable one. */
function signatureOf(rawHeaders: readonly string[]): Buffer | RefusalReason {
  const [header] = headerValues(rawHeaders, 'x-service-signature');
  if (header === undefined || header === '') return 'signature-missing';
  const given = SIGNATURE.exec(header)?.[1];
  return given === undefined ? 'signature-malformed' : Buffer.from(given, 'hex');
}

/** Compares all candidates, so that the time does not show which one matches. */
function anyEqual(given: Buffer, candidates: readonly Buffer[]): boolean {
  return candidates.reduce((found, candidate) => timingSafeEqual(given, candidate) || found, false);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
