/**
 * Free work on something that is paid, without which the flow cannot end. A retry can cure whatever keeps the activity from its
 * end, so the flow parks instead of failing, and nothing is sent again.
 */
import { isCancellation } from '@temporalio/workflow';
import type { Flow } from '../flow/flow.js';
import { parkUntilResumed } from '../step/parking.js';
import type { ChargedStep } from '../step/step-run.js';

interface FreeWork<T> {
  readonly run: () => Promise<T>;
  /** What people read while it runs. */
  readonly waitingFor: string;
  /** Where the flow parks if the work fails. `reason`: why it parks; `waitsFor`: what has to come. */
  readonly step: Pick<ChargedStep, 'step' | 'title' | 'operation'>;
  readonly reason: string;
  readonly waitsFor: string;
}

export async function untilDone<T>(flow: Flow, work: FreeWork<T>): Promise<T> {
  const { run, waitingFor, step, reason, waitsFor } = work;
  for (;;) {
    flow.enter({ state: 'downloading', waitingFor });
    try {
      const result = await run();
      flow.recover();
      return result;
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
    const facts = { charged: null, reused: false, settled: true, reason };
    await parkUntilResumed(flow, step, { attention: 'stalled', facts, waitsFor, free: true });
  }
}
