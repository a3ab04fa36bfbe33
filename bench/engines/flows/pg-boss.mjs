/**
 * pg-boss: two queues, the paid call and what follows it, since a job is no workflow that could wait. The job that follows is
 * planned for a minute later and brought forward by the webhook. A failed job is retried twice (`retryLimit`, its default) with
 * growing pauses; a job whose worker was killed misses its heartbeats and counts as failed. LISTEN/NOTIFY instead of polls of two
 * seconds, as its documents advise for low latency; the poll behind it stands at the least that it allows, since a worker that has
 * ended a job waits for that poll or for the next notice, whatever else is waiting.
 */
import { PgBoss } from 'pg-boss';
import { openSteps, STEP_WITHIN_SECONDS, WEBHOOK_WITHIN_SECONDS } from './service.mjs';

const CHARGED = 'request-refresh';
const FREE = 'collect-result';
const LOST = 'lost';
const AT_ONCE = 32;
/** The least that it allows. */
const HEARTBEAT_SECONDS = 10;

export async function work(settings) {
  const { requestRefresh, readResult, store, isStored } = openSteps(settings);
  // Looks for dead jobs more often than once a minute, its default: a worker that is killed every few seconds has no minute.
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
    /** Brings the planned job forward; makes it where the webhook was faster, or the answer to the paid call was lost. */
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
