/** Free pages of a lawyer's list that answer 202 or charge unexpectedly: a charge is reported once and never paid again. */
import { randomUUID } from 'node:crypto';
import { bookUnder } from '../../src/activities/free/collect-charges.js';
import { readLawyerPages, type PageCursor } from '../../src/activities/lawyers/read-pages.js';
import { buildRequest, DEFAULT_GAPS, operationOf } from '../../src/contract/index.js';
import type { ReadLawyerPagesResult } from '../../src/protocol/index.js';
import type { EndedSpan, Traces } from '../../src/traces/index.js';
import { sendJson } from '../../soak/loopback.js';
import { until } from '../support/until.js';
import { withActivities } from './with-activities.js';

const LAWYER = { oab_numero: '1', oab_estado: 'SP' } as const;
const VERSION = '2026-11-20T03:00:00Z';
const REQUEST = '0198a000-0000-7000-8000-00000000abcd';
const PAGE = { data: { processos: [], cobertura: { completa: true, parcial: false, atualizadoEm: VERSION } } };
const LIST = '/v1/advogados/processos';
const CASE = '0000001-23.2024.8.26.0100';
const CHARGE = { creditsCharged: 0.5, searchLogId: 'log-1' };
const UNEXPECTED = { operation: 'listLawyerCases', amount: '0.5', metaRequestId: null, searchLogId: 'log-1' } as const;

describe('a free page of a list', () => {
  const world = withActivities();
  const requests: string[] = [];
  const targets: string[] = [];
  let url: string;
  let page: { status: number; body: unknown };
  let poll: { status: number; body: unknown };

  beforeAll(async () => {
    url = await world.serve((request, answer) => {
      const isPoll = request.url?.startsWith('/v1/requests/') === true;
      requests.push(isPoll ? 'poll' : 'page');
      targets.push(request.url ?? '');
      const { status, body } = isPoll ? poll : page;
      sendJson(answer, status, body, status === 429 ? { 'retry-after': '1' } : {});
    });
  });
  beforeEach(() => [requests, targets].forEach((list) => list.splice(0)));

  const read = (
    from: {
      readonly resume?: PageCursor;
      readonly attempt?: number;
      readonly account?: string;
      readonly link?: string;
      readonly heartbeat?: (cursor: PageCursor) => void;
      readonly signal?: AbortSignal;
      readonly workflowId?: string;
      readonly activity?: string;
    } = {},
    traces?: Parameters<typeof world.depsAt>[1],
  ): Promise<ReadLawyerPagesResult> => {
    const { workflowId = randomUUID(), activity = randomUUID() } = from;
    const reader = { workflowId, firstRunId: randomUUID(), workflowType: 'importLawyerCases' };
    return readLawyerPages(
      bookUnder(world.depsAt(url, traces), { activity }),
      {
        account: from.account ?? 'default',
        params: LAWYER,
        setId: randomUUID(),
        version: VERSION,
        cursor: { page: 2, target: from.link ?? null },
        reader,
      },
      {
        heartbeat: from.heartbeat ?? (() => undefined),
        signal: from.signal ?? new AbortController().signal,
        resume: from.resume,
        attempt: from.attempt ?? 1,
        activity,
      },
    );
  };
  const booked = async (): Promise<number> =>
    (await world.deps().ledger.list({ account: 'default' })).filter(({ step }) => step.startsWith('free/')).length;

  it('that a link names is read with traces as without, under the name of its operation', async () => {
    page = { status: 200, body: PAGE };
    const { target } = buildRequest(
      operationOf('listLawyerCases'),
      { params: { ...LAWYER, page: 2 }, flags: [] },
      DEFAULT_GAPS,
    );
    const spans: EndedSpan[] = [];
    expect(await read({ link: target }, { note: (span) => void spans.push(span) } as Traces)).toEqual({
      kind: 'end',
      pages: 1,
    });
    expect(spans).toMatchObject([{ name: 'HTTP listLawyerCases', facts: { 'tramita.outcome': 'DONE' } }]);
  });

  it('that charges and has no result is reported and not sent again', async () => {
    const before = await booked();
    page = { status: 202, body: { meta: CHARGE } };
    expect(await read()).toMatchObject({ kind: 'charged', unexpected: { amount: '0.5' } });
    page = { status: 202, body: { data: { requestId: REQUEST }, meta: CHARGE } };
    poll = { status: 404, body: { error: { code: 'REQUEST_NOT_FOUND' } } };
    expect(await read()).toMatchObject({ kind: 'charged', unexpected: { amount: '0.5' } });
    expect(requests.filter((what) => what === 'page')).toHaveLength(2);
    expect((await booked()) - before).toBe(2);
  });

  it.each([
    [404, { error: { code: 'GONE', message: 'O resultado expirou' } }],
    [404, { error: { code: 'GONE' }, meta: { requestId: REQUEST } }],
    [410, { error: { code: 'GONE' } }],
  ])('whose request no longer exists (%d, %j) is requested again, because it is free', async (status, body) => {
    page = { status: 202, body: { data: { requestId: REQUEST } } };
    poll = { status, body };
    await expect(read()).rejects.toMatchObject({ type: 'NotYet' });
    expect(requests).toEqual(['page', 'poll']);
    expect(await read({ attempt: 721 })).toMatchObject({ kind: 'refused', status: 202 });
  });

  it.each([404, 422])('whose request ends with %d and a charge is reported as charged', async (status) => {
    const before = await booked();
    page = { status: 202, body: { data: { requestId: REQUEST } } };
    poll = { status, body: { error: { code: 'LIST_FAILED' }, meta: CHARGE } };
    expect(await read()).toMatchObject({ kind: 'charged', unexpected: { amount: '0.5' } });
    expect((await booked()) - before).toBe(1);
  });

  it('whose charge an earlier attempt reported is reported with its final answer, and booked once', async () => {
    const before = await booked();
    poll = { status: 200, body: { ...PAGE, meta: CHARGE } };
    const resume = { page: 2, target: null, pages: 0, requestId: REQUEST, unexpected: UNEXPECTED };
    expect(await read({ resume })).toMatchObject({ kind: 'charged', unexpected: { amount: '0.5' }, pages: 1 });
    expect(requests).toEqual(['poll']);
    expect(await booked()).toBe(before);
  });

  it('whose charge only a poll of the running request reports is reported by the next attempt, and booked once', async () => {
    const before = await booked();
    page = { status: 202, body: { data: { requestId: REQUEST, pollAfterMs: 1 } } };
    poll = { status: 202, body: { data: { pollAfterMs: 20_000 }, meta: CHARGE } };
    const kept: PageCursor[] = [];
    const stopping = new AbortController();
    const reading = read({ heartbeat: (cursor) => void kept.push(cursor), signal: stopping.signal });
    await until(async () => (await booked()) > before, { what: 'the charge' });
    stopping.abort();
    await expect(reading).rejects.toMatchObject({ type: 'NotYet' });
    const resume = kept.at(-1) as PageCursor;
    expect(resume).toMatchObject({ requestId: REQUEST, unexpected: UNEXPECTED });
    poll = { status: 200, body: PAGE };
    expect(await read({ resume, attempt: 2 })).toMatchObject({
      kind: 'charged',
      unexpected: { amount: '0.5' },
      pages: 1,
    });
    expect((await booked()) - before).toBe(1);
  });

  it.each([
    [{ completa: false, parcial: true }, 'version moved'],
    [{ completa: false }, 'end'],
    // As on page 1, which counts as complete with both.
    [{ completa: true, parcial: true }, 'end'],
  ])(
    'with the coverage %j has moved when that says the list is only partial, also with the same version',
    async (coverage, kind) => {
      page = { status: 200, body: { data: { processos: [], cobertura: { ...coverage, atualizadoEm: VERSION } } } };
      expect(await read()).toMatchObject({ kind });
    },
  );

  it('that never comes is given up after some hundred attempts', async () => {
    page = { status: 202, body: {} };
    await expect(read({ attempt: 720 })).rejects.toMatchObject({ type: 'NotYet' });
    expect(await read({ attempt: 721 })).toMatchObject({ kind: 'refused', status: 202 });
  });

  it('that was charged before its worker died is not asked for again, and its charge is reported', async () => {
    const before = await booked();
    page = { status: 200, body: { ...PAGE, meta: CHARGE } };
    const run = { workflowId: randomUUID(), activity: randomUUID() };
    // The result of a worker that dies reaches nobody.
    await read(run);
    expect(await read({ ...run, attempt: 2 })).toMatchObject({ kind: 'charged', pages: 0, unexpected: UNEXPECTED });
    expect(requests).toEqual(['page']);
    expect(await read({ ...run, attempt: 2, activity: randomUUID() })).toMatchObject({ kind: 'charged' });
    expect(requests).toEqual(['page', 'page']);
    expect((await booked()) - before).toBe(2);
  });

  it('is left to another worker when this one lacks its account, and given up after some hundred attempts', async () => {
    const account = 'branch';
    await expect(read({ account })).rejects.toMatchObject({ type: 'NotYet', nonRetryable: false });
    expect(await read({ account, attempt: 721 })).toMatchObject({ kind: 'refused' });
    expect(requests).toEqual([]);
  });

  it.each([
    ['another path', { page: 2, target: '/v1/financial/balance?page=2' }],
    ['page 1, which costs money', { page: 2, target: '/v1/tribunal/processos-por-oab?page=1' }],
    ['page 1 by number', { page: 1, target: null }],
    ['another host', { page: 2, target: 'https://example.org/?page=2' }],
    ['page 1 behind another page', { page: 2, target: `${LIST}?oab_numero=1&oab_estado=SP&page=2&x=?&page=1` }],
    [
      'another lawyer behind this one',
      { page: 2, target: `${LIST}?oab_numero=1&oab_estado=SP&page=2&x=?&oab_numero=2` },
    ],
    ['the list of another lawyer', { page: 2, target: `${LIST}?oab_numero=2&oab_estado=SP&page=2` }],
  ])('is not requested when the flow names %s', async (_what, cursor) => {
    expect(await read({ resume: { ...cursor, pages: 0 } })).toMatchObject({ kind: 'elsewhere', page: cursor.page });
    expect(requests).toEqual([]);
  });

  const linkingTo = (query: string, processos: object[] = []): typeof page => ({
    status: 200,
    body: { data: { ...PAGE.data, processos, links: { next: { href: `/v1/advogados/processos?${query}` } } } },
  });

  it.each(['oab_numero=2&oab_estado=SP&page=3', 'oab_numero=1&oab_estado=RJ&page=3'])(
    'whose link leads to the list of another lawyer (%s) is the last that is read',
    async (query) => {
      page = linkingTo(query);
      expect(await read()).toEqual({ kind: 'elsewhere', pages: 1, page: 2 });
      expect(requests).toEqual(['page']);
    },
  );

  it.each([
    'https://example.org/v1/advogados/processos?oab_numero=1&oab_estado=SP&page=3',
    '/v1/advogados/diarios-oficiais?oab_numero=1&oab_estado=SP&page=3',
  ])(
    'whose link leads to another host or path (%s) is the last that is read, and does not count as a loop',
    async (href) => {
      page = { status: 200, body: { data: { ...PAGE.data, links: { next: { href } } } } };
      expect(await read()).toEqual({ kind: 'elsewhere', pages: 1, page: 2 });
    },
  );

  it.each([
    ['a link with a cursor and no page', linkingTo('oab_numero=1&oab_estado=SP&cursor=abc', [{ numeroCnj: CASE }])],
    ['a cursor', { status: 200, body: { data: { ...PAGE.data, processos: [{ numeroCnj: CASE }], cursor: 'abc' } } }],
  ])('that leads on by %s is followed by page number, which is free', async (_what, leading) => {
    page = leading;
    // The second page has the same case again.
    expect(await read()).toMatchObject({ kind: 'loop', pages: 1 });
    expect(targets).toEqual(
      [2, 3].map((number) => `/v1/advogados/processos?oab_numero=1&oab_estado=SP&page=${number}`),
    );
  });

  it('that is empty and leads on by a cursor is the last', async () => {
    page = linkingTo('oab_numero=1&oab_estado=SP&cursor=abc');
    expect(await read()).toEqual({ kind: 'end', pages: 1 });
  });

  it('whose link has a cursor of another lawyer is the last that is read', async () => {
    page = linkingTo('oab_numero=2&oab_estado=SP&cursor=abc');
    expect(await read()).toEqual({ kind: 'elsewhere', pages: 1, page: 2 });
  });

  it('that charges and leads to the list of another lawyer is reported as charged', async () => {
    const { status, body } = linkingTo('oab_numero=2&oab_estado=SP&page=3');
    page = { status, body: { ...(body as object), meta: CHARGE } };
    expect(await read()).toMatchObject({ kind: 'charged', unexpected: { amount: '0.5' }, isStuck: true });
  });

  it('that charges is only asked for again if that may bring it', async () => {
    const data = { ...PAGE.data, cobertura: { ...PAGE.data.cobertura, atualizadoEm: '2026-11-21T03:00:00Z' } };
    page = { status: 200, body: { data, meta: CHARGE } };
    expect(await read()).toMatchObject({ kind: 'charged', isStuck: true });
    page = { status: 200, body: { data: 'soon', meta: CHARGE } };
    const again = await read();
    expect(again).toMatchObject({ kind: 'charged', at: { page: 2, target: null } });
    expect(again).not.toHaveProperty('isStuck');
  });

  it.each(['oab_numero=0001&oab_estado=sp&page=3', 'li=abc&page=3'])(
    'whose link spells the lawyer another way, or names none (%s), is followed',
    async (query) => {
      page = linkingTo(query);
      // The second page has the same link again.
      expect(await read()).toMatchObject({ kind: 'loop', pages: 2 });
      expect(requests).toEqual(['page', 'page']);
    },
  );

  // The last one: the account has to wait after it.
  it('that never comes but was charged is given up as charged', async () => {
    poll = { status: 429, body: {} };
    const resume = { page: 2, target: null, pages: 0, requestId: REQUEST, unexpected: UNEXPECTED };
    expect(await read({ resume, attempt: 721 })).toMatchObject({ kind: 'charged', unexpected: { amount: '0.5' } });
  });
});
