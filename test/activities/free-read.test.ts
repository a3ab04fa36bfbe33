/** Reads that cost nothing: a wish of the service to wait counts for the account, whoever was told it. */
import { readFree, type FreeAnswer } from '../../src/http/index.js';
import { newCase } from '../support/case-number.js';
import { withActivities } from './with-activities.js';

describe('a free read that is refused with 429', () => {
  const world = withActivities();
  const read = (operation: 'getRefreshStatus' | 'getBalance'): Promise<FreeAnswer> => {
    const account = world.deps().accounts.get('default');
    if (account === undefined) throw new Error('no account');
    const params = operation === 'getBalance' ? {} : { cnj: newCase() };
    const reader = { workflowId: 'w', firstRunId: '0198a000-0000-7000-8000-000000000000', workflowType: 'refreshCase' };
    return readFree(world.deps(), { account, operation, params, totalMs: 5_000, reader });
  };
  const sent = async (): Promise<number> =>
    (await world.control<{ requests: readonly unknown[] }>('/requests')).requests.length;

  it('keeps every other free read of the account from being sent until then', async () => {
    const fault = { operation: 'getRefreshStatus', fault: 'status', status: 429, retryAfter: 2, times: 1 };
    await world.control('/faults', fault);
    expect(await read('getRefreshStatus')).toMatchObject({ kind: 'read', status: 429 });
    const before = await sent();
    const held = await read('getBalance');
    expect(held).toMatchObject({ kind: 'throttled' });
    expect(await sent()).toBe(before);

    const untilMs = held.kind === 'throttled' ? held.untilMs : 0;
    expect(untilMs - Date.now()).toBeGreaterThan(1_000);
    expect(untilMs - Date.now()).toBeLessThanOrEqual(2_000);
    await new Promise((resolve) => setTimeout(resolve, untilMs - Date.now() + 20));
    expect(await read('getBalance')).toMatchObject({ kind: 'read', status: 200 });
  });
});
