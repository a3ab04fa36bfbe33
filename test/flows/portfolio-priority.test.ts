/** An account with queued calls: refreshes that people start go before those of a portfolio that were queued first. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const CASES = 12;
const PEOPLE = 3;
/** When people's calls are queued, one call is under way and one may be handed out already. */
const AHEAD = 2;

describe('refreshes that people start', () => {
  const flows = withFlows({ account: { concurrency: 1 } });

  it('go before the queued cases of a portfolio', async () => {
    const cases = Array.from({ length: CASES }, () => newCase());
    const people = Array.from({ length: PEOPLE }, () => newCase());
    const charged = async (): Promise<readonly string[]> =>
      (await flows.charges()).map(({ subject }) => subject.cnj).filter((cnj) => [...cases, ...people].includes(cnj));
    const isQueued = async (cnj: string): Promise<boolean> => {
      const run = await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe();
      const pending = (run.raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
      return pending.includes('requestRefresh') || (await charged()).includes(cnj);
    };
    const waitUntilQueued = async (those: readonly string[]): Promise<void> => {
      for (const cnj of those) {
        await until(() => isQueued(cnj).catch(() => false), {
          what: 'a queued call',
        });
      }
    };
    // One call at a time, and the first is so slow that all the others are queued meanwhile.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 20_000 });
    const sweep = await flows.startPlain('refreshPortfolio', { name: 'line', cases, concurrency: CASES });
    await waitUntilQueued(cases);
    const handles = await Promise.all(people.map((cnj) => flows.refresh({ cnj })));
    await waitUntilQueued(people);
    expect(await charged()).toEqual([]);
    await Promise.all(handles.map((handle) => handle.result()));
    const order = await charged();
    // The test server has one partition for each task queue. With more, each would keep its own order.
    const last = Math.max(...people.map((cnj) => order.indexOf(cnj)));
    expect(last).toBeLessThan(AHEAD + PEOPLE);
    expect(await sweep.result()).toMatchObject({ done: CASES, remaining: 0 });
    expect(await charged()).toHaveLength(CASES + PEOPLE);
  });
});
