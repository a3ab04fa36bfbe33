/** An account whose calls stand in line: people's refreshes go before those of a portfolio that stood there first. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const CASES = 12;
/**
 * Each part of the server's queue keeps the order by itself, and a worker asks any of them: one person may be unlucky, so the
 * middle one of three is looked at.
 */
const PEOPLE = 3;

describe('people beside a portfolio', () => {
  const flows = withFlows({ account: { concurrency: 1 } });

  it('are served before the cases that wait', async () => {
    const cases = Array.from({ length: CASES }, () => newCase());
    const people = Array.from({ length: PEOPLE }, () => newCase());
    const charged = async (): Promise<readonly string[]> =>
      (await flows.charges()).map(({ subject }) => subject.cnj).filter((cnj) => [...cases, ...people].includes(cnj));
    const stands = async (cnj: string): Promise<boolean> => {
      const run = await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe();
      return (run.raw.pendingActivities ?? []).length > 0 || (await charged()).includes(cnj);
    };
    const inLine = async (those: readonly string[]): Promise<void> => {
      for (const cnj of those) {
        await until(async () => ((await stands(cnj).catch(() => false)) ? true : undefined), {
          what: 'a place in line',
        });
      }
    };
    // One call at a time, each so slow that all the others have come into line meanwhile.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 1_200, times: CASES + PEOPLE });
    const sweep = await flows.startPlain('refreshPortfolio', { name: 'line', cases, concurrency: CASES });
    await inLine(cases);
    const handles = await Promise.all(people.map((cnj) => flows.refresh({ cnj })));
    await inLine(people);
    // From here on: how long they took to come into line says nothing about the order in it.
    const before = (await charged()).length;
    expect(before).toBeLessThan(CASES - 4);
    await Promise.all(handles.map((handle) => handle.result()));
    const order = await charged();
    const [, middle = Infinity] = people.map((cnj) => order.indexOf(cnj) - before).sort((left, right) => left - right);
    // In a line that knows no people the middle one of three stands, on average, in the middle of all that wait.
    expect(middle).toBeLessThanOrEqual((CASES - before) / 2);
    expect(await sweep.result()).toMatchObject({ done: CASES, remaining: 0 });
    expect(await charged()).toHaveLength(CASES + PEOPLE);
  });
});
