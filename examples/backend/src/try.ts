/** The backend on a stack of its own: five impatient clicks, one refresh paid. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTestStack } from 'tramita/testing';
import { createApp } from './app.js';

const CNJ = '1000001-51.2026.8.26.0100';

async function main(): Promise<void> {
  const stack = await createTestStack({ onProgress: console.log });
  const server = createApp(stack.deps).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const click = async (): Promise<string> => {
      const answer = await fetch(`${base}/orders/1`, { method: 'POST', body: new URLSearchParams({ cnj: CNJ }) });
      return `${answer.status} ${/<p>(.*)<\/p>/.exec(await answer.text())?.[1] ?? ''}`;
    };
    console.log((await Promise.all([click(), click(), click()])).join('\n'));
    let seen = '';
    while (!seen.includes('refreshed at')) {
      seen = await (await fetch(`${base}/cases/${CNJ}`)).text();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    console.log(`${await click()}\n${await click()}`);
    await stack.assertNothingPaidTwice({ sameCall: 'once' });
    console.log(`5 clicks, ${(await stack.sandbox.charges()).length} charge`);
  } finally {
    server.close();
    await stack.stop();
  }
}
void main();
