/** `beginFlow` of a build that must not be rolled out: its new step lacks `patched`, so running flows cannot replay. */
import { sleep } from '@temporalio/workflow';
import { beginFlow as begin } from '../../src/workflows/flow/begin-flow.js';
import type { Flow, FlowSubject } from '../../src/workflows/flow/flow.js';

export async function beginFlow(subject: FlowSubject): Promise<Flow> {
  const flow = await begin(subject);
  await sleep(1);
  return flow;
}
