/**
 * DBOS Transact: the flow as its README shows one that waits for a payment. Steps are attempted three times, with pauses
 * from one second on (`retriesAllowed`, the documented way; off by default). When a killed worker starts again, it
 * continues its workflows where it left them; a step that had not been recorded runs again.
 */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { openSteps, WEBHOOK_WITHIN_SECONDS } from './service.mjs';

const QUEUE = 'refreshes';
const NAME = 'refresh';
const TOPIC = 'finished';
/** Free steps may be repeated without limit. */
const PATIENT = { retriesAllowed: true, intervalSeconds: 1, backoffRate: 2, maxAttempts: 10 };

export async function work(settings) {
  const { requestRefresh, readResult, store } = openSteps(settings);
  const charged = settings.tries === 'once' ? {} : { retriesAllowed: true };
  DBOS.registerWorkflow(
    async (cnj) => {
      let requestId;
      let problem;
      try {
        requestId = await DBOS.runStep(() => requestRefresh(cnj), { name: 'requestRefresh', ...charged });
      } catch (error) {
        problem = error;
      }
      // The webhook contains the id of the work too, so it makes up for a lost answer.
      const announced = await DBOS.recv(TOPIC, WEBHOOK_WITHIN_SECONDS);
      requestId ??= announced ?? undefined;
      if (requestId === undefined) throw problem;
      const result = await DBOS.runStep(() => readResult(requestId), { name: 'readResult', ...PATIENT });
      await DBOS.runStep(() => store(cnj, result), { name: 'store', ...PATIENT });
    },
    { name: NAME },
  );
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: settings.databaseUrl,
    applicationVersion: '1',
    logLevel: 'error',
  });
  await DBOS.launch();
  // The default polling interval is one second; a caller in another process waits for a poll.
  await DBOS.registerQueue(QUEUE, { minPollingIntervalMs: 100 });
}

export async function openClient({ databaseUrl }) {
  const client = await DBOSClient.create({ systemDatabaseUrl: databaseUrl, applicationName: 'bench' });
  return {
    async start(cnj) {
      await client.enqueue({ queueName: QUEUE, workflowName: NAME, workflowID: cnj, appVersion: '1' }, cnj);
    },
    async wake({ cnj, requestId }) {
      await client.send(cnj, requestId, TOPIC, requestId);
    },
    async failed() {
      const status = ['ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'];
      return (await client.listWorkflows({ status })).map(({ workflowID }) => workflowID);
    },
    close: () => client.destroy(),
  };
}
