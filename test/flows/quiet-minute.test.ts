/** What heals by itself asks for nobody in its first minute: flows as they are installed, with the real minute. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';
import { runCommand } from '../cli/run-command.js';

describe('a charge that free evidence decides within the first minute', () => {
  const flows = withFlows({ asksAfterAMinute: true, sandbox: { refreshMs: 1_000 } });

  /** Begins to wait for its minute before the other test. */
  let unfound = '';
  let begunMs = 0;
  let parkedSince = '';
  beforeAll(async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
    begunMs = Date.now();
    unfound = (await flows.refresh({ cnj: newCase() })).workflowId;
    parkedSince = (await flows.parked(unfound)).since;
  }, 90_000);

  it('raises no attention, needs no person for any command, and takes a decision all the while', async () => {
    const cnj = newCase();
    const workflowId = `refresh.default.${cnj}`;
    await flows.loseRefresh();
    const waiting = runCommand(['start', 'refreshCase', '--cnj', cnj, '--wait'], flows.env);
    await until(
      () =>
        flows.client.workflow
          .getHandle(workflowId)
          .describe()
          .catch(() => undefined),
      { what: 'the flow' },
    );
    const parked = await flows.parked(workflowId);
    expect(parked).toMatchObject({ attention: null, spent: { unknown: 1 } });
    expect(parked.waitingFor).toBe(
      'free evidence, or a decision about the charge of POST refresh; a person is asked after 1m 00s',
    );
    const status = await runCommand(['status', workflowId], flows.env);
    expect(status.exitCode).toBe(0);
    expect(status.out).toContain('`abandon`: give up');

    const run = await waiting;
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject({ cnj, status: 'done', spent: { unknown: 0 } });
    expect(await flows.charges({ cnj })).toHaveLength(1);
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const upserted = (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: attributes }) =>
      Object.keys(attributes?.searchAttributes?.indexedFields ?? {}),
    );
    expect(upserted).not.toContain('TramitaAttention');
  });

  it('asks after a minute where nothing was found', async () => {
    const asked = await until(
      async () => {
        const progress = await flows.progress(unfound);
        return progress.attention === null ? undefined : progress;
      },
      { withinMs: 110_000, everyMs: 500, what: 'the attention' },
    );
    // It has looked by itself meanwhile: that is no news.
    expect(asked).toMatchObject({ state: 'parked', attention: 'unknown-charge', since: parkedSince });
    expect(asked.waitingFor).toBe('a decision about the charge of POST refresh');
    expect(Date.now() - begunMs).toBeGreaterThanOrEqual(59_000);
    await flows.client.workflow.getHandle(unfound).terminate();
  }, 150_000);
});
