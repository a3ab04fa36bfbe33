/** Two nights on a stack of its own: the first stops at its budget, the second continues with the remaining cases. */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestStack, type TestStack } from 'tramita/testing';
import { readNights } from './nights.js';

/** What `npm run add` does, with a budget of six refreshes. */
const INPUT = { name: 'nightly', maxAge: '7d', maxSpend: '0.60' };

async function main(): Promise<void> {
  const stack = await createTestStack({ onProgress: console.log });
  try {
    tramita(stack, 'lists', 'load', 'cases.txt', '--name', 'nightly');
    const everyNight = ['--cron', '0 2 * * *', '--input', JSON.stringify(INPUT)];
    tramita(stack, 'schedule', 'add', 'nightly', 'refreshPortfolio', ...everyNight);
    for (let nights = 1; nights <= 2; nights += 1) {
      await stack.client.schedule.getHandle('tramita/nightly').trigger();
      while ((await readNights(stack.client, 'nightly')).length < nights) await sleep(200);
    }
    console.table(await readNights(stack.client, 'nightly'));
    await stack.assertNothingPaidTwice({ sameCall: 'once' });
    console.log(`10 cases, ${(await stack.sandbox.charges()).length} refreshes paid in two nights`);
  } finally {
    await stack.stop();
  }
}

/** The command, on this stack. */
function tramita(stack: TestStack, ...args: readonly string[]): void {
  const program = join(dirname(require.resolve('tramita/package.json')), 'dist', 'src', 'cli', 'main.js');
  execFileSync(process.execPath, [program, ...args], { env: { ...process.env, ...stack.env }, stdio: 'inherit' });
}
void main();
