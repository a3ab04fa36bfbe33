/** The answer of a done call as `callOperation` and `awaitRequest` return it. */
import { present } from '../../contract/values/index.js';
import type { BodyReading, CallOperationResult } from '../../protocol/index.js';
import type { DoneCall } from '../step/charged-step.js';
import type { Flow } from '../flow/flow.js';

export function answerResult(flow: Flow, { status = 0, reading, reused }: DoneCall<BodyReading>): CallOperationResult {
  const { body, bodySha256, file } = reading;
  const answer = body === undefined ? { bodySha256 } : { body };
  return { status, ...(file === undefined ? answer : present({ file })), reused, ...flow.end() };
}
