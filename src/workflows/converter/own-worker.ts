/** Payload converter of workers that run only our flows: runs of unknown types refuse undecodable payloads as well. */
import { defaultPayloadConverter } from '@temporalio/common';
import { createTolerantConverter } from './tolerant.js';

export const payloadConverter = createTolerantConverter(defaultPayloadConverter, () => true);
