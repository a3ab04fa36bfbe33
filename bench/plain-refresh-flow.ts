/** The refresh as a sample of Temporal would write it: paid call, timer, poll, until it is done. No ledger; nothing is stored. */
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { PlainActivities } from './plain-refresh-worker.js';

const { order, isDone } = proxyActivities<PlainActivities>({ startToCloseTimeout: '30 seconds' });

export async function plainRefresh(cnj: string): Promise<void> {
  const requestId = await order(cnj);
  do await sleep('1 second');
  while (!(await isDone(requestId)));
}
