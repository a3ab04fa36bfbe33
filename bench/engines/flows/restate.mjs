/**
 * Restate: a workflow service keyed by the case, with one durable promise that the webhook resolves, raced with a time
 * limit. The server retries a failed `ctx.run` without end, its default; `maxRetryAttempts: 1` is its documented way to
 * make one attempt. An invocation whose worker was killed continues from its log; a `run` that had not been recorded runs
 * again.
 */
import * as restate from '@restatedev/restate-sdk';
import { connect } from '@restatedev/restate-sdk-clients';
import { openSteps, WEBHOOK_WITHIN_SECONDS } from './service.mjs';

const FINISHED = 'finished';

export async function work(settings) {
  const { requestRefresh, readResult, store } = openSteps(settings);
  const charged = settings.tries === 'once' ? { maxRetryAttempts: 1 } : {};
  const refresh = restate.workflow({
    name: nameOf(settings),
    handlers: {
      run: async (ctx, cnj) => {
        let requestId;
        let problem;
        try {
          requestId = await ctx.run('requestRefresh', () => requestRefresh(cnj), charged);
        } catch (error) {
          // Any other error ends this attempt only.
          if (!(error instanceof restate.TerminalError)) throw error;
          problem = error;
        }
        try {
          const announced = await ctx.promise(FINISHED).get().orTimeout({ seconds: WEBHOOK_WITHIN_SECONDS });
          // The webhook contains the id of the work too, so it makes up for a lost answer.
          requestId ??= announced;
        } catch (error) {
          if (!(error instanceof restate.TimeoutError)) throw error;
        }
        if (requestId === undefined) throw problem;
        const result = await ctx.run('readResult', () => readResult(requestId));
        await ctx.run('store', () => store(cnj, result));
      },
      finished: async (ctx, requestId) => {
        await ctx.promise(FINISHED).resolve(requestId);
      },
    },
  });
  const { servicePort, admin } = settings.restate;
  await restate.serve({ services: [refresh], port: servicePort, logger: () => undefined });
  const uri = `http://127.0.0.1:${servicePort}`;
  const answer = await fetch(`${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri, force: false }),
  });
  // 409: the earlier worker has registered it already.
  if (!answer.ok && answer.status !== 409)
    throw new Error(`Restate does not take the deployment: ${answer.status} ${await answer.text()}`);
}

export async function openClient(settings) {
  const ingress = connect({ url: settings.restate.ingress });
  const name = nameOf(settings);
  const flow = (cnj) => ingress.workflowClient({ name }, cnj);
  return {
    async start(cnj) {
      await flow(cnj).workflowSubmit(cnj);
    },
    async wake({ cnj, requestId }) {
      await flow(cnj).finished(requestId);
    },
    async failed() {
      const query =
        `select target_service_key as cnj from sys_invocation where target_service_name = '${name}'` +
        ` and target_handler_name = 'run' and (completion_result = 'failure' or status = 'paused')`;
      const answer = await fetch(`${settings.restate.admin}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query }),
      });
      return (await answer.json()).rows.map(({ cnj }) => cnj);
    },
    close: () => undefined,
  };
}

/** Each database is a separate installation. */
function nameOf({ databaseUrl }) {
  return `refresh_${new URL(databaseUrl).pathname.slice(1)}`;
}
