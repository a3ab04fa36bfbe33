/** The data converter of clients and workers: with payload keys, everything that leaves them is encrypted. */
import { extname, join } from 'node:path';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { TemporalConnection } from '../config/index.js';
import { createPayloadCodec, isPayloadEncryption, keyIdOf } from './payload-codec.js';

/** Failures leave with their message and stack in a payload, which is encrypted then. */
const ENCODED_FAILURES = join(...[__dirname, '..', 'workflows', 'converter', `encoded-failures${extname(__filename)}`]);

/**
 * For `new Client({ dataConverter })` of a backend: reads and writes payloads as the workers do that have the same
 * `TRAMITA_PAYLOAD_KEYS`. Without keys it is `existing`. Codecs of your own come before ours when writing, and after it when
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

/** The same for workers, whose flows refuse what they cannot read, and for lists that show many runs. */
export function createLenientDataConverter(
  temporal: Pick<TemporalConnection, 'payloadKeys'>,
  existing: DataConverter = {},
): DataConverter {
  return withCodec(temporal, existing, 'pass');
}

/**
 * For replayed histories: a replaying worker has a namespace of its own, so what a payload says of its workflow is believed. What
 * cannot be read passes, and `onUnreadable` gets the id of its key.
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
  // A client that has it already may meet the plugin, which would encrypt twice.
  if (payloadKeys === undefined || payloadCodecs.some(isPayloadEncryption)) return existing;
  return {
    ...existing,
    ...(payloadKeys.writes === undefined || existing.failureConverterPath !== undefined
      ? {}
      : { failureConverterPath: ENCODED_FAILURES }),
    payloadCodecs: [...payloadCodecs, createPayloadCodec(payloadKeys, { onUnreadable })],
  };
}
