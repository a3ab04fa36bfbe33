/** A payload converter of a user, as in docs/workers.md: wrapped for our flows, and with an encoding of its own. */
import {
  CompositePayloadConverter,
  JsonPayloadConverter,
  METADATA_ENCODING_KEY,
  UndefinedPayloadConverter,
  type Payload,
  type PayloadConverterWithEncoding,
} from '@temporalio/common';
import { tolerateForFlows } from '../../src/workflows/converter/index.js';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (each) => each.charCodeAt(0));

class BigIntegers implements PayloadConverterWithEncoding {
  readonly encodingType = 'text/integer';

  toPayload(value: unknown): Payload | undefined {
    if (typeof value !== 'bigint') return undefined;
    return { metadata: { [METADATA_ENCODING_KEY]: bytesOf(this.encodingType) }, data: bytesOf(String(value)) };
  }

  fromPayload({ data }: Payload): never {
    return BigInt(String.fromCharCode(...(data ?? []))) as never;
  }
}

export const payloadConverter = tolerateForFlows(
  new CompositePayloadConverter(new UndefinedPayloadConverter(), new BigIntegers(), new JsonPayloadConverter()),
);
