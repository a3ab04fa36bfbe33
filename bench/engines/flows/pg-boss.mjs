/**
 * pg-boss: two queues, one for the paid call and one for what follows, since a job cannot wait as a workflow can. The
 * following job is scheduled for a minute later, and the webhook brings it forward. A failed job is retried twice
 * (`retryLimit`, its default) with growing pauses; a job whose worker was killed misses its heartbeats and counts as
 * failed. LISTEN/NOTIFY instead of polls every two seconds, as its documents advise for low latency. The polling interval
 * behind it is the minimum, since a worker that has ended a job waits for the next poll or notification, whatever else is
 * in the queue.
 */
import { PgBoss } from 'pg-boss';
import { openSteps, STEP_WITHIN_SECONDS, WEBHOOK_WITHIN_SECONDS } from './service.mjs';

const CHARGED = 'request-refresh';
const FREE = 'collect-result';
const LOST = 'lost';
const AT_ONCE = 32;
/** Its minimum. */
const HEARTBEAT_SECONDS = 10;

export async function work(settings) {
  const { requestRefresh, readResult, store, isStored } = openSteps(settings);
  // Looks for dead jobs more often than its default of once a minute: a worker that is killed every few seconds has no
  // minute.
  const boss = await openBoss(settings, { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 });
  await boss.createQueue(LOST);
  const every = { expireInSeconds: STEP_WITHIN_SECONDS, heartbeatSeconds: HEARTBEAT_SECONDS, notify: true };
  await boss.createQueue(CHARGED, {
    ...every,
    deadLetter: LOST,
    retryBackoff: true,
    retryLimit: settings.tries === 'once' ? 0 : 2,
  });
  await boss.createQueue(FREE, { ...every, deadLetter: LOST, retryLimit: 10, retryDelay: 1, retryBackoff: true });
  const poll = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };
  const options = { localConcurrency: AT_ONCE, ...poll };
  await boss.work(CHARGED, options, async ([{ data }]) => {
    const { cnj } = data;
    const requestId = await requestRefresh(cnj);
    await boss.send(FREE, { cnj, requestId }, { singletonKey: requestId, startAfter: WEBHOOK_WITHIN_SECONDS });
  });
  await boss.work(FREE, options, async ([{ data }]) => {
    const { cnj, requestId } = data;
    if (!(await isStored(cnj))) await store(cnj, await readResult(requestId));
  });
}

export async function openClient(settings) {
  const boss = await openBoss(settings, { supervise: false, schedule: false });
  return {
    async start(cnj) {
      await boss.send(CHARGED, { cnj });
    },
    /** Brings the scheduled job forward. Adds it if the webhook came first, or if the answer to the paid call was lost. */
    async wake({ cnj, requestId }) {
      await boss.upsert(FREE, { cnj, requestId }, { singletonKey: requestId, startAfter: 0 });
    },
    async failed() {
      return (await boss.findJobs(LOST)).map(({ data }) => data.cnj);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

async function openBoss({ databaseUrl }, options) {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true, ...options });
  boss.on('error', () => undefined);
  return boss.start();
}
