/** The floor of an account: after a top-up calls go on, although no held call can report the new balance. */
import { randomUUID } from 'node:crypto';
import { sendJson } from '../../soak/loopback.js';
import { until } from '../support/until.js';
import { charge, newCall } from './calls.js';
import { withActivities } from './with-activities.js';

describe('an account at its floor', () => {
  const world = withActivities({ account: { minBalance: '10.00' }, prices: { searchTerm: '0.10' } });

  it('has its balance read, and goes on after a top-up', async () => {
    let credits = 10.15;
    const requests: string[] = [];
    const url = await world.serve((request, answer) => {
      const isLook = request.url === '/v1/conta/saldo';
      requests.push(isLook ? 'balance' : 'call');
      if (!isLook) credits = Math.round((credits - 0.1) * 100) / 100;
      // A free call reports no credits in its `meta`.
      const body = isLook
        ? { data: { credits, currency: 'BRL', accountStatus: 'ACTIVE' }, meta: { requestId: randomUUID() } }
        : { data: { items: [] }, meta: { creditsCharged: 0.1, creditsRemaining: credits } };
      sendJson(answer, 200, body);
    });
    const deps = world.depsAt(url);
    const ask = () => charge(deps, newCall('searchTerm', { params: { q: randomUUID(), qo: 't' } }));
    const call = async (): Promise<string> => (await ask()).outcome;
    expect(await call()).toBe('DONE');
    credits = 10.07;
    // The balance that the service reports now, not the one of an earlier answer.
    expect(await ask()).toMatchObject({ outcome: 'HELD', because: 'budget', cap: 'balance', balance: '10.07' });
    credits = 20;
    // Reads of the balance take turns, because there may be thousands of flows.
    await until(async () => (await call()) === 'DONE' || undefined, { what: 'a call that goes through' });
    expect(await call()).toBe('DONE');
    expect(requests.filter((what) => what === 'balance').length).toBeLessThanOrEqual(2);
    expect(requests.slice(-3)).toEqual(['balance', 'call', 'call']);
  });
});
