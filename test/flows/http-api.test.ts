/** A caller without an SDK uses Temporal's HTTP API against a live stack. Ids have dots, so a path needs no escaping. */
import { newCase } from '../support/case-number.js';
import { problemsBy } from '../support/schemas.js';
import { withFlows } from './with-flows.js';

describe('the HTTP API of Temporal', () => {
  // Without payload keys, also in an encrypted test run: this caller cannot decrypt.
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

  const itWithHttpApi = process.env['TRAMITA_TEST_TEMPORAL_HTTP'] === undefined ? it.skip : it;
  itWithHttpApi('starts a flow under its default id and queries its progress', async () => {
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
