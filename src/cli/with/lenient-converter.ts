/**
 * Payload converter of the commands. One memo that cannot be decoded, in a run of another program, must not break a list of all
 * runs: it is read as undefined.
 */
import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

export const payloadConverter: PayloadConverter = {
  toPayload: (...given) => defaultPayloadConverter.toPayload(...given),
  fromPayload: (...given) => {
    try {
      return defaultPayloadConverter.fromPayload(...given);
    } catch {
      return undefined as never;
    }
  },
};
