/** The smallest flow that waits for `wake` as ours do, and reports when it began to wait and when it continued. */
import { condition, defineSignal, proxySinks, setHandler, workflowInfo, type Sinks } from '@temporalio/workflow';

export interface BenchSinks extends Sinks {
  bench: {
    waiting(workflowId: string): void;
    awake(workflowId: string): void;
  };
}

const { bench } = proxySinks<BenchSinks>();

export async function waitForWake(): Promise<void> {
  const { workflowId } = workflowInfo();
  let isAwake = false;
  setHandler(defineSignal('wake'), () => {
    isAwake = true;
  });
  bench.waiting(workflowId);
  await condition(() => isAwake, '1 hour');
  bench.awake(workflowId);
}
