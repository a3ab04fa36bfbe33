/**
 * Plain Temporal: what a good engineer writes from the samples, without a ledger. A failed activity is retried without end,
 * which is the default. An activity whose worker was killed is retried when its time limit is over.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { openSteps, STEP_WITHIN_SECONDS, WEBHOOK_WITHIN_SECONDS } from './service.mjs';

const no = () => undefined;
const logger = { log: no, trace: no, debug: no, info: no, warn: no, error: no };

/** Bundled in advance, as for production: otherwise every start of a worker would take seconds. */
export async function prepare(settings) {
  const workflowsPath = fileURLToPath(new URL('./temporal-workflow.mjs', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  await writeFile(bundleOf(settings), code);
}

export async function work(settings) {
  Runtime.install({ logger });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: settings.temporalAddress }),
    taskQueue: taskQueueOf(settings),
    workflowBundle: { codePath: bundleOf(settings) },
    activities: openSteps(settings),
  });
  void worker.run();
}

export async function openClient(settings) {
  const connection = await Connection.connect({ address: settings.temporalAddress });
  const client = new Client({ connection });
  const taskQueue = taskQueueOf(settings);
  return {
    async start(cnj) {
      const limits = { stepWithinSeconds: STEP_WITHIN_SECONDS, webhookWithinSeconds: WEBHOOK_WITHIN_SECONDS };
      const args = [{ cnj, tries: settings.tries, ...limits }];
      await client.workflow.start('refresh', { taskQueue, workflowId: `${taskQueue}/${cnj}`, args });
    },
    async wake({ cnj, requestId }) {
      try {
        await client.workflow.getHandle(`${taskQueue}/${cnj}`).signal('finished', requestId);
      } catch (error) {
        // It has already ended: this is the second webhook of a case that was paid twice.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    /** Flows that have failed; a person finds them in the list of failed workflows. */
    async failed() {
      const failed = [];
      const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Failed'`;
      for await (const { workflowId } of client.workflow.list({ query })) failed.push(workflowId.split('/').at(-1));
      return failed;
    },
    close: () => connection.close(),
  };
}

/** Each database is a separate installation. */
function taskQueueOf({ databaseUrl }) {
  return new URL(databaseUrl).pathname.slice(1);
}

function bundleOf({ scratch }) {
  return `${scratch}-workflows.js`;
}
