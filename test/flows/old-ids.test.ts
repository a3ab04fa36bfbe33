/** Runs that have the default id of an older version, with `/` between its parts, while starts use the one with `.`. */
import { startRefreshPortfolio, startSummarizeCase } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from './with-flows.js';

describe('a run under an old default id', () => {
  const flows = withFlows({ sandbox: { refreshMs: 1_500 } });
  const chargesOf = async (cnj: string): Promise<number> =>
    (await flows.charges()).filter(({ subject }) => subject.cnj === cnj).length;
  const startOld = (cnj: string) => flows.refresh({ cnj, webhook: false }, { workflowId: `refresh/default/${cnj}` });
  const exists = (workflowId: string): Promise<boolean> =>
    flows.client.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        () => true,
        () => false,
      );

  it('is shared by a start of the same, which starts nothing and is charged nothing', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    const joined = await flows.refresh({ cnj, webhook: false });
    expect([joined.workflowId, joined.runId]).toEqual([`refresh/default/${cnj}`, old.runId]);
    expect(await exists(`refresh.default.${cnj}`)).toBe(false);
    expect(await joined.result()).toEqual(await old.result());
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('is shared by a portfolio that comes to its case', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    const sweep = await startRefreshPortfolio(flows.deps, { name: 'old', cases: [cnj], webhook: false });
    expect(await sweep.result()).toMatchObject({ done: 1, spent: { known: '0', unknown: 0 } });
    await old.result();
    expect(await exists(`refresh.default.${cnj}`)).toBe(false);
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('is told by its id to a start that would get something else of it', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    await expect(flows.refresh({ cnj, webhook: false, documents: true })).rejects.toMatchObject({
      name: 'DifferentInput',
      workflowId: `refresh/default/${cnj}`,
    });
    await old.result();
  });

  it('stands in nobody’s way once it has ended, nor that of another flow or of a start with an id of its own', async () => {
    const cnj = newCase();
    const old = await startOld(cnj);
    const own = await flows.refresh({ cnj, webhook: false }, { workflowId: `mine-${cnj}` });
    const summary = await startSummarizeCase(flows.deps, { cnj });
    expect([own.workflowId, summary.workflowId]).toEqual([`mine-${cnj}`, `summary.default.${cnj}`]);
    await Promise.all([old.result(), own.result(), summary.result()]);
    const next = await flows.refresh({ cnj, webhook: false });
    expect(next.workflowId).toBe(`refresh.default.${cnj}`);
    expect(await next.result()).toMatchObject({ reused: false });
  });
});
