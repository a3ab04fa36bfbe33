/** The result of `callOperation` and `awaitRequest` from their done call. A file is returned once it is in the file store. */
import { present } from '../../contract/values/index.js';
import type { BodyReading, CallOperationResult } from '../../protocol/index.js';
import { keepCalls } from '../flow/calls.js';
import type { Flow } from '../flow/flow.js';
import type { DoneCall } from '../step/charged-step.js';
import { untilDone } from './until-done.js';

export async function answerResult(
  flow: Flow,
  operation: string,
  { status = 0, reading, reused }: DoneCall<BodyReading>,
): Promise<CallOperationResult> {
  const { body, bodySha256, headers, file, fileOwed } = reading;
  if (file !== undefined && fileOwed === true) await waitUntilStored(flow, operation, file.sha256);
  const answer = body === undefined ? { bodySha256 } : { body };
  return { status, ...(file === undefined ? answer : { file }), ...present({ headers }), reused, ...flow.end() };
}

/** The file is still on a worker's disk: waits until it is in the file store, however long the store is away. */
function waitUntilStored(flow: Flow, operation: string, sha256: string): Promise<void> {
  return untilDone(flow, {
    run: () => keepCalls(`upload the file of ${operation} to the file store`).keepFile({ sha256 }),
    waitingFor: 'the file store',
    step: { step: `${operation}/file`, title: 'the upload of the file', operation },
    reason: 'the file store has not accepted the file; see the log of the workers, and `tramita doctor`',
    waitsFor: 'the file store',
  });
}
