/** The interface gives no name to the request identifier in the answer to a summary request: it may be called `id`. */
import { sendJson } from '../../soak/loopback.js';
import { charge, newCall } from './calls.js';
import { withActivities } from './with-activities.js';

const ID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
const OTHER = '0198a000-0000-7000-8000-00000000abcd';

describe('a call that is answered 202', () => {
  const world = withActivities();
  let data: object;
  let url: string;

  beforeAll(async () => {
    url = await world.serve((request, answer) => {
      const isPoll = request.method === 'GET' && request.url?.startsWith('/v1/requests/') === true;
      sendJson(answer, 202, isPoll ? { data: { requestId: ID } } : { data, meta: { creditsCharged: 0.9 } });
    });
  });

  it.each([
    [{ id: ID, status: 'PENDENTE', pollAfterMs: 2_000 }, ID],
    [{ id: OTHER, requestId: ID, status: 'PENDENTE' }, ID],
    [{ id: OTHER, statusUrl: `/v1/requests/${ID}` }, ID],
  ])('to a summary request names its request in %j', async (named, requestId) => {
    data = named;
    const outcome = await charge(world.depsAt(url), newCall('requestSummary'));
    expect(outcome).toMatchObject({ outcome: 'PENDING', requestId });
  });

  it.each([
    ['requestSummary', { id: '17', status: 'PENDENTE' }],
    // The id of what was read, perhaps: this answer has a named request id.
    ['getCase', { id: ID, status: 'PENDENTE' }],
  ] as const)('to %s names none in %j', async (operation, unnamed) => {
    data = unnamed;
    expect(await charge(world.depsAt(url), newCall(operation))).toMatchObject({ outcome: 'UNKNOWN' });
  });
});
