/**
 * Payload converter of the commands. A memo of a stranger's run that cannot be decoded must not break a list of everybody's
 * runs: it reads as nothing.
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
