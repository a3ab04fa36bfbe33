import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const CNJ = '1000001-51.2026.8.26.0100';

describe('bad input ends a run at once, and nothing is sent', () => {
  const flows = withFlows();

  it.each([
    ['no input', undefined, 'one JSON object'],
    ['null', null, 'one JSON object'],
    ['a string', CNJ, 'one JSON object'],
    ['a list', [CNJ], 'one JSON object'],
    ['an unknown member', { cnj: CNJ, docs: true }, 'docs'],
    ['a wrong check digit', { cnj: '1000001-15.2026.8.26.0100' }, '51'],
    ['a bad shape', { cnj: '100000151.2026.8.26.0100A' }, 'input.cnj'],
    ['the probe number', { cnj: '0000000-00.0000.0.00.0000' }, 'input.cnj'],
    ['a bad amount', { cnj: CNJ, maxSpend: '1,50' }, 'input.maxSpend'],
    ['a bad duration', { cnj: CNJ, maxAge: 'a week' }, 'input.maxAge'],
    ['an account that is not configured', { cnj: CNJ, account: 'other' }, 'configured accounts: default'],
  ])('%s', async (_what, input, names) => {
    const failure = await failureOf(await flows.startPlain('refreshCase', input));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain(names);
    expect(failure.details).toMatchObject({ spent: { known: '0', unknown: 0 }, receipts: [] });
  });

  it('a cron schedule', async () => {
    const handle = await flows.client.workflow.start('refreshCase', {
      taskQueue: flows.taskQueue,
      workflowId: `cron-${flows.taskQueue}`,
      args: [{ cnj: CNJ }],
      cronSchedule: '@every 1s',
    });
    // The server starts the next cron run whatever happened to this one, so the first run's own history is read.
    const failure = await until(
      async () => {
        const { events } = await flows.client.workflow
          .getHandle(handle.workflowId, handle.firstExecutionRunId)
          .fetchHistory();
        return events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure ?? undefined;
      },
      { what: 'the first cron run to fail' },
    );
    expect(failure.applicationFailureInfo).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(failure.message).toContain('Temporal Schedule');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('end of the test');
  });

  it('an unknown workflow type, naming the types there are', async () => {
    const failure = await failureOf(await flows.startPlain('refreshCases', { cnj: CNJ }));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain('known types are refreshCase');
  });

  it.each(['constructor', 'hasOwnProperty', 'toString', '__defineGetter__', '__proto__', 'default'])(
    'the type %s, which every object has as a member, likewise',
    async (type) => {
      const failure = await failureOf(await flows.startPlain(type, { cnj: CNJ }));
      expect(failure.type).toBe('InvalidInput');
      expect(failure.message).toContain('known types are refreshCase');
    },
  );

  it('bad input of the typed starter starts nothing', async () => {
    await expect(flows.refresh({ cnj: '1' })).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('after all of these the service has seen no request and no charge', async () => {
    expect(await flows.charges()).toEqual([]);
    expect(await flows.requests()).toEqual([]);
  });
});

describe('a key that the service refuses', () => {
  describe.each([
    ['wrong-key-of-the-tests', 'Unauthorized', 401],
    ['forbidden-key', 'Forbidden', 403],
    ['empty-key', 'InsufficientBalance', 402],
  ])('%s', (key, type, status) => {
    const flows = withFlows({ env: { TRAMITA_API_KEY: key } });

    it(`ends the run at once as ${type}, uncharged`, async () => {
      const failure = await failureOf(await flows.refresh({ cnj: newCase() }));
      expect(failure).toMatchObject({ type, details: { status, spent: { known: '0', unknown: 0 } } });
      expect(failure.message).not.toContain(key);
      expect(await flows.charges()).toEqual([]);
    });
  });
});
