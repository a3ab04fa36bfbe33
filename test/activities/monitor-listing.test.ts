/** A listing that never ends or has no list is read a few times and then given up, and no monitor is created. */
import { auditMonitors } from '../../src/activities/monitors/audit-monitors.js';
import { showsTheSame } from '../../src/activities/monitors/decide-ensure.js';
import { planNoticeMonitor } from '../../src/activities/monitors/plan-notice-monitor.js';
import { sendJson } from '../../soak/loopback.js';
import { withActivities } from './with-activities.js';

const PAGE = 100;
const ASKED = { account: 'default', oabs: ['SP:123456'] };
const READER = {
  workflowId: 'w',
  firstRunId: '0198a000-0000-7000-8000-000000000000',
  workflowType: 'ensureNoticeMonitor',
};
const ASKER = { signal: new AbortController().signal, reader: READER, attempt: 1 };
const monitors = (length: number) =>
  Array.from({ length }, (_none, place) => ({
    id: String(place),
    oab_numero: String(1_000 + place),
    oab_estado: 'SP',
    status: 'ativo',
  }));

describe('a listing of notice monitors', () => {
  const world = withActivities();
  let url: string;
  let body: (page: number) => unknown;
  let delayMs = 0;
  let noPage: unknown;
  let largest = PAGE;
  let pages = 0;

  beforeAll(async () => {
    url = await world.serve((request, answer) => {
      pages += 1;
      const query = new URL(request.url ?? '/', 'http://service').searchParams;
      const found = body(Number(query.get('page') ?? '1'));
      setTimeout(() => {
        if (Number(query.get('limit') ?? '0') > largest) {
          sendJson(answer, 422, { error: { code: 'INVALID_LIMIT' } });
          return;
        }
        sendJson(answer, found === undefined ? 404 : 200, found ?? noPage);
      }, delayMs);
    });
  });

  beforeEach(() => {
    pages = 0;
    delayMs = 0;
    largest = PAGE;
    noPage = { error: { message: 'no such page' } };
  });

  const plan = (attempt: number, readWithinMs?: number, oabs = ASKED.oabs): Promise<unknown> =>
    planNoticeMonitor(
      world.depsAt(url),
      { ...ASKED, oabs },
      { ...ASKER, attempt, ...(readWithinMs === undefined ? {} : { readWithinMs }) },
    );
  const endless = (page: number): unknown => ({
    data: Array.from({ length: PAGE }, (_none, place) => ({
      id: String(page * PAGE + place),
      oab_numero: String(page * PAGE + place),
      oab_estado: 'RJ',
      status: 'ativo',
    })),
  });

  it('that is full on every page is read again at first, and refused with the reason in the end', async () => {
    body = endless;
    await expect(plan(1, 300)).rejects.toMatchObject({ type: 'NotYet' });
    const end = await plan(5, 300);
    expect(end).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/is incomplete/) as string });
  });

  it('that repeats its first page is read twice', async () => {
    body = () => endless(1);
    await expect(plan(1)).rejects.toMatchObject({ type: 'NotYet' });
    expect(pages).toBe(2);
  });

  it('with pages shorter than requested is read to its end, and a monitor on page 2 is not created again', async () => {
    const all = monitors(60);
    body = (page) => ({ data: { monitoramentos: all.slice((page - 1) * 50, page * 50) } });
    expect(await plan(1, undefined, ['SP:1055'])).toMatchObject({ kind: 'plan', create: [] });
  });

  it('of a service that refuses large pages is read in pages of its own size', async () => {
    largest = 50;
    const all = monitors(30);
    body = (page) => ({ data: { items: all.slice((page - 1) * 20, page * 20), total: 30 } });
    expect(await plan(1, undefined, ['SP:1025', 'SP:9'])).toMatchObject({ kind: 'plan', create: ['SP:9'] });
    largest = -1;
    expect(await plan(1)).toMatchObject({ kind: 'refused', status: 422, errorCode: 'INVALID_LIMIT' });
    expect(pages).toBeLessThan(7);
  });

  it('with a total is read until all monitors have come, whatever it says of its pages', async () => {
    const all = monitors(120);
    const listed =
      (total: number, upTo = all.length) =>
      (page: number): unknown => ({
        data: {
          monitoramentos: all.slice(0, upTo).slice((page - 1) * 50, page * 50),
          pagination: { page, limit: PAGE, total },
        },
      });
    body = listed(120);
    expect(await plan(1, undefined, ['SP:1115'])).toMatchObject({ kind: 'plan', create: [] });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
    // A monitor that it does not show may be the requested one.
    body = listed(120, 100);
    await expect(plan(1)).rejects.toMatchObject({ type: 'NotYet' });
    expect(await plan(5)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/is incomplete/) as string });
    body = (page) => (page < 3 ? listed(120)(page) : undefined);
    expect(await plan(5)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/is incomplete/) as string });
    body = () => ({ data: { items: [all[0]], links: { next: null }, total: 2 } });
    expect(await plan(5)).toMatchObject({ kind: 'refused' });
  });

  it('ends before a page that is not found, unless a link said that more follows', async () => {
    const items = [{ id: '1', oab_numero: '1', oab_estado: 'SP', status: 'ativo' }];
    body = (page) => (page === 1 ? { data: { items } } : undefined);
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
    // This 404 is of a gateway and says nothing of pages.
    noPage = 'default backend';
    expect(await plan(1)).toMatchObject({ kind: 'refused', status: 404 });
    noPage = { error: { message: 'no such page' } };
    body = (page) => (page === 1 ? { data: { items, links: { next: { href: '/x?page=2' } } } } : undefined);
    expect(await plan(1)).toMatchObject({ kind: 'refused', status: 404 });
  });

  it('without page numbers and ids, and with one page only, is read twice', async () => {
    body = () => ({ data: { items: [{ oab_numero: '1', oab_estado: 'SP', status: 'ativo' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
    expect(pages).toBe(2);
  });

  it('that is slow is cut off before its attempt is over', async () => {
    body = endless;
    delayMs = 50;
    await expect(plan(1, 200)).rejects.toMatchObject({ type: 'NotYet' });
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan(10);
  });

  it('without a list is read again at first, and refused in the end', async () => {
    const own = { id: 'm', oab: 'SP:123456', ativo: true };
    for (const data of [
      ...['soon', {}, { a: [{ id: '1' }], b: [{ id: '2' }] }],
      ...[
        { resultado: { monitoramentos: [own] }, erros: [] },
        { ativos: { 'SP:123456': own }, avisos: [], total: 1 },
      ],
      ...[{ avisos: [], total: 1 }],
    ]) {
      body = () => ({ data });
      await expect(plan(1)).rejects.toMatchObject({ type: 'NotYet' });
    }
    expect(await plan(5)).toMatchObject({
      kind: 'refused',
      status: 200,
      reason: expect.stringMatching(/no list/) as string,
    });
  });

  it('that is a single monitor is not empty, whatever lists it has', async () => {
    body = () => ({ data: { id: 'm', oab: 'SP:123456', ativo: true, items: null } });
    expect(await plan(5)).toMatchObject({ kind: 'plan', create: [] });
  });

  it.each([{ total: 0 }, { items: null }, { radares: [], pagination: { total: 0 } }, { achados: [], total: 0 }])(
    'that says it has no monitors is empty: %j',
    async (data) => {
      body = () => ({ data });
      expect(await plan(5)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
    },
  );

  it('names the registration of an update by the configured parameters', async () => {
    body = () => ({
      data: [{ id: '7', oab_numero: '123456', oab_estado: 'SP', status: 'ativo', termos_auxiliares: [] }],
    });
    const deps = world.depsAt(url);
    const gaps = { ...deps.gaps, oabNumberParam: 'inscricao', oabStateParam: 'uf' };
    expect(await planNoticeMonitor({ ...deps, gaps }, { ...ASKED, terms: ['Acme'] }, ASKER)).toMatchObject({
      create: [],
      update: ['SP:123456'],
      updateParams: [{ inscricao: '123456', uf: 'SP' }],
    });
  });

  it.each([
    { oab: 'SP:123456' },
    { oab: { numero: '123456', uf: 'SP' } },
    { numero: 123456, estado: 'SP' },
    { oab_numero: '123456', oab_estado: 'SP' },
    { oabNumero: '123456', oabUf: 'sp' },
    { oab: '123456', uf: 'SP' },
    { oabs: ['SP:123456'] },
    { oabs: ['RJ:9', '123456/SP'] },
    { oabs: 'RJ:9,SP:123456' },
    { oabs: [{ numero: '123456', uf: 'SP' }] },
    { oab: 'RJ:9', oabs: [{ oab: 'SP:123456' }] },
  ])('with the registration in %j creates no second monitor', async (registration) => {
    body = () => ({ data: { items: [{ id: '7', ...registration, status: 'ATIVO' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: [], update: [] });
  });

  it('with an unreadable registration that may be the requested one creates no monitor', async () => {
    body = () => ({ data: { items: [{ id: '7', inscricao: { valor: '123456' }, status: 'ATIVO' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('SP:123456') as string });
    body = () => ({ data: { items: [{ id: '7', oabs: ['RJ:9', { inscricao: '123456' }], status: 'ATIVO' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('SP:123456') as string });
    body = () => ({ data: { items: [{ id: '1234567', inscricao: { valor: '99' }, status: 'ATIVO' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
  });

  it('with a registration that has one more letter creates no monitor while that one may bill', async () => {
    const listed = (status: string) => ({ data: { items: [{ id: '7', oab: '123456-A/SP', status }] } });
    body = () => listed('ATIVO');
    expect(await plan(1)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('SP:123456') as string });
    body = () => listed('desativada');
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
    body = () => ({ data: { items: [{ id: '7', oabs: ['SP:123456-A', 'SP:123456'], status: 'ATIVO' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: [] });
  });

  it('with a point in the number or the status in "situacao" is read, and creates no second monitor', async () => {
    body = () => ({ data: { items: [{ id: '7', oab: 'OAB/SP 123.456', situacao: 'Ativo' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: [], monitors: [{ id: '7' }] });
    body = () => ({ data: { items: [{ id: '7', oab: 'OAB/SP 123.456', situacao: 'Inativo' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'], activates: true });
    // The state of the registration is missing.
    body = () => ({ data: { items: [{ id: '7', inscricao: 'no 123.456', status: 'ATIVO' }] } });
    expect(await plan(1)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('bill twice') as string });
  });

  it('with a monitor of several registrations needs one update and names the monitor once', async () => {
    body = () => ({ data: { items: [{ id: '7', oabs: ['SP:123456', 'RJ:9'], status: 'ATIVO', webhook_url: 'x' }] } });
    expect(await plan(1, undefined, ['SP:123456', 'RJ:9'])).toMatchObject({
      kind: 'plan',
      create: [],
      update: [],
      monitors: [{ id: '7' }],
    });
    const request = { ...ASKED, oabs: ['SP:123456', 'RJ:9'], terms: ['Acme'] };
    expect(await planNoticeMonitor(world.depsAt(url), request, ASKER)).toMatchObject({ update: ['SP:123456'] });
  });

  it('under an unknown name is found when it is the only list of records', async () => {
    const items = [
      { id: 'r1', oab: 'SP:1', status: 'ATIVO' },
      { id: 'r2', oab: 'SP:123456', status: 'ATIVO' },
    ];
    body = () => ({ data: { status: 'ok', assinaturas: items, avisos: ['x'], pagination: { total: 2, pages: 1 } } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: [], monitors: [{ id: 'r2' }] });
    const audit = await auditMonitors(world.depsAt(url), { account: 'default' }, ASKER);
    expect(audit.kind === 'report' && audit.orphans.map(({ id }) => id)).toEqual(['r1', 'r2', 'r1', 'r2']);
    body = () => ({ data: { assinaturas: [], pagination: { total: 0 } } });
    expect(await plan(1)).toMatchObject({ kind: 'plan', create: ['SP:123456'] });
  });

  it('that is a single monitor with a list in it is read as that monitor', async () => {
    for (const origens of [[], [{ id: 1, nome: 'DJSP' }]]) {
      body = () => ({ data: { oab_numero: '123456', oab_estado: 'SP', status: 'ATIVO', origens } });
      expect(await plan(1)).toMatchObject({ kind: 'plan', create: [] });
      body = () => ({ data: { id: '7', inscricao: '123456', status: 'ATIVO', origens } });
      expect(await plan(1)).toMatchObject({ kind: 'refused' });
    }
  });

  it.each([
    { status: 'ATIVA', planned: { kind: 'plan', create: [] }, orphans: ['7', '7'] },
    { status: 'desativada', planned: { kind: 'plan', create: ['SP:123456'], activates: true }, orphans: [] },
    { status: 'monitorando', planned: { kind: 'refused', status: 200 }, orphans: ['7', '7'] },
  ])(
    'with a monitor of status $status creates nothing beside a monitor that may bill',
    async ({ status, planned, orphans }) => {
      body = () => ({ data: { items: [{ id: '7', numero: '123456', estado: 'SP', status }], total: 1 } });
      expect(await plan(1)).toMatchObject(planned);
      const audit = await auditMonitors(world.depsAt(url), { account: 'default' }, ASKER);
      expect(audit.kind === 'report' && audit.orphans.map(({ id }) => id)).toEqual(orphans);
    },
  );

  it('that is slow leaves time for the other listing, so an audit of both ends within its attempt', async () => {
    const deps = world.depsAt(url);
    let nowMs = deps.clock.nowMs();
    const endsAtMs = nowMs + 60_000;
    let lastBegunMs = 0;
    body = (page) => {
      lastBegunMs = nowMs;
      nowMs += 10_000;
      return endless(page);
    };
    const slow = { ...deps, clock: { ...deps.clock, nowMs: () => nowMs } };
    const audit = await auditMonitors(slow, { account: 'default' }, ASKER);
    expect(audit).toMatchObject({ kind: 'report' });
    expect(lastBegunMs).toBeLessThanOrEqual(endsAtMs - 20_000);
    const kinds = audit.kind === 'report' ? audit.orphans.map(({ kind }) => kind) : [];
    expect([...new Set(kinds)].sort()).toEqual(['notices', 'radar']);
  });

  it('of very many monitors gives an audit that names some, counts all and says that it is truncated', async () => {
    const status = 'x'.repeat(1_000);
    body = () => ({
      data: Array.from({ length: 3_000 }, (_none, place) => ({ id: `m${place}`, status })),
      total: 3_000,
    });
    const audit = await auditMonitors(world.depsAt(url), { account: 'default' }, ASKER);
    expect(audit).toMatchObject({ kind: 'report', counts: { orphans: 6_000, missing: 0 }, truncated: true });
    expect(JSON.stringify(audit).length).toBeLessThan(256_000);
  });

  it('of a service that is away is waited for half an hour, and then given up', async () => {
    const away = (attempt: number): Promise<unknown> =>
      planNoticeMonitor(world.depsAt('http://127.0.0.1:9'), ASKED, { ...ASKER, attempt });
    await expect(away(179)).rejects.toMatchObject({ type: 'NotYet' });
    expect(await away(180)).toMatchObject({ kind: 'refused', status: 0, isAway: true });
  });

  it('that shows a monitor of ours as off gives an audit in which it is missing, with the status of the listing', async () => {
    const deps = world.depsAt(url);
    const ours = { account: 'default', kind: 'notices', reference: null, active: true, status: 'ATIVO' } as const;
    for (const id of ['off-1', 'gone-1']) {
      await deps.monitors.save({ ...ours, id, intentId: null, data: {}, nowMs: deps.clock.nowMs() });
    }
    body = () => ({
      data: { items: [{ id: 'off-1', numero: '123456', estado: 'SP', status: 'INATIVO' }], total: 1 },
    });
    const audit = await auditMonitors(deps, { account: 'default' }, ASKER);
    const missing = audit.kind === 'report' ? audit.missing.map(({ id, status }) => [id, status]) : [];
    expect(missing.sort()).toEqual([
      ['gone-1', 'ATIVO'],
      ['off-1', 'INATIVO'],
    ]);
  });

  it('that has charged is in the answer if the account has to wait before the other listing', async () => {
    const deps = world.depsAt(url);
    delayMs = 200;
    let held: Promise<void> | undefined;
    body = () => {
      held = deps.ledger.throttle('default', deps.clock.nowMs() + 60_000);
      return { data: [], meta: { creditsCharged: 0.5 } };
    };
    expect(await auditMonitors(deps, { account: 'default' }, ASKER)).toMatchObject({
      kind: 'refused',
      isAway: true,
      charges: [{ operation: 'listNoticeMonitors', amount: '0.5' }],
    });
    await held;
    expect(pages).toBe(1);
  });
});

describe('showsTheSame for a monitor that the listing shows differently than requested', () => {
  const asked = { oabs: ['SP:123456'], terms: ['Acme'], webhookUrl: 'https://hooks.example.com/n' };
  const then = { termos_auxiliares: ['ACME'], webhook: { url: 'https://hooks.example.com/n/' } };

  it.each([
    [{}, true],
    [{ termosAuxiliares: ['ACME'] }, true],
    [{ termos_auxiliares: ['ACME'], webhook_url: 'https://hooks.example.com/n/' }, true],
    [{ termos_auxiliares: ['ACME', 'Beta'] }, false],
    [{ termos_auxiliares: null }, false],
    [{ webhookUrl: 'https://elsewhere.example.com' }, false],
    [{ webhook: { url: null } }, false],
    [{ callbackEnabled: false }, false],
    [{ origensIds: [7] }, true],
  ])('compares %j with the answer to our call: %s', (now, isSame) => {
    expect(showsTheSame(asked, { now, then })).toBe(isSame);
  });
});
