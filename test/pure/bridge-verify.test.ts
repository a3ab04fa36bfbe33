/**
 * The verifier, with one row for each form that a header, a secret or a body may have. Random forgeries are in
 * `bridge-mutations.test.ts`.
 */
import { createHmac } from 'node:crypto';
import {
  buildDeliveryHeaders,
  signBody,
  verifyDelivery,
  type BridgeAccount,
  type Verdict,
} from '../../src/bridge/index.js';

const SECRET = 'secret-0123456789abcdef';
const OLD = 'older-secret-0123456789';
const TOKEN = 'token-0123456789abcdef';
const HEX = 'ab'.repeat(32);
const BODY: Buffer = Buffer.from(
  '{"id":"e1","event":"nova_movimentacao","data":{"numeroCnj":"1000001-51.2026.8.26.0100"}}',
);
const MAC = createHmac('sha256', SECRET).update(BODY).digest('hex');

const both: BridgeAccount = { secrets: [SECRET], secretForm: 'utf8', tokens: [TOKEN] };
const signed: BridgeAccount = { ...both, tokens: [] };
const tokened: BridgeAccount = { ...both, secrets: [] };
const open: BridgeAccount = { ...both, secrets: [], tokens: [] };

const S = 'X-Service-Signature';
const good = [S, `sha256=${MAC}`];
const bearer = ['Authorization', `Bearer ${TOKEN}`];

function verdict(
  account: BridgeAccount,
  rawHeaders: readonly string[],
  body = BODY,
  insecure = false,
): Verdict['ok'] | string {
  const result = verifyDelivery({ rawHeaders, body, account, insecure });
  return result.ok || result.reason;
}

describe('verifyDelivery', () => {
  it.each<[string, BridgeAccount, readonly string[], true | string]>([
    ['a right signature', signed, good, true],
    ['a header name in any case', signed, ['x-SERVICE-signature', `sha256=${MAC}`], true],
    [
      'a delivery of our own signer',
      signed,
      Object.entries(buildDeliveryHeaders({ body: BODY, secret: SECRET })).flat(),
      true,
    ],
    [
      'a hex secret read as bytes',
      { ...signed, secrets: [HEX], secretForm: 'hex' },
      [S, signBody(BODY, HEX, 'hex')],
      true,
    ],
    ['a hex secret read as text', { ...signed, secrets: [HEX] }, [S, signBody(BODY, HEX, 'hex')], 'signature-mismatch'],
    ['the older of two secrets', { ...signed, secrets: [SECRET, OLD] }, [S, signBody(BODY, OLD)], true],
    ['the older secret after the rotation', signed, [S, signBody(BODY, OLD)], 'signature-mismatch'],
    ['no signature', signed, [], 'signature-missing'],
    ['an empty signature', signed, [S, ''], 'signature-missing'],
    ['sha1=', signed, [S, `sha1=${MAC}`], 'signature-malformed'],
    ['SHA256=', signed, [S, `SHA256=${MAC}`], 'signature-malformed'],
    ['no prefix', signed, [S, MAC], 'signature-malformed'],
    ['the prefix alone', signed, [S, 'sha256='], 'signature-malformed'],
    ['the prefix twice', signed, [S, `sha256=sha256=${MAC}`], 'signature-malformed'],
    ['62 digits', signed, [S, `sha256=${MAC.slice(2)}`], 'signature-malformed'],
    ['66 digits', signed, [S, `sha256=${MAC}00`], 'signature-malformed'],
    ['64 other characters', signed, [S, `sha256=${'z'.repeat(64)}`], 'signature-malformed'],
    ['upper-case hex', signed, [S, `sha256=${MAC.toUpperCase()}`], 'signature-malformed'],
    ['full-width digits', signed, [S, `sha256=${'０'.repeat(64)}`], 'signature-malformed'],
    ['a blank before', signed, [S, ` sha256=${MAC}`], 'signature-malformed'],
    ['a line end after', signed, [S, `sha256=${MAC}\n`], 'signature-malformed'],
    ['dashes between digits', signed, [S, `sha256=${MAC.slice(0, 2)}--${MAC.slice(2)}`], 'signature-malformed'],
    ['the value joined with itself', signed, [S, `sha256=${MAC}, sha256=${MAC}`], 'signature-malformed'],
    ['a JWT-like value', signed, [S, '__proto__'], 'signature-malformed'],
    ['an underscore name', signed, ['X_Service_Signature', `sha256=${MAC}`], 'signature-missing'],
    ['two signature headers', signed, [...good, ...good], 'duplicate-header'],
    ['two authorization headers', both, [...good, ...bearer, ...bearer], 'duplicate-header'],
    ['two event headers', signed, [...good, 'x-service-event', 'a', 'X-Service-Event', 'a'], 'duplicate-header'],
    [
      'two delivery ids',
      signed,
      [...good, 'x-service-delivery-id', 'a', 'x-service-delivery-id', 'b'],
      'duplicate-header',
    ],
    ['two timestamps', signed, [...good, 'x-service-timestamp', '1', 'x-service-timestamp', '1'], 'duplicate-header'],
    ['a header named __proto__', signed, ['__proto__', 'x', ...good], true],
    ['a signature of another secret', signed, [S, signBody(BODY, OLD)], 'signature-mismatch'],
    ['signature and token', both, [...good, ...bearer], true],
    ['the signature alone where both are set', both, good, 'token-missing'],
    ['the token alone where both are set', both, bearer, 'signature-missing'],
    ['a wrong token beside a right signature', both, [...good, 'authorization', `Bearer ${TOKEN}x`], 'token-mismatch'],
    ['the token alone where only a token is set', tokened, bearer, true],
    ['one of two tokens', { ...tokened, tokens: ['newer-0123456789abcdef', TOKEN] }, bearer, true],
    ['bearer in small letters', tokened, ['authorization', `bearer ${TOKEN}`], 'token-mismatch'],
    ['Basic', tokened, ['authorization', `Basic ${TOKEN}`], 'token-mismatch'],
    ['the bare token', tokened, ['authorization', TOKEN], 'token-mismatch'],
    ['two blanks', tokened, ['authorization', `Bearer  ${TOKEN}`], 'token-mismatch'],
    ['another scheme before', tokened, ['authorization', `Basic Bearer ${TOKEN}`], 'token-mismatch'],
    ['a word after the token', tokened, ['authorization', `Bearer ${TOKEN} x`], 'token-mismatch'],
    ['an empty token', tokened, ['authorization', 'Bearer '], 'token-mismatch'],
    ['a beginning of the token', tokened, ['authorization', `Bearer ${TOKEN.slice(0, -1)}`], 'token-mismatch'],
    ['an account with nothing set', open, [], 'not-configured'],
  ])('judges %s', (_title, account, headers, expected) => expect(verdict(account, headers)).toBe(expected));

  it('accepts deliveries of an account without secret and token only in insecure mode', () => {
    expect(verdict(open, [], BODY, true)).toBe(true);
    expect(verdict(signed, [], BODY, true)).toBe('signature-missing');
  });

  it.each<[string, Buffer]>([
    ['re-serialised', Buffer.from(JSON.stringify(JSON.parse(BODY.toString()), null, 1))],
    ['one blank more', Buffer.from(`${BODY.toString()} `)],
    [
      'reordered',
      Buffer.from('{"event":"nova_movimentacao","id":"e1","data":{"numeroCnj":"1000001-51.2026.8.26.0100"}}'),
    ],
    ['empty', Buffer.alloc(0)],
  ])('refuses a body that is %s', (_title, body) => expect(verdict(signed, good, body)).toBe('signature-mismatch'));

  it('distinguishes U+FFFD from an invalid byte that decodes to it', () => {
    const genuine = Buffer.from('{"id":"\ufffd"}');
    const tampered = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const headers = [S, signBody(genuine, SECRET)];
    expect(tampered.toString()).toBe(genuine.toString());
    expect([verdict(signed, headers, genuine), verdict(signed, headers, tampered)]).toEqual([
      true,
      'signature-mismatch',
    ]);
  });

  it('accepts the signed bytes of an empty body, a body with a BOM and a Latin-1 body', () => {
    for (const body of [Buffer.alloc(0), Buffer.from('\ufeff{}'), Buffer.from('{"a":"é"}', 'latin1')]) {
      expect(verdict(signed, [S, signBody(body, SECRET)], body)).toBe(true);
    }
  });
});
