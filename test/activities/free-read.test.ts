/** Free reads: a Retry-After of the service counts for the whole account, and a charge is booked even if the answer is lost. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { findPolledRequest } from '../../src/activities/evidence/polled-request.js';
import type { AccountDeps, ActivityDeps } from '../../src/activities/index.js';
import { askRequest } from '../../src/activities/polling/named-requests.js';
import { readToEnd } from '../../src/activities/polling/wait-out-pending.js';
import { readFree, type FreeAnswer } from '../../src/http/index.js';
import { BLANK_INTENT } from '../../src/ledger/intent.js';
import { newCase } from '../support/case-number.js';
import { sendJson } from '../../soak/loopback.js';
import { until } from '../support/until.js';
import { accountOf } from './calls.js';
import { withActivities } from './with-activities.js';

const READER = { workflowId: 'w', firstRunId: '0198a000-0000-7000-8000-000000000000', workflowType: 'refreshCase' };

const isPollOf = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/v1/requests/');

/** An account of a name of its own, so that a charge bars only the reads of its test. */
function ownAccount(deps: ActivityDeps) {
  const name = `charged-${randomUUID()}`;
  return {
    account: { ...accountOf(deps), name },
    reader: { workflowId: name, firstRunId: name, workflowType: 'refreshCase' },
  };
}

describe('a free read that is refused with 429', () => {
  const world = withActivities({ movable: true });
  const read = (operation: 'getRefreshStatus' | 'getBalance'): Promise<FreeAnswer> => {
    const account = accountOf(world.deps());
    const params = operation === 'getBalance' ? {} : { cnj: newCase() };
    return readFree(world.deps(), { account, operation, params, totalMs: 5_000, reader: READER });
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
    world.advance(leftMs + 20);
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
    const url = await world.serve((request, answer) => {
      const isPoll = isPollOf(request);
      requests.push(isPoll ? 'poll' : 'read');
      answer.writeHead(isPoll ? 429 : 202, isPoll ? { 'retry-after': '60' } : {});
      answer.end(JSON.stringify({ data: { requestId: randomUUID() } }));
    });
    const deps = world.depsAt(url);
    const read = {
      account: accountOf(deps),
      operation: 'listRadars',
      params: {},
      totalMs: 5_000,
      reader: READER,
    } as const;
    expect(await readToEnd(deps, read)).toMatchObject({ kind: 'read', judgement: { outcome: 'PENDING' } });
    expect(requests).toEqual(['read', 'poll']);
    expect(await deps.ledger.holdOf('default', { free: true })).toMatchObject({ because: 'throttled' });
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
    const url = await world.serve((_request, answer) => void answer.writeHead(429, { 'retry-after': '60' }).end('{}'));
    const deps = world.depsAt(url);
    await sql`delete from tramita.account_hold`.execute(world.database.db);
    await poll(deps, accountOf(deps));
    expect(await deps.ledger.holdOf('default', { free: true })).toMatchObject({ because: 'throttled' });
  });
});

describe('a poll that finds unknown work still running', () => {
  const world = withActivities();

  it('adopts it with the charge that it reports', async () => {
    const meta = { creditsCharged: 0.3, searchLogId: 'log-1' };
    const url = await world.serve((_request, answer) => sendJson(answer, 202, { data: {}, meta }));
    const deps = world.depsAt(url);
    const account = accountOf(deps);
    const subject = { account: 'default', operation: 'getCase', params: { cnj: newCase() } };
    const intent = { ...BLANK_INTENT, state: 'unknown', requestId: randomUUID() } as const;
    expect(await findPolledRequest(deps, { account, intent, subject })).toMatchObject({
      found: 'sent',
      settlement: { state: 'pending', charged: 3_000, searchLogId: 'log-1' },
    });
  });
});

describe('a free read whose request does not end', () => {
  const world = withActivities();

  it.each<[string, (answer: ServerResponse) => void]>([
    ['is still running', (answer) => void answer.writeHead(202).end('{"data":{"status":"RUNNING"}}')],
    ['does not answer its polls', () => undefined],
  ])('takes no longer, its polls included, than it is given: it %s', async (_what, poll) => {
    const url = await world.serve((request, answer) => {
      if (isPollOf(request)) poll(answer);
      else answer.writeHead(202).end(JSON.stringify({ data: { requestId: randomUUID(), pollAfterMs: 300 } }));
    });
    const deps = world.depsAt(url);
    const about = { operation: 'getRefreshStatus', params: { cnj: newCase() } } as const;
    const startedMs = performance.now();
    const read = readToEnd(deps, { ...about, account: accountOf(deps), totalMs: 3_000, reader: READER });
    expect(await read).toMatchObject({ kind: 'read', judgement: { outcome: 'PENDING' } });
    expect(performance.now() - startedMs).toBeLessThan(4_000);
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
    const url = await world.serve((_request, answer) => {
      requests += 1;
      write(answer);
    });
    const deps = world.depsAt(url);
    const own = ownAccount(deps);
    const read = () =>
      readFree(deps, { ...own, operation: 'getRefreshStatus', params: { cnj: newCase() }, totalMs: 5_000 });
    expect(await read()).toMatchObject({ kind: 'read', unexpected: { amount: '0.05' } });
    expect(await read()).toEqual({ kind: 'barred' });
    expect(requests).toBe(1);
    const rows = await deps.ledger.list({ account: own.account.name });
    expect(rows).toMatchObject([{ charged: 500, state: 'done' }]);
  });
});

describe('a free read that was charged while the database goes away', () => {
  const world = withActivities();
  const charge = { creditsCharged: 0.05, requestId: 'meta-1' };

  it.each<[string, (isPoll: boolean, answer: ServerResponse) => void]>([
    [
      'at its answer',
      (_isPoll, answer) => void answer.writeHead(429, { 'retry-after': '60' }).end(JSON.stringify({ meta: charge })),
    ],
    [
      'at a poll of its request',
      (isPoll, answer) => {
        answer.writeHead(isPoll ? 429 : 202, isPoll ? { 'retry-after': '60' } : {});
        answer.end(JSON.stringify(isPoll ? {} : { data: { requestId: randomUUID() }, meta: charge }));
      },
    ],
  ])('tells of its charge: %s', async (_when, handle) => {
    const url = await world.serve((request, answer) => handle(isPollOf(request), answer));
    const deps = world.depsAt(url);
    const throttle = (): Promise<never> => Promise.reject(new Error('the database is away'));
    const read = { ...ownAccount(deps), operation: 'listRadars', params: {}, totalMs: 5_000 } as const;
    const answer = await readToEnd({ ...deps, ledger: { ...deps.ledger, throttle } }, read);
    expect(answer).toMatchObject({ kind: 'read', unexpected: { operation: 'listRadars', amount: '0.05' } });
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
    const url = await world.serve((request, answer) => {
      const first = [202, { data: { requestId: randomUUID(), pollAfterMs: 1 } }] as const;
      const isPoll = isPollOf(request);
      const [status, body] = isPoll ? (polls[Math.min(polled, polls.length - 1)] as [number, unknown]) : first;
      polled += isPoll ? 1 : 0;
      sendJson(answer, status, body);
    });
    const deps = world.depsAt(url);
    const own = ownAccount(deps);
    expect(await readToEnd(deps, { ...own, operation: 'listRadars', params: {}, totalMs: 2_500 })).toMatchObject({
      kind: 'read',
      judgement: { outcome },
      unexpected: { operation: 'listRadars', amount: '0.05', metaRequestId: 'meta-1' },
    });
    const rows = await deps.ledger.list({ account: own.account.name });
    expect(rows).toMatchObject([{ charged: 500, state: 'done' }]);
  });

  it('is told although its worker stops meanwhile', async () => {
    const stopping = new AbortController();
    const url = await world.serve((request, answer) => {
      const isPoll = isPollOf(request);
      answer
        .writeHead(202)
        .end(JSON.stringify(isPoll ? running : { data: { requestId: randomUUID(), pollAfterMs: 1 } }));
      if (isPoll) setTimeout(() => stopping.abort(), 150);
    });
    const deps = world.depsAt(url);
    const { signal } = stopping;
    const read = { ...ownAccount(deps), operation: 'listRadars', params: {}, totalMs: 5_000, signal } as const;
    expect(await readToEnd(deps, read)).toMatchObject({ kind: 'read', unexpected: { amount: '0.05' } });
  });
});
