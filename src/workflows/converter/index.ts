/**
 * `tramita/payload-converter`: for workers of your own. `payloadConverter` is what the plugin gives a worker that has none; where
 * you have one, wrap it with `tolerateForFlows` and export the result under the same name. Only runs of our flows are concerned.
 */
import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';
import { WORKFLOW_TYPES } from '../../protocol/index.js';
import { createTolerantConverter } from './tolerant.js';

const OURS: ReadonlySet<string> = new Set(WORKFLOW_TYPES);

/** `inner`, with a refusal by the flow itself in place of a task that repeats when a payload to one of our flows cannot be decoded. */
export function tolerateForFlows(inner: PayloadConverter): PayloadConverter {
  return createTolerantConverter(inner, (workflowType) => OURS.has(workflowType));
}

/** The SDK's default converter, tolerant for our flows. */
export const payloadConverter: PayloadConverter = tolerateForFlows(defaultPayloadConverter);
