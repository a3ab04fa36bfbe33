/** The flow of `temporal.mjs`, as the samples of Temporal write it: activities, one signal, one condition with a time limit. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

const finished = defineSignal('finished');

export async function refresh({ cnj, tries, stepWithinSeconds, webhookWithinSeconds }) {
  let isFinished = false;
  setHandler(finished, () => {
    isFinished = true;
  });
  const startToCloseTimeout = stepWithinSeconds * 1_000;
  // The retry policy of every activity unless one says otherwise: without end, from one second, doubled each time.
  const patient = proxyActivities({ startToCloseTimeout });
  // What the documents of Temporal say to do where a call must not be repeated.
  const charged = tries === 'once' ? proxyActivities({ startToCloseTimeout, retry: { maximumAttempts: 1 } }) : patient;
  const requestId = await charged.requestRefresh(cnj);
  await condition(() => isFinished, webhookWithinSeconds * 1_000);
  await patient.store(cnj, await patient.readResult(requestId));
}
