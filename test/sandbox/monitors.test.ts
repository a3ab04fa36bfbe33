/** Monitors on the sandbox's clock, which the tests advance: what each month costs, what they send and how they end. */
import type { Monitor } from '../../sandbox/index.js';
import { readNoticeMonitors } from '../../src/contract/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { dataOf, HOOK, sendCall } from './support/calls.js';
import { closeSandboxes, HAPPY, start, startReceiver, type Caller, type Reply } from './support/client.js';

afterEach(closeSandboxes);

const DAY_MS = 86_400_000;
const MONITORS = '/v1/intimacoes/oab';
const createMonitor = (sandbox: Caller, body: object): Promise<Reply> => sandbox.post(MONITORS, body);
const advanceDays = (sandbox: Caller, count: number): Promise<Reply> =>
  sandbox.control('/clock', { advanceMs: count * DAY_MS });
const booked = async (sandbox: Caller) =>
  (await sandbox.charges()).map(({ operation, reason, amount }) => [operation, reason, amount]);
const idOf = (reply: Reply): string => (dataOf(reply) as { id: string }).id;

test('a notice monitor costs 0.90 per registration every 30 days, and creating it again is free', async () => {
  const sandbox = await start();
  const actions = (reply: Reply) =>
    (dataOf(reply) as { monitoramentos: { acao: string; reused: boolean }[] }).monitoramentos.map(({ acao }) => acao);
  const first = await createMonitor(sandbox, { oabs: ['SP:123456', 'RJ:7', 'SP:0123456'] });
  expect(actions(first)).toEqual(['created', 'created']);
  expect(first.json.meta.creditsCharged).toBe(1.8);
  const again = await createMonitor(sandbox, { oabs: ['SP:123456'] });
  expect([actions(again), again.json.meta.creditsCharged, again.json.meta.searchLogId]).toEqual([
    ['unchanged'],
    0,
    null,
  ]);
  await advanceDays(sandbox, 61);
  const recurring = ['createNoticeMonitor', 'recurring', 9_000];
  expect(await booked(sandbox)).toEqual([
    ['createNoticeMonitor', 'answer', 18_000],
    recurring,
    recurring,
    recurring,
    recurring,
  ]);
});

test('recurring debits fall every 30 days, however far the clock is advanced at once', async () => {
  const sandbox = await start();
  await createMonitor(sandbox, { oabs: ['SP:1'] });
  const [first] = await sandbox.charges();
  await advanceDays(sandbox, 365);
  const gaps = (await sandbox.charges()).map(({ at }) => (Date.parse(at) - Date.parse(first!.at)) / DAY_MS);
  expect(gaps.map((gap) => Math.round(gap * 100) / 100)).toEqual(Array.from({ length: 13 }, (_, month) => month * 30));
});

test('a monitor becomes inactive when the account cannot pay, and creating it again answers 402', async () => {
  const sandbox = await start({ openingBalance: '2' });
  await createMonitor(sandbox, { oabs: ['SP:1'] });
  await advanceDays(sandbox, 200);
  expect(await sandbox.charges()).toHaveLength(2);
  const listed = await sandbox.get(`${MONITORS}?page=1&limit=10`);
  expect(readNoticeMonitors(listed.json)?.monitors).toHaveLength(1);
  expect(dataOf(listed)).toMatchObject({ items: [{ status: 'INACTIVE', cobranca: { status: 'INADIMPLENTE' } }] });
  expect((await createMonitor(sandbox, { oabs: ['SP:1'] })).status).toBe(402);
});

test('PUT answers 404 without a monitor, changes only the given settings, and is free', async () => {
  const sandbox = await start();
  const put = (body: object, query = '?oab_estado=SP&oab_numero=1') =>
    sendCall(sandbox, { operation: 'updateNoticeMonitor', method: 'PUT', path: MONITORS + query, body });
  expect((await put({})).status).toBe(404);
  await createMonitor(sandbox, { oabs: ['SP:1'], webhook_url: HOOK, origens_ids: [4] });
  const changed = await put({ termos_auxiliares: ['um'] });
  expect(dataOf(changed)).toMatchObject({
    webhook_url: HOOK,
    termos_auxiliares: ['um'],
    origens_ids: [4],
    callback: { enabled: true },
  });
  expect(dataOf(await put({ oab_estado: 'SP', oab_numero: 1, webhook_url: `${HOOK}/2` }, ''))).toMatchObject({
    webhook_url: `${HOOK}/2`,
  });
  expect(dataOf(await sandbox.get(MONITORS))).toMatchObject({ total: 1 });
  expect(await sandbox.charges()).toHaveLength(1);
});

test.each([
  'http://hooks.example.test/x',
  'https://127.0.0.1/x',
  'https://10.1.2.3/x',
  'https://localhost/x',
  'https://u:p@a.test/',
  'ftp://a.test',
  'x',
  7,
  {},
])(
  'webhook_url %j is refused with INVALID_WEBHOOK_URL for every monitor type, and nothing is charged',
  async (webhook_url) => {
    const sandbox = await start();
    const replies = [
      await createMonitor(sandbox, { oabs: ['SP:1'], webhook_url }),
      await sandbox.post('/v1/monitoramentos/novos-processos', { termo: 'x', webhook_url }),
      await sandbox.post('/v1/monitoramentos/processos', { numero_cnj: HAPPY, webhook_url }),
    ];
    expect(replies.map(({ status, json }) => [status, json.error.code])).toEqual(
      replies.map(() => [422, 'INVALID_WEBHOOK_URL']),
    );
    expect(await sandbox.charges()).toEqual([]);
  },
);

test.each([
  ['either', [200, 200]],
  ['list', [200, 422]],
  ['flat', [422, 200]],
] as const)('dialect oabsIn %s decides which forms of registration are accepted', async (oabsIn, statuses) => {
  const sandbox = await start({ dialect: { oabsIn } });
  const replies = [
    await createMonitor(sandbox, { oabs: ['SP:1'] }),
    await createMonitor(sandbox, { oab_estado: 'SP', oab_numero: 2 }),
  ];
  expect(replies.map(({ status }) => status)).toEqual(statuses);
});

test('DELETE ends an administrative monitor and its debits, and may be repeated', async () => {
  const sandbox = await start();
  const monitor = (await sandbox.control('/monitors', { nup: '08000.123456/2026-04' })).json as unknown as Monitor;
  const deactivate = () =>
    sendCall(sandbox, {
      operation: '',
      method: 'DELETE',
      path: `/v1/monitoramentos/processos-administrativos/${monitor.id}`,
    });
  await advanceDays(sandbox, 31);
  expect(await booked(sandbox)).toEqual([['deactivateAdminMonitor', 'recurring', 10_000]]);
  expect([(await deactivate()).status, (await deactivate()).status]).toEqual([200, 200]);
  await advanceDays(sandbox, 90);
  expect(await sandbox.charges()).toHaveLength(1);
  const other = await sandbox.post('/v1/monitoramentos/processos', { numero_cnj: HAPPY });
  const foreign = await sendCall(sandbox, {
    operation: '',
    method: 'DELETE',
    path: `/v1/monitoramentos/processos-administrativos/${idOf(other)}`,
  });
  expect(foreign.status).toBe(404);
});

test('an active monitor sends each notice to its webhook in the morning, and the list has the same notices', async () => {
  const receiver = await startReceiver();
  const sandbox = await start({ webhookHostMap: { 'hooks.example.test': receiver.origin } });
  await createMonitor(sandbox, { oabs: ['SP:100001'], webhook_url: HOOK });
  const since = (await sandbox.control('/clock')).json.now;
  // Longer than the court recess, in which there are no notices.
  await advanceDays(sandbox, 28);
  const sent = receiver.received.map(
    ({ body }) => (JSON.parse(body.toString()) as { data: { intimacaoId: string } }).data.intimacaoId,
  );
  const civil = new Date(Date.parse(since) - 3 * 3_600_000).toISOString();
  const desde =
    civil.slice(11) < '07:00' ? civil.slice(0, 10) : new Date(Date.parse(civil) + DAY_MS).toISOString().slice(0, 10);
  const { intimacoes } = dataOf(await sandbox.get(`/v1/intimacoes?oabs=SP:100001&desde=${desde}`)) as {
    intimacoes: { id: string; dataDisponibilizacao: string }[];
  };
  const now = new Date(Date.parse((await sandbox.control('/clock')).json.now) - 3 * 3_600_000).toISOString();
  const due = intimacoes.filter((notice) => notice.dataDisponibilizacao < now.slice(0, 10) || now.slice(11) > '07:00');
  expect(sent.length).toBeGreaterThan(0);
  expect(new Set(sent)).toEqual(new Set(due.map(({ id }) => id)));
});

test('a failing webhook is retried after 2, 4, 8 … 120 minutes, also when the clock advances a day at once', async () => {
  const receiver = await startReceiver();
  receiver.answer(...Array.from({ length: 20 }, () => 500));
  const sandbox = await start({ refreshMs: 0, webhook: { url: receiver.url } });
  await sandbox.post(`/v1/processos/cnj/${HAPPY}/solicitar-atualizacao?enviar_callback=true`);
  await sandbox.control('/clock', { advanceMs: DAY_MS });
  const [delivery] = (await sandbox.control('/events')).json.deliveries;
  expect(delivery).toMatchObject({ state: 'given up' });
  const times = delivery!.attempts.map(({ at }) => Date.parse(at));
  const minutes = times.slice(1).map((time, index) => Math.round((time - times[index]!) / 60_000));
  expect(minutes).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120, 120]);
});

test('a webhook_url that is not mapped to this machine is not called, and the delivery says so', async () => {
  const sandbox = await start();
  await sandbox.post('/v1/monitoramentos/novos-processos', {
    termo: 'x',
    webhook_url: 'https://elsewhere.example.test/in',
  });
  await advanceDays(sandbox, 8);
  expect((await sandbox.control('/events')).json.deliveries).toMatchObject([
    { event: 'novo_processo', state: 'not called' },
  ]);
});

test('the control interface can delay events and send probes with the all-zero case number', async () => {
  const receiver = await startReceiver();
  const sandbox = await start({ refreshMs: 0, webhook: { url: receiver.url } });
  await sandbox.control('/events', { action: 'late', delayMs: 3_600_000 });
  await sandbox.post(`/v1/processos/cnj/${HAPPY}/solicitar-atualizacao?enviar_callback=true`);
  await sandbox.control('/clock', { advanceMs: 3_000_000 });
  expect(receiver.received).toEqual([]);
  await sandbox.control('/clock', { advanceMs: 3_600_000 });
  expect(receiver.received).toHaveLength(1);
  await sandbox.control('/events', { action: 'probe' });
  expect(receiver.received[1]!.body.toString()).toContain('0000000-00.0000.0.00.0000');
});

test('monitors, their debits and a growing coverage survive a restart', async () => {
  const dataDir = temporaryFolder('sandbox');
  const before = await start({ dataDir, coverageMs: 400 });
  await createMonitor(before, { oabs: ['SP:1'] });
  await before.get('/v1/advogados/processos?oab_estado=SP&oab_numero=123456');
  await closeSandboxes();
  const after = await start({ dataDir, coverageMs: 400 });
  expect(dataOf(await after.get(MONITORS))).toMatchObject({ total: 1, items: [{ status: 'ACTIVE' }] });
  await advanceDays(after, 31);
  expect((await booked(after)).map(([, reason]) => reason)).toEqual(['answer', 'answer', 'recurring']);
  const list = await after.get('/v1/advogados/processos?oab_estado=SP&oab_numero=123456');
  expect(dataOf(list)).toMatchObject({ cobertura: { completa: true } });
});
