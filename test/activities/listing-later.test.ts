/** A listing that the service answers with 202: what its final answer says counts, also about the page that was asked for. */
import { randomUUID } from 'node:crypto';
import { planNoticeMonitor } from '../../src/activities/monitors/plan-notice-monitor.js';
import { sendJson } from '../../soak/loopback.js';
import { withActivities } from './with-activities.js';

interface Final {
  readonly status: number;
  readonly body: unknown;
}

describe('a listing of notice monitors that is answered later', () => {
  const world = withActivities();
  const finals = new Map<string, Final>();
  let url: string;
  let finalOf: (query: URLSearchParams) => Final;

  beforeAll(async () => {
    url = await world.serve((request, answer) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
      const final = finals.get(pathname.replace('/v1/requests/', ''));
      if (final !== undefined) {
        sendJson(answer, final.status, final.body);
        return;
      }
      const requestId = randomUUID();
      finals.set(requestId, finalOf(searchParams));
      sendJson(answer, 202, { data: { requestId, pollAfterMs: 1 } });
    });
  });

  const plan = (): Promise<unknown> =>
    planNoticeMonitor(
      world.depsAt(url),
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
