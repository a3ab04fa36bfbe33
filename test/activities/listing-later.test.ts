/** A listing that the service answers with 202: what its final answer says counts, also about the page that was asked for. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { planNoticeMonitor } from '../../src/activities/monitors/plan-notice-monitor.js';
import { withActivities } from './with-activities.js';

interface Final {
  readonly status: number;
  readonly body: unknown;
}

describe('a listing of notice monitors that is answered later', () => {
  const world = withActivities();
  const finals = new Map<string, Final>();
  let service: Server;
  let finalOf: (query: URLSearchParams) => Final;

  beforeAll(async () => {
    service = createServer((request, answer) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
      const send = (status: number, body: unknown): void => {
        answer.writeHead(status, { 'content-type': 'application/json' });
        answer.end(JSON.stringify(body));
      };
      const final = finals.get(pathname.replace('/v1/requests/', ''));
      if (final !== undefined) {
        send(final.status, final.body);
        return;
      }
      const requestId = randomUUID();
      finals.set(requestId, finalOf(searchParams));
      send(202, { data: { requestId, pollAfterMs: 1 } });
    });
    await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    service.closeAllConnections();
    return new Promise((closed) => service.close(closed));
  });

  const plan = (): Promise<unknown> =>
    planNoticeMonitor(
      world.depsAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`),
      { account: 'default', oabs: ['SP:123456'] },
      {
        signal: new AbortController().signal,
        reader: { workflowId: 'w', firstRunId: randomUUID(), workflowType: 'ensureNoticeMonitor' },
        attempt: 1,
      },
    );

  it('is read in pages of the service’s own size if it refuses ours', async () => {
    finalOf = (query) =>
      query.has('limit')
        ? { status: 422, body: { error: { code: 'INVALID_LIMIT' } } }
        : { status: 200, body: { data: { items: [], total: 0 } } };
    expect(await plan()).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
  });

  it('is refused with the status of its final answer', async () => {
    finalOf = () => ({ status: 403, body: { error: { code: 'NOT_ALLOWED' }, meta: { searchLogId: 'log-1' } } });
    expect(await plan()).toMatchObject({ kind: 'refused', status: 403, errorCode: 'NOT_ALLOWED' });
  });
});
