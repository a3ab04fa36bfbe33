/**
 * Encrypts payloads with AES-256-GCM and a random nonce of 96 bits (NIST SP 800-38D). The whole payload is encrypted, including
 * its metadata. Readable are only the encoding, the id of the key, and the workflow that it belongs to, which is authenticated, so
 * that a payload of one flow cannot be passed to another. The format is that of Temporal's encryption samples
 * (`binary/encrypted`, `encryption-key-id`, nonce before ciphertext and tag), whose payloads without a workflow are read too.
 */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { PayloadKeys } from '../config/index.js';

type Context = Parameters<PayloadCodec['encode']>[1];

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const OWNER = 'encryption-context';

const ourCodecs = new WeakSet<PayloadCodec>();

/** Why a payload that is encrypted cannot be read. */
export type Unreadable = 'unknown key' | 'of another workflow' | 'damaged';

/** `onUnreadable`: return such a payload unchanged, or throw. Payloads that are not encrypted always pass. */
export function createPayloadCodec(
  keys: PayloadKeys,
  { onUnreadable }: { readonly onUnreadable: 'pass' | 'throw' },
): PayloadCodec {
  const { writes, byId } = keys;
  const read = (payload: Payload, context: Context): Payload => {
    const decrypted = decrypt(byId, payload, context);
    if (typeof decrypted !== 'string') return decrypted;
    if (onUnreadable === 'pass') return payload;
    const id = textOf(payload, KEY_ID);
    throw new Error(
      decrypted === 'unknown key'
        ? `tramita: a payload is encrypted with the key ${JSON.stringify(id.slice(0, 64))}, which TRAMITA_PAYLOAD_KEYS does not have; add it behind the newest`
        : `tramita: an encrypted payload cannot be read: it is ${decrypted}`,
    );
  };
  const codec: PayloadCodec = {
    encode: (payloads, context) =>
      Promise.resolve(writes === undefined ? payloads : payloads.map((payload) => encrypt(writes, payload, context))),
    decode: (payloads, context) => new Promise((resolve) => resolve(payloads.map((payload) => read(payload, context)))),
  };
  ourCodecs.add(codec);
  return codec;
}

export function isPayloadEncryption(codec: PayloadCodec): boolean {
  return ourCodecs.has(codec);
}

/** Reads one payload for a codec server. The workflow that the payload names is not checked further, because it is authenticated. */
export function openPayload(
  { byId }: Pick<PayloadKeys, 'byId'>,
  payload: Payload,
  namespace: string,
): { readonly kind: 'plain' | 'foreign' } | { readonly kind: 'opened'; readonly payload: Payload } | Closed {
  if (textOf(payload, 'encoding') !== ENCODING) return { kind: 'plain' };
  const owner = textOf(payload, OWNER);
  if (owner !== '' && !owner.startsWith(`${namespace}/`)) return { kind: 'foreign' };
  const opened = decrypt(byId, payload, undefined);
  return typeof opened === 'string'
    ? { kind: 'closed', why: opened, keyId: textOf(payload, KEY_ID).slice(0, 64) }
    : { kind: 'opened', payload: opened };
}

interface Closed {
  readonly kind: 'closed';
  readonly why: Unreadable;
  readonly keyId: string;
}

function encrypt({ id, key }: NonNullable<PayloadKeys['writes']>, payload: Payload, context: Context): Payload {
  const owner = ownerOf(context);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner));
  const plain = temporal.api.common.v1.Payload.encode(payload).finish();
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const metadata = { encoding: ENCODING, [KEY_ID]: id, ...(owner === '' ? {} : { [OWNER]: owner }) };
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text)])),
    data,
  };
}

function decrypt(keys: ReadonlyMap<string, KeyObject>, payload: Payload, context: Context): Payload | Unreadable {
  const key = keys.get(textOf(payload, KEY_ID));
  if (textOf(payload, 'encoding') !== ENCODING) return payload;
  if (key === undefined) return 'unknown key';
  const owner = textOf(payload, OWNER);
  if (!isFor(owner, ownerOf(context))) return 'of another workflow';
  const data = payload.data ?? new Uint8Array();
  if (data.length < NONCE_BYTES + TAG_BYTES) return 'damaged';
  try {
    const decipher = createDecipheriv(ALGORITHM, key, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(owner))
      .setAuthTag(data.subarray(data.length - TAG_BYTES));
    const ciphertext = data.subarray(NONCE_BYTES, data.length - TAG_BYTES);
    const plain = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    return temporal.api.common.v1.Payload.decode(plain);
  } catch {
    return 'damaged';
  }
}

/** The key of a payload that we encrypted; undefined if it is not encrypted, or by another codec, which names no workflow. */
export function keyIdOf(payload: Payload): string | undefined {
  const isOurs = textOf(payload, 'encoding') === ENCODING && textOf(payload, OWNER) !== '';
  return isOurs ? textOf(payload, KEY_ID).slice(0, 64) : undefined;
}

/** The workflow that a payload belongs to; empty if the SDK does not say. */
function ownerOf(context: Context): string {
  const { namespace, workflowId } = context ?? {};
  return namespace === undefined || workflowId === undefined ? '' : `${namespace}/${workflowId}`;
}

/** A schedule writes the prefix of its runs' ids, to which the server adds the time. An empty side is not compared. */
function isFor(written: string, read: string): boolean {
  return written === '' || read === '' || read === written || read.startsWith(`${written}-`);
}

function textOf({ metadata }: Payload, name: string): string {
  return Buffer.from(metadata?.[name] ?? []).toString();
}
