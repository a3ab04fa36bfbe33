/** The data converter of clients and workers. With payload keys it encrypts everything that they send to Temporal. */
import { extname, join } from 'node:path';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { TemporalConnection } from '../config/index.js';
import { createPayloadCodec, isPayloadEncryption, keyIdOf } from './payload-codec.js';

/** Puts message and stack of a failure into a payload, which is then encrypted. */
const ENCODED_FAILURES = join(...[__dirname, '..', 'workflows', 'converter', `encoded-failures${extname(__filename)}`]);

/**
 * For `new Client({ dataConverter })` of a backend: reads and writes payloads like workers with the same
 * `TRAMITA_PAYLOAD_KEYS`. Without keys it returns `existing`. Codecs of your own run before ours when writing, and after it when
 * reading; a failure converter of your own is kept (let it encode common attributes, or messages stay readable).
 *
 * Reading throws `tramita: …` for a payload whose key is missing, that is damaged, or that belongs to another workflow.
 */
export function createDataConverter(
  temporal: Pick<TemporalConnection, 'payloadKeys'>,
  existing: DataConverter = {},
): DataConverter {
  return withCodec(temporal, existing, 'throw');
}

/** The same, but unreadable payloads pass: for workers, whose flows refuse them, and for lists of many runs. */
export function createLenientDataConverter(
  temporal: Pick<TemporalConnection, 'payloadKeys'>,
  existing: DataConverter = {},
): DataConverter {
  return withCodec(temporal, existing, 'pass');
}

/**
 * For replayed histories. A replaying worker has a namespace of its own, so the workflow that a payload names is not checked.
 * Unreadable payloads pass, and `onUnreadable` gets the id of their key.
 */
export function createReplayDataConverter(
  { payloadKeys }: Pick<TemporalConnection, 'payloadKeys'>,
  existing: DataConverter,
  onUnreadable: (keyId: string) => void,
): DataConverter {
  const codec = payloadKeys === undefined ? undefined : createPayloadCodec(payloadKeys, { onUnreadable: 'pass' });
  const decode: PayloadCodec['decode'] = async (payloads) => {
    const read = codec === undefined ? payloads : await codec.decode(payloads, undefined);
    for (const payload of read) {
      const keyId = keyIdOf(payload);
      if (keyId !== undefined) onUnreadable(keyId);
    }
    return read;
  };
  return { ...existing, payloadCodecs: [{ encode: (payloads) => Promise.resolve(payloads), decode }] };
}

function withCodec(
  { payloadKeys }: Pick<TemporalConnection, 'payloadKeys'>,
  existing: DataConverter,
  onUnreadable: 'pass' | 'throw',
): DataConverter {
  const { payloadCodecs = [] } = existing;
  // The plugin may get a client that has the codec already; two codecs would encrypt twice.
  if (payloadKeys === undefined || payloadCodecs.some(isPayloadEncryption)) return existing;
  return {
    ...existing,
    ...(payloadKeys.writes === undefined || existing.failureConverterPath !== undefined
      ? {}
      : { failureConverterPath: ENCODED_FAILURES }),
    payloadCodecs: [...payloadCodecs, createPayloadCodec(payloadKeys, { onUnreadable })],
  };
}
