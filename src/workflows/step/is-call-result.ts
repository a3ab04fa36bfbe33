/**
 * Is this what a charged activity of ours returns? Pure. A person may complete an activity by hand with any value: if it is not
 * an outcome, it proves nothing, and must not break the workflow task.
 */
import { isJsonObject } from '../../contract/json.js';
import type { ChargedCallResult } from '../../protocol/index.js';
import { isFlag, isNumber, isText, only, shapeOf } from '../flow/shape.js';

const SHAPES: readonly ((value: unknown) => boolean)[] = [
  shapeOf({ outcome: only('DONE'), settled: isFlag, reading: isJsonObject }),
  shapeOf({ outcome: only('PENDING'), settled: isFlag, sinceMs: isNumber }),
  shapeOf({ outcome: only('REJECTED', 'NOT_SENT', 'CHARGED_LOST', 'UNKNOWN'), settled: isFlag }),
  shapeOf({ outcome: only('HELD'), because: isText }),
  shapeOf({ outcome: only('REFUSED'), problem: isText }),
];

export function isCallResult(value: unknown): value is ChargedCallResult {
  return SHAPES.some((fits) => fits(value));
}
