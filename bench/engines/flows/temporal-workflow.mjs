/** The flow of `temporal.mjs`, as Temporal's samples write it: activities, one signal, one condition with a time limit. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

const finished = defineSignal('finished');

export async function refresh({ cnj, tries, stepWithinSeconds, webhookWithinSeconds }) {
  let announced;
  setHandler(finished, (requestId) => {
    announced = requestId;
  });
  const startToCloseTimeout = stepWithinSeconds * 1_000;
  // The default retry policy of every activity: without end, from one second, doubled each time.
  const patient = proxyActivities({ startToCloseTimeout });
  // What Temporal's documents advise when a call must not be repeated.
  const charged = tries === 'once' ? proxyActivities({ startToCloseTimeout, retry: { maximumAttempts: 1 } }) : patient;
  let requestId;
  let problem;
  try {
    requestId = await charged.requestRefresh(cnj);
  } catch (error) {
    problem = error;
  }
  await condition(() => announced !== undefined, webhookWithinSeconds * 1_000);
  // The webhook contains the id of the work too, so it makes up for a lost answer.
  requestId ??= announced;
  if (requestId === undefined) throw problem;
  await patient.store(cnj, await patient.readResult(requestId));
}
