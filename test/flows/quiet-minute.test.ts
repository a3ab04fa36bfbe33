/** A flow that heals by itself asks for no person in its first minute. These flows run as installed, with the real minute. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';
import { runCommand } from '../cli/run-command.js';

describe('a charge that free evidence decides within the first minute', () => {
  const flows = withFlows({ asksAfterAMinute: true, sandbox: { refreshMs: 1_000 } });

  /** A flow whose minute begins before the other test. */
  let unfound = '';
  let begunMs = 0;
  let parkedSince = '';
  beforeAll(async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
    begunMs = Date.now();
    unfound = (await flows.refresh({ cnj: newCase() })).workflowId;
    parkedSince = (await flows.parked(unfound)).since;
  });

  it('raises no attention, makes no command ask for a person, and can be decided meanwhile', async () => {
    const cnj = newCase();
    const workflowId = `refresh.default.${cnj}`;
    await flows.loseRefresh(cnj, 1);
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

  it('asks for a person after a minute when nothing was found', async () => {
    const attended = await until(
      async () => {
        const progress = await flows.progress(unfound);
        return progress.attention === null ? undefined : progress;
      },
      { withinMs: 110_000, everyMs: 500, what: 'the attention' },
    );
    // It has looked by itself meanwhile, which leaves `since` as it was.
    expect(attended).toMatchObject({ state: 'parked', attention: 'unknown-charge', since: parkedSince });
    expect(attended.waitingFor).toBe('a decision about the charge of POST refresh');
    expect(Date.now() - begunMs).toBeGreaterThanOrEqual(59_000);
    await flows.client.workflow.getHandle(unfound).terminate();
  });
});
