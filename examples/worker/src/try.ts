/** The workers on a stack without a worker: two reviews at the same time share a case. */
import { createTestStack } from 'tramita/testing';
import { startWorkers } from './worker.js';
import type { reviewCases } from './workflows.js';

const FIRST = ['1000001-51.2026.8.26.0100', '5000777-14.2025.8.13.0024'];
const SECOND = ['1000001-51.2026.8.26.0100', '7000055-03.2023.7.01.0001'];

async function main(): Promise<void> {
  const stack = await createTestStack({ worker: false, onProgress: console.log });
  const workers = await startWorkers({ ...process.env, ...stack.env });
  try {
    const { client, config } = stack;
    const review = (cases: readonly string[], workflowId: string): ReturnType<typeof reviewCases> =>
      client.workflow.execute<typeof reviewCases>('reviewCases', {
        workflowId,
        taskQueue: config.taskQueue,
        args: [cases],
      });
    const reviewed = await Promise.all([review(FIRST, 'review-1'), review(SECOND, 'review-2')]);
    console.table(reviewed.flat());
    await stack.assertNothingPaidTwice({ sameCall: 'once' });
    const refreshes = (await stack.sandbox.charges()).filter(({ operation }) => operation === 'requestRefresh');
    console.log(`4 refreshes asked for, ${refreshes.length} paid`);
  } finally {
    workers.stop();
    await workers.ended;
    await stack.stop();
  }
}
void main();
