/** Payload converter of workers that run our flows and nothing else: a run of a type that we do not know answers as well. */
import { defaultPayloadConverter } from '@temporalio/common';
import { createTolerantConverter } from './tolerant.js';

export const payloadConverter = createTolerantConverter(defaultPayloadConverter, () => true);
