/**
 * The program that runs servers or a whole stack for a test process. Its first message says which. It ends everything on a stop
 * message, when the channel closes (the test process has ended in some way), or when a part dies. The next host cleans up
 * folders that a killed host left behind.
 */
import { rmSync } from 'node:fs';
import { claimStack, removePrivateFolder, withShutdown, type LocalProgress, type Shutdown } from '../../local/index.js';
import type { FromHost, HostTask, ServersFacts, StackFacts, ToHost } from '../stack/messages.js';
import { removeAbandoned } from './abandoned.js';
import { openServers } from './open-servers.js';
import { openStack } from './open-stack.js';

process.once('message', (task: HostTask) => void run(task));
process.once('disconnect', () => {
  // nothing was started yet, so there is nothing to end
  if (!hasTask) process.exit(0);
});
let hasTask = false;
let isReady = false;

async function run(task: HostTask): Promise<void> {
  hasTask = true;
  const { folder } = task;
  try {
    await withShutdown({
      onProgress: report,
      body: async (shutdown) => {
        await serve(task, shutdown);
        await shutdown.requested;
      },
    });
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    send({ kind: 'failed', message: (error as Error).message });
  } finally {
    removePrivateFolder(`${folder}/.tramita/postgres`);
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  }
}

const NOT_UP: FromHost = { kind: 'failed', message: 'tramita: the test stack is not up yet' };

async function serve(task: HostTask, shutdown: Shutdown): Promise<void> {
  const end = (): void => shutdown.request('the tests have ended');
  process.once('disconnect', end);
  if (!process.connected) end();
  let readRows: (() => Promise<FromHost>) | undefined;
  process.on('message', (message: ToHost) => {
    if (message.kind === 'stop') end();
    else void (readRows?.() ?? Promise.resolve(NOT_UP)).then(send);
  });
  const stack = await claimStack({ root: task.folder, onProgress: report });
  shutdown.add({ name: 'stack record', stop: stack.release });
  const context = { stack, shutdown, onProgress: report, signal: shutdown.signal, env: process.env };
  const cleaning = removeAbandoned(task.folder);
  let facts: ServersFacts | StackFacts;
  if (task.kind === 'servers') facts = await openServers(context, { isShared: true });
  else ({ facts, readRows } = await openStack(context, task));
  isReady = true;
  send({ kind: 'ready', facts });
  await cleaning;
}

function report({ kind, text }: LocalProgress): void {
  if (kind !== 'tick') process.stderr.write(`${text}\n`);
  if (kind === 'step' && !isReady) send({ kind: 'progress', text });
}

function send(message: FromHost): void {
  // a test process that is gone needs no answer
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
