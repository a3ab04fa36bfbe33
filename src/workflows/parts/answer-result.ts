/** The answer of a done call as `callOperation` and `awaitRequest` return it. */
import type { BodyReading, CallOperationResult } from '../../protocol/index.js';
import type { DoneCall } from '../step/charged-step.js';
import type { Flow } from '../flow/flow.js';

export function answerResult(flow: Flow, done: DoneCall): CallOperationResult {
  const { body, bodySha256, file } = done.reading as unknown as BodyReading;
  return {
    status: done.status ?? 0,
    ...(file === undefined ? (body === undefined ? { bodySha256 } : { body }) : { file }),
    reused: done.reused,
    spent: flow.spent(),
    receipts: flow.receipts(),
  };
}
