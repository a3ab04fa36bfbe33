/**
 * `tramita/payload-converter`, for workers of your own. The plugin gives `payloadConverter` to a worker that has none. If you
 * have one, wrap it with `tolerateForFlows` and export the result under the same name. Only runs of our flows are affected.
 */
import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';
import { WORKFLOW_TYPES } from '../../protocol/index.js';
import { createTolerantConverter } from './tolerant.js';

const OURS: ReadonlySet<string> = new Set(WORKFLOW_TYPES);

/** Wraps `inner`: our flow itself refuses an undecodable payload, instead of failing its workflow task again and again. */
export function tolerateForFlows(inner: PayloadConverter): PayloadConverter {
  return createTolerantConverter(inner, (workflowType) => OURS.has(workflowType));
}

/** The SDK's default converter, tolerant for our flows. */
export const payloadConverter: PayloadConverter = tolerateForFlows(defaultPayloadConverter);
