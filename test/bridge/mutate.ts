/**
 * Deliveries that are not genuine, made from a genuine one by a small change anywhere: signature, token, header names, body,
 * or the key that it was signed with. Every mutant differs in something that counts, so accepting one is a hole.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Random } from '../../soak/random.js';

/** Seeded, so that a failing mutant can be found again. */
export { createRandom } from '../../soak/random.js';

export interface Signed {
  readonly body: Buffer;
  /** As on the wire: one character is one byte. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface Mutant extends Signed {
  /** What was done, for the message of a failure. */
  readonly change: string;
}

const SIGNATURE = 'x-service-signature';
const TOKEN = 'authorization';

/** A genuine delivery with a body that is different each time; `random` decides its length and text. */
export function genuine(
  random: Random,
  { secret, token }: { readonly secret: string; readonly token: string },
): Signed {
  const body = Buffer.from(
    JSON.stringify({
      id: `e-${random.integer(1e9)}`,
      event: random.pick(['nova_movimentacao', 'atualizacao_processo_concluida', 'qualquer']),
      data: { numeroCnj: '1000001-51.2026.8.26.0100', texto: '\ufffd ação '.repeat(random.integer(8)) },
    }),
  );
  return {
    body,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Service-Event', 'nova_movimentacao'],
      ['X-Service-Delivery-Id', `d-${random.integer(1e9)}`],
      ['X-Service-Timestamp', '1800000000'],
      ['Authorization', `Bearer ${token}`],
      ['X-Service-Signature', `sha256=${hmac('sha256', secret, body)}`],
    ],
  };
}

export function mutate(random: Random, original: Signed, secret: string): Mutant {
  for (;;) {
    const [name, make] = random.pick(FAMILIES);
    const mutant = make({ random, original, secret });
    if (mutant !== undefined) return { ...mutant, change: name };
  }
}

interface Given {
  readonly random: Random;
  readonly original: Signed;
  readonly secret: string;
}

/** Undefined where the change would leave the delivery genuine. */
type Family = readonly [name: string, make: (given: Given) => Signed | undefined];

const FAMILIES: readonly Family[] = [
  ['body: bytes', ({ random, original }) => withBody(original, mutateBytes(random, original.body))],
  ['body: a part moved', ({ random, original }) => withBody(original, rotate(random, original.body))],
  ['body: U+FFFD as one byte', ({ original }) => withBody(original, replacementAsByte(original.body))],
  [
    'body: byte order mark',
    ({ original }) => withBody(original, Buffer.concat([Buffer.from('\ufeff'), original.body])),
  ],
  [
    'body: written again',
    ({ original }) => withBody(original, Buffer.from(JSON.stringify(JSON.parse(original.body.toString()), null, 1))),
  ],
  ['body: of another delivery', ({ random, original }) => withBody(original, genuineBody(random))],
  ['signature: bytes', ({ random, original }) => withMutatedValue(random, original, SIGNATURE)],
  [
    'signature: form',
    ({ random, original }) => withValue(original, SIGNATURE, reform(random, valueOf(original, SIGNATURE))),
  ],
  ['signature: another key', ({ random, original, secret }) => signedBy(original, anotherKey(random, secret))],
  ['signature: another digest', (given) => withValue(given.original, SIGNATURE, `sha256=${anotherDigest(given)}`)],
  ['token: bytes', ({ random, original }) => withMutatedValue(random, original, TOKEN)],
  ['token: form', ({ random, original }) => withValue(original, TOKEN, reformToken(random, valueOf(original, TOKEN)))],
  ['header: left out', ({ random, original }) => withoutHeader(original, random.pick([SIGNATURE, TOKEN]))],
  ['header: twice', ({ random, original }) => withTwice(random, original)],
  ['header: another name', ({ random, original }) => withAnotherName(random, original)],
];

function withBody(original: Signed, body: Buffer): Signed | undefined {
  return body.equals(original.body) ? undefined : { ...original, body };
}

function withValue(original: Signed, name: string, value: string): Signed | undefined {
  // Blanks around a value are no part of it in HTTP.
  if (value.replace(/^[ \t]+|[ \t]+$/g, '') === valueOf(original, name)) return undefined;
  return {
    ...original,
    headers: original.headers.map(([own, old]) => [own, own.toLowerCase() === name ? value : old] as const),
  };
}

function withMutatedValue(random: Random, original: Signed, name: string): Signed | undefined {
  const bytes = mutateBytes(random, Buffer.from(valueOf(original, name), 'latin1'));
  return withValue(original, name, bytes.toString('latin1'));
}

function valueOf({ headers }: Signed, name: string): string {
  return headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? '';
}

function withoutHeader({ body, headers }: Signed, name: string): Signed {
  return { body, headers: headers.filter(([own]) => own.toLowerCase() !== name) };
}

/** One of the five service headers again: with the same value, or with another one, before or behind. */
function withTwice(random: Random, { body, headers }: Signed): Signed {
  const [name, value] = random.pick(headers.slice(1));
  const again = [random.pick([name, name.toLowerCase(), name.toUpperCase()]), random.pick([value, 'x'])] as const;
  const at = random.integer(headers.length + 1);
  return { body, headers: [...headers.slice(0, at), again, ...headers.slice(at)] };
}

function withAnotherName(random: Random, original: Signed): Signed {
  const target = random.pick([SIGNATURE, TOKEN]);
  const rename = random.pick<(name: string) => string>([
    (name) => `${name}_`.replaceAll('-', '_'),
    (name) => `${name}-256`,
    (name) => `X-${name}`,
    (name) => name.slice(0, -1),
    () => 'X-Hub-Signature-256',
    () => '__proto__',
  ]);
  const headers = original.headers.map(
    ([name, value]) => [name.toLowerCase() === target ? rename(name) : name, value] as const,
  );
  return { ...original, headers };
}

function mutateBytes(random: Random, given: Buffer): Buffer {
  const at = random.integer(given.length);
  const bytes = Buffer.from(given);
  switch (random.integer(6)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(8));
      return bytes;
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.integer(256)]), bytes.subarray(at)]);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return Buffer.concat([bytes, bytes.subarray(at)]);
    default:
      bytes[at] = ((bytes[at] ?? 0) + 1 + random.integer(255)) % 256;
      return bytes;
  }
}

function rotate(random: Random, body: Buffer): Buffer {
  const at = random.integer(body.length);
  return Buffer.concat([body.subarray(at), body.subarray(0, at)]);
}

/** A decoder would read the result as the same text. */
function replacementAsByte(body: Buffer): Buffer {
  const at = body.indexOf('\ufffd');
  return at < 0 ? body : Buffer.concat([body.subarray(0, at), Buffer.from([0xff]), body.subarray(at + 3)]);
}

function genuineBody(random: Random): Buffer {
  return genuine(random, { secret: 'unused', token: 'unused' }).body;
}

function reform(random: Random, value: string): string {
  const hex = value.slice('sha256='.length);
  return random.pick<string>([
    hex,
    hex.toUpperCase(),
    `sha256=${hex.toUpperCase()}`,
    `SHA256=${hex}`,
    `Sha256=${hex}`,
    `sha1=${hex}`,
    `sha512=${hex}`,
    `sha256:${hex}`,
    `sha256= ${hex}`,
    `sha256=0x${hex}`,
    `sha256=${value}`,
    `${value},${value}`,
    `${value}, ${value}`,
    `${value};v=1`,
    `v1=${hex}`,
    `sha256="${hex}"`,
    `sha256=${hex.slice(0, 62)}`,
    `sha256=${hex}00`,
    `sha256=${hex.replace(/../g, '$&-')}`,
    `sha256=${Buffer.from(hex, 'hex').toString('base64')}`,
    `sha256=${'0'.repeat(64)}`,
    `sha256=${Array.from(hex).reverse().join('')}`,
    'sha256=',
    'null',
    '[object Object]',
  ]);
}

function reformToken(random: Random, value: string): string {
  const token = value.slice('Bearer '.length);
  return random.pick<string>([
    token,
    `bearer ${token}`,
    `BEARER ${token}`,
    `Bearer  ${token}`,
    `Bearer\t${token}`,
    `Basic ${token}`,
    `Basic ${Buffer.from(`:${token}`).toString('base64')}`,
    `Bearer ${token},${token}`,
    `Bearer "${token}"`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer ${token.slice(0, -1)}`,
    'Bearer',
    'Bearer undefined',
  ]);
}

function signedBy(original: Signed, key: string): Signed | undefined {
  return withValue(original, SIGNATURE, `sha256=${hmac('sha256', key, original.body)}`);
}

/** Never the secret with zero bytes appended: HMAC pads a key with them, so that would be the same key. */
function anotherKey(random: Random, secret: string): string {
  const at = random.integer(secret.length);
  const letter = String.fromCharCode(33 + random.integer(90));
  return random.pick<string>([
    '',
    ' ',
    'undefined',
    `${secret}\n`,
    ` ${secret}`,
    secret.slice(0, at),
    `${secret}${letter}`,
    `${secret.slice(0, at)}${letter}${secret.slice(at + 1)}`,
    secret.toUpperCase(),
    createHash('sha256').update(secret).digest('hex'),
  ]);
}

function anotherDigest({ random, original: { body }, secret }: Given): string {
  return random.pick<() => string>([
    () => createHash('sha256').update(body).digest('hex'),
    () => createHash('sha256').update(secret).update(body).digest('hex'),
    () => createHash('sha256').update(body).update(secret).digest('hex'),
    () => hmac('sha512', secret, body).slice(0, 64),
    () => hmac('sha1', secret, body).padEnd(64, '0'),
    () => hmac('sha256', secret, Buffer.concat([Buffer.from('1800000000.'), body])),
    () => hmac('sha256', secret, Buffer.concat([body, Buffer.from('\n')])),
    () => createHmac('sha256', body).update(secret).digest('hex'),
  ])();
}

function hmac(algorithm: string, key: string, body: Buffer): string {
  return createHmac(algorithm, key).update(body).digest('hex');
}
