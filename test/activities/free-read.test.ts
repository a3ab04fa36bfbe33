/** Free reads: a Retry-After of the service counts for the whole account, and a charge is booked even if the answer is lost. */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { findPolledRequest } from '../../src/activities/evidence/polled-request.js';
import type { AccountDeps, ActivityDeps } from '../../src/activities/index.js';
import { askRequest } from '../../src/activities/polling/named-requests.js';
import { readToEnd } from '../../src/activities/polling/wait-out-pending.js';
import { readFree, type FreeAnswer } from '../../src/http/index.js';
import { BLANK_INTENT } from '../../src/ledger/intent.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withActivities } from './with-activities.js';

/** A service of a few lines. */
async function serve(
  handle: (url: string, answer: ServerResponse) => void,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer(({ url = '' }, answer) => handle(url, answer));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

describe('a free read that is refused with 429', () => {
  const realNow = Date.now;
  let offsetMs = 0;
  // Time is moved by hand. This runs before the world opens, because its parts keep the clock that they find.
  beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
  afterAll(() => jest.restoreAllMocks());
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

  it('keeps every other free read of the account from being sent until its Retry-After', async () => {
    const fault = { operation: 'getRefreshStatus', fault: 'status', status: 429, retryAfter: 60, times: 1 };
    await world.control('/faults', fault);
    expect(await read('getRefreshStatus')).toMatchObject({ kind: 'read', exchange: { head: { status: 429 } } });
    const before = await sent();
    const held = await read('getBalance');
    expect(held).toMatchObject({ kind: 'throttled' });
    expect(await sent()).toBe(before);

    const untilMs = held.kind === 'throttled' ? held.untilMs : 0;
    const leftMs = untilMs - Date.now();
    expect(leftMs).toBeGreaterThan(30_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    offsetMs += leftMs + 20;
    // The process keeps what it has seen of the account for a second.
    const released = await until(
      async () => {
        const answer = await read('getBalance');
        return answer.kind === 'read' ? answer : undefined;
      },
      { withinMs: 10_000, what: 'the end of the wait' },
    );
    expect(released).toMatchObject({ exchange: { head: { status: 200 } } });
  });
});

describe('a free read that is answered 202', () => {
  const world = withActivities();

  it('is not polled again before the Retry-After of a 429, and neither is anything else of the account', async () => {
    const requests: string[] = [];
    const server = createServer(({ url = '' }, answer) => {
      const isPoll = url.startsWith('/v1/requests/');
      requests.push(isPoll ? 'poll' : 'read');
      answer.writeHead(isPoll ? 429 : 202, isPoll ? { 'retry-after': '60' } : {});
      answer.end(JSON.stringify({ data: { requestId: randomUUID() } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const deps = world.depsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const account = deps.accounts.get('default') as AccountDeps;
    const reader = { workflowId: 'w', firstRunId: randomUUID(), workflowType: 'refreshCase' };
    const read = { account, operation: 'listRadars', params: {}, totalMs: 5_000, reader } as const;
    expect(await readToEnd(deps, read)).toMatchObject({ kind: 'read', judgement: { outcome: 'PENDING' } });
    expect(requests).toEqual(['read', 'poll']);
    expect(await deps.ledger.holdOf('default', { free: true })).toMatchObject({ because: 'throttled' });
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a poll that is refused with 429 while evidence is looked for', () => {
  const world = withActivities();
  const requestId = randomUUID();
  const intent = { ...BLANK_INTENT, state: 'unknown', requestId } as const;

  it.each<[string, (deps: ActivityDeps, account: AccountDeps) => Promise<unknown>]>([
    [
      'a query',
      (deps, account) => {
        const subject = { account: 'default', operation: 'getCase', params: { cnj: newCase() } };
        return findPolledRequest(deps, { account, intent, subject });
      },
    ],
    ['a refresh', (deps, account) => askRequest(deps, { account, requestId, totalMs: 5_000 })],
  ])('for %s makes every free call of the account wait', async (_what, poll) => {
    const service = await serve((_url, answer) => void answer.writeHead(429, { 'retry-after': '60' }).end('{}'));
    const deps = world.depsAt(service.url);
    await sql`delete from tramita.account_hold`.execute(world.database.db);
    await poll(deps, deps.accounts.get('default') as AccountDeps);
    expect(await deps.ledger.holdOf('default', { free: true })).toMatchObject({ because: 'throttled' });
    await service.close();
  });
});

describe('a poll that finds unknown work still running', () => {
  const world = withActivities();

  it('adopts it with the charge that it reports', async () => {
    const meta = { creditsCharged: 0.3, searchLogId: 'log-1' };
    const service = await serve((_url, answer) => void answer.writeHead(202).end(JSON.stringify({ data: {}, meta })));
    const deps = world.depsAt(service.url);
    const account = deps.accounts.get('default') as AccountDeps;
    const subject = { account: 'default', operation: 'getCase', params: { cnj: newCase() } };
    const intent = { ...BLANK_INTENT, state: 'unknown', requestId: randomUUID() } as const;
    expect(await findPolledRequest(deps, { account, intent, subject })).toMatchObject({
      found: 'sent',
      settlement: { state: 'pending', charged: 3_000, searchLogId: 'log-1' },
    });
    await service.close();
  });
});

describe('a free read whose request does not end', () => {
  const world = withActivities();

  it.each<[string, (answer: ServerResponse) => void]>([
    ['is still running', (answer) => void answer.writeHead(202).end('{"data":{"status":"RUNNING"}}')],
    ['does not answer its polls', () => undefined],
  ])('takes no longer, its polls included, than it is given: it %s', async (_what, poll) => {
    const service = await serve((url, answer) => {
      if (url.startsWith('/v1/requests/')) poll(answer);
      else answer.writeHead(202).end(JSON.stringify({ data: { requestId: randomUUID(), pollAfterMs: 300 } }));
    });
    const deps = world.depsAt(service.url);
    const account = deps.accounts.get('default') as AccountDeps;
    const reader = { workflowId: 'w', firstRunId: randomUUID(), workflowType: 'refreshCase' };
    const startedMs = performance.now();
    const read = {
      account,
      operation: 'getRefreshStatus',
      params: { cnj: newCase() },
      totalMs: 3_000,
      reader,
    } as const;
    expect(await readToEnd(deps, read)).toMatchObject({ kind: 'read', judgement: { outcome: 'PENDING' } });
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    await service.close();
  });
});

describe('a free read that was charged', () => {
  const world = withActivities();

  it.each<[string, (answer: ServerResponse) => void]>([
    [
      'and whose answer is cut',
      (answer) => {
        answer.writeHead(200, { 'content-length': '100', 'x-service-credits-charged': '0.05' });
        answer.write('{"data":', () => answer.destroy());
      },
    ],
    [
      'and whose answer has a character that is not UTF-8',
      (answer) => {
        answer.end(Buffer.from('{"data":{"status":"\xe7"},"meta":{"creditsCharged":0.05}}', 'latin1'));
      },
    ],
  ])('%s is booked, and is not made again', async (_what, write) => {
    let requests = 0;
    const server = createServer((_request, answer) => {
      requests += 1;
      write(answer);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const deps = world.depsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const account = deps.accounts.get('default');
      if (account === undefined) throw new Error('no account');
      const name = `charged-${randomUUID()}`;
      const reader = { workflowId: name, firstRunId: name, workflowType: 'refreshCase' };
      const read = () =>
        readFree(deps, {
          account: { ...account, name },
          operation: 'getRefreshStatus',
          params: { cnj: newCase() },
          totalMs: 5_000,
          reader,
        });
      expect(await read()).toMatchObject({ kind: 'read', unexpected: { amount: '0.05' } });
      expect(await read()).toEqual({ kind: 'barred' });
      expect(requests).toBe(1);
      expect(await deps.ledger.list({ account: name })).toMatchObject([{ charged: 500, state: 'done' }]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('a free read that was charged while the database goes away', () => {
  const world = withActivities();
  const charge = { creditsCharged: 0.05, requestId: 'meta-1' };

  it.each<[string, (url: string, answer: ServerResponse) => void]>([
    [
      'at its answer',
      (_url, answer) => void answer.writeHead(429, { 'retry-after': '60' }).end(JSON.stringify({ meta: charge })),
    ],
    [
      'at a poll of its request',
      (url, answer) => {
        const isPoll = url.startsWith('/v1/requests/');
        answer.writeHead(isPoll ? 429 : 202, isPoll ? { 'retry-after': '60' } : {});
        answer.end(JSON.stringify(isPoll ? {} : { data: { requestId: randomUUID() }, meta: charge }));
      },
    ],
  ])('tells of its charge: %s', async (_when, handle) => {
    const service = await serve(handle);
    const deps = world.depsAt(service.url);
    const name = `charged-${randomUUID()}`;
    const account = { ...(deps.accounts.get('default') as AccountDeps), name };
    const throttle = (): Promise<never> => Promise.reject(new Error('the database is away'));
    const reader = { workflowId: name, firstRunId: name, workflowType: 'refreshCase' };
    const read = { account, operation: 'listRadars', params: {}, totalMs: 5_000, reader } as const;
    const answer = await readToEnd({ ...deps, ledger: { ...deps.ledger, throttle } }, read);
    expect(answer).toMatchObject({ kind: 'read', unexpected: { operation: 'listRadars', amount: '0.05' } });
    await service.close();
  });
});

describe('a free read whose charge only a poll of its request reports', () => {
  const world = withActivities();
  const charge = { creditsCharged: 0.05, requestId: 'meta-1' };
  const running = { data: { status: 'RUNNING', pollAfterMs: 300 }, meta: charge };

  it.each<[string, { readonly polls: readonly [number, unknown][]; readonly outcome: string }]>([
    [
      'that then ends without one',
      {
        polls: [
          [202, running],
          [200, { data: [] }],
        ],
        outcome: 'DONE',
      },
    ],
    [
      'that repeats it at its end',
      {
        polls: [
          [202, running],
          [200, { data: [], meta: charge }],
        ],
        outcome: 'DONE',
      },
    ],
    ['that does not end', { polls: [[202, running]], outcome: 'PENDING' }],
    [
      'that is then forgotten',
      {
        polls: [
          [202, running],
          [404, { error: { code: 'REQUEST_NOT_FOUND' } }],
        ],
        outcome: 'PENDING',
      },
    ],
  ])('is booked once and told: of a request %s', async (_what, { polls, outcome }) => {
    let polled = 0;
    const service = await serve((url, answer) => {
      const first = [202, { data: { requestId: randomUUID(), pollAfterMs: 1 } }] as const;
      const isPoll = url.startsWith('/v1/requests/');
      const [status, body] = isPoll ? (polls[Math.min(polled, polls.length - 1)] as [number, unknown]) : first;
      polled += isPoll ? 1 : 0;
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const deps = world.depsAt(service.url);
    const name = `charged-${randomUUID()}`;
    const account = { ...(deps.accounts.get('default') as AccountDeps), name };
    const reader = { workflowId: name, firstRunId: name, workflowType: 'refreshCase' };
    const read = { account, operation: 'listRadars', params: {}, totalMs: 2_500, reader } as const;
    expect(await readToEnd(deps, read)).toMatchObject({
      kind: 'read',
      judgement: { outcome },
      unexpected: { operation: 'listRadars', amount: '0.05', metaRequestId: 'meta-1' },
    });
    expect(await deps.ledger.list({ account: name })).toMatchObject([{ charged: 500, state: 'done' }]);
    await service.close();
  });

  it('is told although its worker stops meanwhile', async () => {
    const stopping = new AbortController();
    const service = await serve((url, answer) => {
      const isPoll = url.startsWith('/v1/requests/');
      answer
        .writeHead(202)
        .end(JSON.stringify(isPoll ? running : { data: { requestId: randomUUID(), pollAfterMs: 1 } }));
      if (isPoll) setTimeout(() => stopping.abort(), 150);
    });
    const deps = world.depsAt(service.url);
    const name = `charged-${randomUUID()}`;
    const account = { ...(deps.accounts.get('default') as AccountDeps), name };
    const reader = { workflowId: name, firstRunId: name, workflowType: 'refreshCase' };
    const read = {
      account,
      operation: 'listRadars',
      params: {},
      totalMs: 5_000,
      reader,
      signal: stopping.signal,
    } as const;
    expect(await readToEnd(deps, read)).toMatchObject({ kind: 'read', unexpected: { amount: '0.05' } });
    await service.close();
  });
});
