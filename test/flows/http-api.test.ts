/** A caller without an SDK: Temporal's HTTP API, against a live stack. Ids have dots, so they stand in a path as they are. */
import { newCase } from '../support/case-number.js';
import { problemsBy } from '../support/schemas.js';
import { withFlows } from './with-flows.js';

describe('the HTTP API of Temporal', () => {
  // Without keys, whatever the run has: what is encrypted a caller of this kind gets as it is.
  const flows = withFlows({ payloadKeys: '' });
  const ask = async (path: string, body: object): Promise<unknown> => {
    const { TRAMITA_TEST_TEMPORAL_HTTP: address = '' } = process.env;
    const answer = await fetch(`${address}/api/v1/namespaces/default/workflows/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer.json();
  };

  const served = process.env['TRAMITA_TEST_TEMPORAL_HTTP'] === undefined ? it.skip : it;
  served('starts a flow under its default id, and asks it how far it is', async () => {
    const cnj = newCase();
    const id = `refresh.default.${cnj}`;
    const started = await ask(id, {
      workflowType: { name: 'refreshCase' },
      taskQueue: { name: flows.taskQueue },
      input: [{ cnj }],
    });
    expect(started).toMatchObject({ runId: expect.any(String) as string });
    await flows.client.workflow.getHandle(id).result();
    const answer = (await ask(`${id}/query/progress`, {})) as { readonly queryResult: readonly unknown[] };
    expect(answer.queryResult).toMatchObject([{ state: 'done', spent: { unknown: 0 } }]);
    expect(problemsBy('progress.result.json', answer.queryResult[0])).toEqual([]);
  });
});
