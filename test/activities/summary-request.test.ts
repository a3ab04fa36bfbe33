/** The interface gives no name to the request identifier in the answer to a summary request: it may be called `id`. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import type { CallOutcome } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { withActivities } from './with-activities.js';

const ID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
const OTHER = '0198a000-0000-7000-8000-00000000abcd';

describe('a call that is answered 202', () => {
  const world = withActivities();
  let data: object;
  let service: Server;

  beforeAll(async () => {
    service = createServer((request, answer) => {
      const isPoll = request.method === 'GET' && request.url?.startsWith('/v1/requests/') === true;
      const body = isPoll ? { data: { requestId: ID } } : { data, meta: { creditsCharged: 0.9 } };
      answer.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  const call = async (operation: 'requestSummary' | 'getCase'): Promise<CallOutcome> => {
    const run = { workflowId: `own/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'callOperation' };
    const input = { ...run, account: 'default', params: { cnj: newCase() }, step: operation, ordinal: 1, flags: [] };
    const deps = world.depsAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    return (await runChargedCall(deps, operation, input, { attempt: 1, attemptToken: randomUUID() })) as CallOutcome;
  };

  it.each([
    [{ id: ID, status: 'PENDENTE', pollAfterMs: 2_000 }, ID],
    [{ id: OTHER, requestId: ID, status: 'PENDENTE' }, ID],
    [{ id: OTHER, statusUrl: `/v1/requests/${ID}` }, ID],
  ])('to a summary request names its request in %j', async (named, requestId) => {
    data = named;
    expect(await call('requestSummary')).toMatchObject({ outcome: 'PENDING', requestId });
  });

  it.each([
    ['requestSummary', { id: '17', status: 'PENDENTE' }],
    // The id of what was read, perhaps: this answer has a named request id.
    ['getCase', { id: ID, status: 'PENDENTE' }],
  ] as const)('to %s names none in %j', async (operation, unnamed) => {
    data = unnamed;
    expect(await call(operation)).toMatchObject({ outcome: 'UNKNOWN' });
  });
});
