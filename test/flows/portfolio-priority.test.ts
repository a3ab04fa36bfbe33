/** An account whose calls stand in line: people's refreshes go before those of a portfolio that stood there first. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const CASES = 12;
const PEOPLE = 3;
/** One call is under way when the people come into line, and one may be handed out. */
const AHEAD = 2;

describe('people beside a portfolio', () => {
  const flows = withFlows({ account: { concurrency: 1 } });

  it('are served before the cases that wait', async () => {
    const cases = Array.from({ length: CASES }, () => newCase());
    const people = Array.from({ length: PEOPLE }, () => newCase());
    const charged = async (): Promise<readonly string[]> =>
      (await flows.charges()).map(({ subject }) => subject.cnj).filter((cnj) => [...cases, ...people].includes(cnj));
    const stands = async (cnj: string): Promise<boolean> => {
      const run = await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe();
      const pending = (run.raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
      return pending.includes('requestRefresh') || (await charged()).includes(cnj);
    };
    const inLine = async (those: readonly string[]): Promise<void> => {
      for (const cnj of those) {
        await until(() => stands(cnj).catch(() => false), {
          what: 'a place in line',
        });
      }
    };
    // One call at a time, and the first so slow that all the others come into line meanwhile.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 20_000 });
    const sweep = await flows.startPlain('refreshPortfolio', { name: 'line', cases, concurrency: CASES });
    await inLine(cases);
    const handles = await Promise.all(people.map((cnj) => flows.refresh({ cnj })));
    await inLine(people);
    expect(await charged()).toEqual([]);
    await Promise.all(handles.map((handle) => handle.result()));
    const order = await charged();
    // The test server keeps a queue in one part; with more, each keeps its own order.
    const last = Math.max(...people.map((cnj) => order.indexOf(cnj)));
    expect(last).toBeLessThan(AHEAD + PEOPLE);
    expect(await sweep.result()).toMatchObject({ done: CASES, remaining: 0 });
    expect(await charged()).toHaveLength(CASES + PEOPLE);
  });
});
