/** A worker of {@link plainRefresh}, started by `fork`; it ends with its parent and reports when it is ready. */
import { join } from 'node:path';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { API_KEYS } from '../sandbox/index.js';

const KEY = { 'x-api-key': API_KEYS.works, 'content-type': 'application/json' };
const [address = '', taskQueue = '', serviceUrl = ''] = process.argv.slice(2);

const activities = {
  async order(cnj: string): Promise<string> {
    const answer = await fetch(`${serviceUrl}/v1/processos/cnj/${cnj}/solicitar-atualizacao`, {
      method: 'POST',
      headers: KEY,
      body: '{}',
    });
    const { data } = (await answer.json()) as { readonly data: { readonly requestId: string } };
    return data.requestId;
  },
  async isDone(requestId: string): Promise<boolean> {
    const answer = await fetch(`${serviceUrl}/v1/requests/${requestId}`, { headers: KEY });
    await answer.arrayBuffer();
    return answer.status === 200;
  },
};

export type PlainActivities = typeof activities;

async function main(): Promise<void> {
  const no = (): void => undefined;
  Runtime.install({ logger: { log: no, trace: no, debug: no, info: no, warn: no, error: no } });
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = join(__dirname, 'plain-refresh-flow.js');
  const worker = await Worker.create({ connection, taskQueue, workflowsPath, activities });
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
  await worker.run();
}

void main();
