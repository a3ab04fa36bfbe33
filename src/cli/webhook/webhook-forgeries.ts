/** Deliveries that a receiver must refuse: each differs from a genuine one only in what its name says. */
import { present } from '../../contract/index.js';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { buildDeliveryHeaders, signBody, type BridgeAccount } from '../../bridge/index.js';

export interface ForgedDelivery {
  readonly name: string;
  readonly body: Buffer;
  /** Name, value, name, value …: a header may come twice. */
  readonly headers: readonly string[];
}

/** The newest secret and the newest token of an account. */
export interface Credentials {
  readonly secret?: string;
  readonly secretForm: BridgeAccount['secretForm'];
  readonly token?: string;
}

export function credentialsOf({ secrets, secretForm, tokens }: BridgeAccount): Credentials {
  const [secret] = secrets;
  const [token] = tokens;
  return { secretForm, ...present({ secret, token }) };
}

/** Headers as the service sends them, flat. */
export function genuineHeaders(body: Buffer, credentials: Credentials, event: string): readonly string[] {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = buildDeliveryHeaders({ body, ...credentials, event, deliveryId: randomUUID(), timestampSeconds });
  return Object.entries(headers).flat();
}

export function forgeDeliveries(body: Buffer, credentials: Credentials, event: string): readonly ForgedDelivery[] {
  const genuine = genuineHeaders(body, credentials, event);
  return [
    ...(credentials.secret === undefined
      ? []
      : forgedSignatures(body, { ...credentials, secret: credentials.secret }, genuine)),
    ...(credentials.token === undefined ? [] : forgedTokens(body, credentials.token, genuine)),
  ];
}

function forgedSignatures(
  body: Buffer,
  { secret, secretForm }: Credentials & { readonly secret: string },
  genuine: readonly string[],
): readonly ForgedDelivery[] {
  const signature = signBody(body, secret, secretForm);
  const digits = signature.slice('sha256='.length);
  const key = Buffer.from(secret, secretForm);
  const withSignature = (name: string, value: string): ForgedDelivery => ({
    name,
    body,
    headers: replaced(genuine, 'x-service-signature', value),
  });
  const stamped = createHmac('sha256', key)
    .update(`${Math.floor(Date.now() / 1_000)}.`)
    .update(body)
    .digest('hex');
  return [
    { name: 'no signature', body, headers: without(genuine, 'x-service-signature') },
    withSignature('an empty signature', ''),
    withSignature('signed with another secret', signBody(body, randomBytes(32).toString('hex'))),
    withSignature('the signature of another body', signBody(Buffer.from('{}'), secret, secretForm)),
    withSignature('one digit changed', `sha256=${digits.slice(0, -1)}${digits.endsWith('0') ? '1' : '0'}`),
    withSignature('the signature cut short', signature.slice(0, -2)),
    withSignature('the signature with more after it', `${signature}00`),
    withSignature('no "sha256="', digits),
    withSignature('"sha1=" instead', `sha1=${createHmac('sha1', key).update(body).digest('hex')}`),
    withSignature('a plain hash without a key', `sha256=${createHmac('sha256', '').update(body).digest('hex')}`),
    withSignature('signed together with a time', `sha256=${stamped}`),
    {
      name: 'a second signature beside the right one',
      body,
      headers: [...genuine, 'x-service-signature', signBody(body, 'another')],
    },
    {
      name: 'another signature before the right one',
      body,
      headers: ['x-service-signature', signBody(body, 'another'), ...genuine],
    },
    { name: 'the body changed by one space', body: Buffer.concat([body, Buffer.from(' ')]), headers: genuine },
    { name: 'one byte of the body changed', body: withOtherByte(body), headers: genuine },
  ];
}

function forgedTokens(body: Buffer, token: string, genuine: readonly string[]): readonly ForgedDelivery[] {
  const withToken = (name: string, value: string): ForgedDelivery => ({
    name,
    body,
    headers: replaced(genuine, 'authorization', value),
  });
  return [
    { name: 'no token', body, headers: without(genuine, 'authorization') },
    withToken('another token', `Bearer ${randomBytes(16).toString('hex')}`),
    withToken('the token cut short', `Bearer ${token.slice(0, -1)}`),
    withToken('the token without "Bearer"', token),
    { name: 'a second token beside the right one', body, headers: [...genuine, 'authorization', 'Bearer another'] },
  ];
}

/** Changes a byte in the middle, where the text of a member is. */
function withOtherByte(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const middle = Math.floor(body.length / 2);
  changed[middle] = (changed[middle] ?? 0) ^ 1;
  return changed;
}

function without(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_text, index) => headers[index - (index % 2)] !== name);
}

function replaced(headers: readonly string[], name: string, value: string): readonly string[] {
  return [...without(headers, name), name, value];
}
