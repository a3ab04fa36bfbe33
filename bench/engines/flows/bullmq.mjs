/**
 * BullMQ on Redis that writes every command to disk (`appendfsync always`): two queues, as with pg-boss. The job that
 * follows the paid call is delayed by a minute and promoted by the webhook; its id prevents a second one. A failed job is
 * tried three times with growing pauses, as its documents show (`attempts`, `backoff`; the default is one attempt). A job
 * whose worker was killed counts as stalled: it runs again once its lock has expired, and fails when it stalls a second
 * time (`maxStalledCount: 1`, the default). A paid call that must not be repeated may not stall at all.
 */
import { Queue, Worker } from 'bullmq';
import { openSteps, WEBHOOK_WITHIN_SECONDS } from './service.mjs';

const CHARGED = 'request-refresh';
const FREE = 'collect-result';
const AT_ONCE = 32;
const PATIENT = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } };

export async function work(settings) {
  const { requestRefresh, readResult, store } = openSteps(settings);
  const where = placeOf(settings);
  const free = new Queue(FREE, where);
  const options = { ...where, concurrency: AT_ONCE };
  const workers = [
    new Worker(
      CHARGED,
      async ({ data: { cnj } }) => {
        const requestId = await requestRefresh(cnj);
        const delay = WEBHOOK_WITHIN_SECONDS * 1_000;
        await free.add('collect', { cnj, requestId }, { jobId: requestId, delay, ...PATIENT });
      },
      { ...options, maxStalledCount: settings.tries === 'once' ? 0 : 1 },
    ),
    new Worker(
      FREE,
      async ({ data: { cnj, requestId } }) => store(cnj, await readResult(requestId)),
      // A free job: it may stall as often as the worker is killed.
      { ...options, maxStalledCount: 10 },
    ),
  ];
  for (const worker of workers) worker.on('error', () => undefined);
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
}

export async function openClient(settings) {
  const where = placeOf(settings);
  const [charged, free] = [new Queue(CHARGED, where), new Queue(FREE, where)];
  const tries = settings.tries === 'once' ? { attempts: 1 } : { ...PATIENT, attempts: 3 };
  return {
    async start(cnj) {
      await charged.add('refresh', { cnj }, { jobId: `case-${cnj}`, ...tries });
    },
    /** Promotes the delayed job. Adds it if the webhook came first, or if the answer to the paid call was lost. */
    async wake({ cnj, requestId }) {
      const job = await free.getJob(requestId);
      if (job === undefined) await free.add('collect', { cnj, requestId }, { jobId: requestId, ...PATIENT });
      // `promote` fails when the job has started in the meantime.
      else await job.promote().catch(() => undefined);
    },
    async failed() {
      const jobs = await Promise.all([charged.getFailed(), free.getFailed()]);
      return jobs.flat().map(({ data }) => data.cnj);
    },
    close: async () => {
      await Promise.all([charged.close(), free.close()]);
    },
  };
}

/** Each database is a separate installation. */
function placeOf({ redisPort, databaseUrl }) {
  return {
    connection: { host: '127.0.0.1', port: redisPort },
    prefix: new URL(databaseUrl).pathname.slice(1),
  };
}
