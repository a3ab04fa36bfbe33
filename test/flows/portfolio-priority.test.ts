/** An account whose calls stand in line: a person's refresh goes before those of a portfolio that stood there first. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const CASES = 12;

describe('a person beside a portfolio', () => {
  const flows = withFlows({ account: { concurrency: 1 } });

  it('is served before the cases that wait', async () => {
    const cases = Array.from({ length: CASES }, () => newCase());
    const person = newCase();
    const charged = async (): Promise<readonly string[]> =>
      (await flows.charges()).map(({ subject }) => subject.cnj).filter((cnj) => [...cases, person].includes(cnj));
    const stands = async (cnj: string): Promise<boolean> => {
      const run = await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe();
      return (run.raw.pendingActivities ?? []).length > 0 || (await charged()).includes(cnj);
    };
    // One call at a time, each so slow that all the others have come into line meanwhile.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 1_200, times: CASES + 1 });
    const sweep = await flows.startPlain('refreshPortfolio', { name: 'line', cases, concurrency: CASES });
    for (const cnj of cases) {
      await until(async () => ((await stands(cnj).catch(() => false)) ? true : undefined), { what: 'a place in line' });
    }
    const handle = await flows.refresh({ cnj: person });
    await until(async () => ((await stands(person)) ? true : undefined), { what: 'the person in line' });
    // From here on: how long the person took to come into line says nothing about the order in it.
    const before = (await charged()).length;
    expect(before).toBeLessThan(CASES - 4);
    await handle.result();
    const waited = (await charged()).indexOf(person) - before;
    // One call is under way, another may begin until the person stands in line; the last place is that of a fair queue.
    expect(waited).toBeLessThanOrEqual((CASES - before) / 2);
    expect(await sweep.result()).toMatchObject({ done: CASES, remaining: 0 });
    expect(await charged()).toHaveLength(CASES + 1);
  });
});
