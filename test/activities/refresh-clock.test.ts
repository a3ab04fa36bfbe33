/** A status record whose time has no zone and is read in the wrong one: it is ahead of the service's own clock. */
import { sendJson } from '../../soak/loopback.js';
import { charge, look, newCall, resolveUnknown } from './calls.js';
import { withActivities } from './with-activities.js';

const HOUR_MS = 3_600_000;

describe('a status record from before the call whose time is read as hours later', () => {
  const world = withActivities({ movable: true });
  const refreshedAtMs = Date.now() - HOUR_MS / 2;
  let begun: 'without an id' | 'lost';
  let url: string;

  beforeAll(async () => {
    url = await world.serve((request, answer) => {
      const send = (status: number, data: object): void =>
        sendJson(answer, status, { data, meta: {} }, { date: new Date(Date.now()).toUTCString() });
      if (request.method === 'POST') {
        if (begun === 'lost') request.socket.destroy();
        else send(202, {});
      } else send(200, { status: 'SUCESSO', atualizado_em: new Date(refreshedAtMs).toISOString().slice(0, 19) });
    });
  });

  it('does not end a refresh that has no id', async () => {
    begun = 'without an id';
    const deps = world.depsAt(url);
    const call = newCall('requestRefresh');
    const outcome = await charge(deps, call);
    await look(deps, call, outcome);
    expect((await deps.ledger.find(outcome.intentId ?? ''))?.state).toBe('pending');
  });

  it('is no evidence of a lost refresh, also when its time is no longer ahead', async () => {
    begun = 'lost';
    const deps = world.depsAt(url);
    const call = newCall('requestRefresh');
    expect((await charge(deps, call)).outcome).toBe('UNKNOWN');
    for (const laterMs of [0, 20_000, 4 * HOUR_MS]) {
      world.advance(laterMs);
      expect(await resolveUnknown(deps, call)).toMatchObject({
        outcome: 'UNKNOWN',
        looked: expect.stringContaining('ahead of the clock of the service') as string,
      });
    }
  });
});

describe('a service whose clock is ten minutes behind', () => {
  const world = withActivities();
  let endedAtMs: number | undefined;
  const serviceNow = (): number => Date.now() - 600_000;

  it('ends a refresh whose answer was lost, once its status proves that it was made', async () => {
    const url = await world.serve((request, answer) => {
      if (request.method === 'POST') {
        endedAtMs = serviceNow() + 2_000;
        request.socket.destroy();
        return;
      }
      const record = { status: 'SUCESSO', atualizado_em: new Date(endedAtMs ?? 0).toISOString() };
      sendJson(answer, 200, { data: record, meta: {} }, { date: new Date(serviceNow()).toUTCString() });
    });
    const deps = world.depsAt(url);
    const call = newCall('requestRefresh');
    const lost = await charge(deps, call);
    expect(lost.outcome).toBe('UNKNOWN');
    expect(await resolveUnknown(deps, call)).toMatchObject({ outcome: 'PENDING' });
    await look(deps, call, lost);
    expect(await deps.ledger.find(lost.intentId ?? '')).toMatchObject({ state: 'done', finalState: 'done' });
  });
});
