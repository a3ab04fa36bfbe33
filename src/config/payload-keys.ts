/**
 * The keys that payloads are encrypted with: `kid:base64(32 bytes)`, comma list, newest first. The first key encrypts, all keys
 * decrypt. With `plain` as the first entry payloads are written unencrypted and read with the keys: the first step of switching
 * encryption on (or off) while old and new workers run side by side. Pure.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Parsed } from '../protocol/index.js';
import { bad, good } from './parse-values.js';

/** Keys that encrypt payloads. A `KeyObject` does not print its bytes. */
export interface PayloadKeys {
  /** The key that encrypts; undefined: payloads are written unencrypted. */
  readonly writes: { readonly id: string; readonly key: KeyObject } | undefined;
  /** All keys by id; payloads written with any of them can be read. */
  readonly byId: ReadonlyMap<string, KeyObject>;
}

const PLAIN = 'plain';
const KEY_BYTES = 32;
/** A key id is unencrypted in the metadata of each payload. */
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const EXPECTED = `<key id>:<base64 of ${KEY_BYTES} bytes>, like k1:$(openssl rand -base64 32), newest first, separated by commas`;

export function parsePayloadKeys(text: string): Parsed<PayloadKeys> {
  const [first, ...others] = text.split(',').map((entry) => entry.trim());
  const entries = first === PLAIN ? others : [first ?? '', ...others];
  const byId = new Map<string, KeyObject>();
  for (const [index, entry] of entries.entries()) {
    const position = `entry ${index + 1}`;
    const [, id = '', encoded = ''] = /^([^:]*):(.*)$/.exec(entry) ?? [];
    if (!KEY_ID.test(id) || id === PLAIN) return bad(`${position} without a usable key id`, EXPECTED);
    if (byId.has(id)) return bad(`key id ${id} twice`, 'each key id once');
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== encoded) {
      return bad(`${position}, whose key is not base64 of ${KEY_BYTES} bytes`, EXPECTED);
    }
    byId.set(id, createSecretKey(bytes));
  }
  const [newest] = byId;
  if (newest === undefined) return bad('no key', EXPECTED);
  return good({ writes: first === PLAIN ? undefined : { id: newest[0], key: newest[1] }, byId });
}
