/** Payloads as Temporal's codec protocol writes them (JSON of the protobuf message, bytes in base64), decoded or encoded. */
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import type { PayloadKeys } from '../config/index.js';
import { createPayloadCodec, openPayload } from '../temporal-client/index.js';

const BASE64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/);
/** Unknown members are returned unchanged. */
const PAYLOAD = z.looseObject({ metadata: z.record(z.string(), BASE64).optional(), data: BASE64.optional() });
const BODY = z.object({ payloads: z.array(PAYLOAD).max(10_000) });

export type PayloadJson = z.infer<typeof PAYLOAD>;

export function readPayloads(body: unknown): readonly PayloadJson[] | undefined {
  return BODY.safeParse(body).data?.payloads;
}

export interface Decoded {
  /** In the given order; unreadable payloads are unchanged. */
  readonly payloads: readonly PayloadJson[];
  /** How many were encrypted and are readable now. */
  readonly opened: number;
  /** How many are encrypted and were not read, by reason and key. */
  readonly closed: ReadonlyMap<string, number>;
}

/** `foreign`: one of them belongs to another namespace, so nothing is decoded. */
export function decodePayloads(
  keys: PayloadKeys,
  given: readonly PayloadJson[],
  namespace: string,
): Decoded | 'foreign' {
  const closed = new Map<string, number>();
  const payloads: PayloadJson[] = [];
  let opened = 0;
  for (const json of given) {
    const read = openPayload(keys, fromJson(json), namespace);
    if (read.kind === 'foreign') return 'foreign';
    if (read.kind === 'opened') opened += 1;
    if (read.kind === 'closed') {
      const reason = `${read.why} (key ${JSON.stringify(read.keyId)})`;
      closed.set(reason, (closed.get(reason) ?? 0) + 1);
    }
    payloads.push(read.kind === 'opened' ? toJson(read.payload) : json);
  }
  return { payloads, opened, closed };
}

/** Bound to no workflow, because the request does not say which one they are for. */
export async function encodePayloads(keys: PayloadKeys, given: readonly PayloadJson[]): Promise<PayloadJson[]> {
  const codec = createPayloadCodec(keys, { onUnreadable: 'throw' });
  return (await codec.encode(given.map(fromJson), undefined)).map(toJson);
}

function fromJson({ metadata = {}, data = '' }: PayloadJson): Payload {
  return { metadata: mapValues(metadata, (text) => Buffer.from(text, 'base64')), data: Buffer.from(data, 'base64') };
}

function toJson({ metadata, data }: Payload): PayloadJson {
  return {
    metadata: mapValues(metadata ?? {}, (bytes) => Buffer.from(bytes).toString('base64')),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
