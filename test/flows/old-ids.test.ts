/** Runs under the default id of an older version, with `/` between its parts, while starts use the id with `.`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startRefreshPortfolio, startSummarizeCase, type FlowHandle } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

/** The service's work ends only when its clock is moved. Until then a run can be shared. */
const HOUR_MS = 3_600_000;

describe('a run under an old default id', () => {
  const flows = withFlows({ sandbox: { refreshMs: HOUR_MS } });
  const endOf = (run: FlowHandle<unknown>): Promise<unknown> => {
    const result = run.result();
    return until(
      async () => {
        await flows.control('/clock', { advanceMs: HOUR_MS });
        return Promise.race([result, sleep(500, undefined)]);
      },
      { withinMs: 90_000, what: `the end of ${run.workflowId}` },
    );
  };
  const chargesOf = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;
  const startOld = (cnj: string) => flows.refresh({ cnj, webhook: false }, { workflowId: `refresh/default/${cnj}` });
  const exists = (workflowId: string): Promise<boolean> =>
    flows.client.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        () => true,
        () => false,
      );

  it('is joined by an equal start, which starts and pays nothing', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    const joined = await flows.refresh({ cnj, webhook: false });
    expect([joined.workflowId, joined.runId]).toEqual([`refresh/default/${cnj}`, old.runId]);
    expect(await exists(`refresh.default.${cnj}`)).toBe(false);
    expect(await endOf(joined)).toEqual(await old.result());
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('is joined by a portfolio that reaches its case', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    const sweep = await startRefreshPortfolio(flows.deps, { name: 'old', cases: [cnj], webhook: false });
    await until(() => isTaken(cnj), { what: 'the portfolio to come to its case' });
    await endOf(old);
    expect(await sweep.result()).toMatchObject({ done: 1, spent: { known: '0', unknown: 0 } });
    expect(await exists(`refresh.default.${cnj}`)).toBe(false);
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('is named in the error of a start with different input', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    await expect(flows.refresh({ cnj, webhook: false, documents: true })).rejects.toMatchObject({
      name: 'DifferentInput',
      workflowId: `refresh/default/${cnj}`,
    });
    await endOf(old);
  });

  it('does not block a start after its end, another flow type or a start with its own id', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    const own = await flows.refresh({ cnj, webhook: false }, { workflowId: `mine-${cnj}` });
    const summary = await startSummarizeCase(flows.deps, { cnj });
    expect([own.workflowId, summary.workflowId]).toEqual([`mine-${cnj}`, `summary.default.${cnj}`]);
    await Promise.all([endOf(old), endOf(own), endOf(summary)]);
    const next = await flows.refresh({ cnj, webhook: false });
    expect(next.workflowId).toBe(`refresh.default.${cnj}`);
    expect(await endOf(next)).toMatchObject({ reused: false });
  });

  /** True once the portfolio has recorded the run of its case. */
  async function isTaken(cnj: string): Promise<boolean> {
    const taken = sql`select from tramita.portfolio_item where cnj = ${cnj} and run_id is not null`;
    return (await taken.execute(flows.database.db)).rows.length > 0;
  }
});
