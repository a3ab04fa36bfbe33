/** What people read where a flow stands still because no worker asks for its tasks; undefined where one does, or nobody says. */
import type { Client } from '@temporalio/client';
import { countPollers } from '../../temporal-client/index.js';
import { noPollerText } from '../output/no-poller.js';

export async function noPoller({ connection, options }: Client, taskQueue: string): Promise<string | undefined> {
  const pollers = await countPollers(connection, { namespace: options.namespace, taskQueue, of: 'flows' });
  return pollers === 0 ? noPollerText(taskQueue) : undefined;
}
