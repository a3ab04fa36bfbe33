/** `beginFlow` of a later build: its flows have one more step, guarded as every change must be. */
import { patched, sleep } from '@temporalio/workflow';
import { beginFlow as begin } from '../../src/workflows/flow/begin-flow.js';
import type { Flow, FlowSubject } from '../../src/workflows/flow/flow.js';

export async function beginFlow(subject: FlowSubject): Promise<Flow> {
  const flow = await begin(subject);
  if (patched('next-build')) await sleep(1);
  return flow;
}
