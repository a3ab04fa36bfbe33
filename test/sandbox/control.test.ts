/** The control interface: where it is served, the clock, and the reset. */
import { request } from 'node:http';
import { createClock } from '../../sandbox/clock.js';
import { controlOf } from '../../sandbox/control-client.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { closeSandboxes, HAPPY, paths, send, start } from './support/client.js';

afterEach(closeSandboxes);

test('the control interface is served on both origins without a key and leaves no trace in the request log', async () => {
  const sandbox = await start();
  for (const origin of [sandbox.url, sandbox.documentsUrl]) {
    for (const path of [
      '/charges',
      '/requests',
      '/faults',
      '/events',
      '/clock',
      '/monitors',
      '/tls',
      '/memory',
      '/charges/summary',
    ]) {
      expect((await send(`${origin}/__control${path}`)).status).toBe(200);
    }
  }
  expect(await sandbox.requests()).toEqual([]);
});

test.each(['evil.example', 'evil.example:8790', '127.0.0.1.evil.example', 'localhost.evil.example:80', '10.0.0.1'])(
  'the control interface refuses a request with the foreign Host %j',
  async (host) => {
    const sandbox = await start();
    for (const origin of [sandbox.url, sandbox.documentsUrl]) {
      const answer = await withHost(`${origin}/__control/charges`, host);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('FOREIGN_HOST')]);
      expect((await withHost(`${origin}/__control/webhook`, host, 'null')).status).toBe(403);
      expect((await withHost(`${origin}/%5F%5Fcontrol/charges`, host)).status).not.toBe(200);
    }
    for (const name of ['localhost', 'LOCALHOST:9', '127.0.0.1', '[::1]:8790']) {
      expect((await withHost(`${sandbox.documentsUrl}/__control/charges`, name)).status).toBe(200);
    }
  },
);

test('a refused command says in one sentence what was seen and what is expected', async () => {
  const { controlUrl } = await start();
  const control = controlOf(controlUrl);
  await expect(control('/faults', { operation: 'getCase', fault: 'F99' })).rejects.toThrow(
    /^tramita: control \/faults: 400 fault: .*'F1'.*; seen: "F99"$/,
  );
  await expect(control('/clock', { advanceMs: -1 })).rejects.toThrow(
    /^tramita: control \/clock: 400 advanceMs: .*; seen: -1$/,
  );
  await expect(control('/nope')).rejects.toThrow(/^tramita: control \/nope: 404 /);
});

function withHost(
  url: string,
  host: string,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers: { host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}

test('the sandbox listens on loopback only', async () => {
  const sandbox = await start();
  expect(new URL(sandbox.url).hostname).toBe('127.0.0.1');
  expect(new URL(sandbox.documentsUrl).hostname).toBe('127.0.0.1');
  const other = sandbox.url.replace('127.0.0.1', '127.0.0.2');
  expect(await send(`${other}/__control/charges`)).toMatchObject({ code: 'ECONNREFUSED' });
});

test('an invalid control command is refused with 400', async () => {
  const sandbox = await start();
  expect((await sandbox.control('/clock', { advanceMs: -1 })).status).toBe(400);
  expect((await sandbox.control('/clock', 'not json')).status).toBe(400);
  expect((await sandbox.control('/webhook', { url: 'nonsense' })).status).toBe(400);
  expect((await sandbox.control('/reset', { dialect: { debitAt: 'never' } })).status).toBe(400);
  expect((await sandbox.control('/reset', { corpus: 'huge' })).status).toBe(400);
  expect((await sandbox.control('/events', { action: 'explode' })).status).toBe(400);
});

test('a reset takes a new dialect and seed and clears refreshes, requests, faults and the clock', async () => {
  const sandbox = await start({ refreshMs: 60_000 });
  const accepted = await sandbox.post(paths.refresh(HAPPY));
  await sandbox.control('/faults', { operation: 'requestRefresh', fault: 'F4' });
  await sandbox.control('/clock', { advanceMs: 3_600_000 });
  const reset = await sandbox.control('/reset', { seed: 'other', dialect: { pendingIdIn: 'location' } });
  expect(reset.json).toMatchObject({ seed: 'other', dialect: { pendingIdIn: 'location', debitAt: 'answer' } });
  expect(await sandbox.charges()).toEqual([]);
  expect(await sandbox.requests()).toEqual([]);
  expect((await sandbox.control('/faults')).json.faults).toEqual([]);
  expect(Math.abs(Date.parse((await sandbox.control('/clock')).json.now) - Date.now())).toBeLessThan(60_000);
  expect((await sandbox.get(paths.request(accepted.json.data.requestId))).status).toBe(404);
  const next = await sandbox.post(paths.refresh(HAPPY));
  expect(next.json.data).not.toHaveProperty('requestId');
  expect(next.json.meta.creditsRemaining).toBe(999.9);
});

test('the charge book can be filtered by operation and by charge number', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await sandbox.get(`/v1/processos/cnj/${HAPPY}`);
  await sandbox.post(paths.refresh(HAPPY));
  await sandbox.get(`/v1/processos/cnj/${HAPPY}`);
  const numbers = async (query: string) => (await sandbox.control(`/charges${query}`)).json.charges.map(({ n }) => n);
  expect(await numbers('?operation=getCase')).toEqual([1, 3]);
  expect(await numbers('?operation=getCase&after=1')).toEqual([3]);
  expect((await sandbox.control('/charges/summary')).json).toMatchObject({ count: 3, total: '0.34', requests: 3 });
});

test('a reset survives a restart: charge numbers continue and earlier charges stay cleared', async () => {
  const dataDir = temporaryFolder('sandbox');
  const sandbox = await start({ dataDir });
  await sandbox.post(paths.refresh(HAPPY));
  await sandbox.control('/reset', {});
  await sandbox.post(paths.refresh(HAPPY));
  const before = await sandbox.charges();
  expect(before.map(({ n }) => n)).toEqual([2]);
  await closeSandboxes();
  const again = await start({ dataDir });
  expect(await again.charges()).toMatchObject([{ n: 2, flushed: 'all', requestId: before[0]!.requestId }]);
});

test('the clock runs due tasks in order of time when it is advanced, and none after it is stopped', async () => {
  const clock = createClock(() => 1_000);
  const ran: string[] = [];
  clock.at(5_000, () => void ran.push('late'));
  clock.at(2_000, () => {
    ran.push('early');
    clock.at(3_000, () => void ran.push('between'));
  });
  clock.at(9_000, () => void ran.push('never'));
  void clock.advance(500);
  expect(ran).toEqual([]);
  void clock.advance(5_000);
  expect(ran).toEqual(['early', 'between', 'late']);
  expect(clock.nowMs()).toBe(6_500);
  clock.stop();
  void clock.advance(10_000);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toHaveLength(3);
});

test('an advance of the clock waits for asynchronous tasks and also runs the tasks that they schedule', async () => {
  const clock = createClock(() => 0);
  const ranAt: number[] = [];
  const task = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    ranAt.push(clock.nowMs());
    if (ranAt.length < 5) clock.at(clock.nowMs() + 60_000, task);
  };
  clock.at(60_000, task);
  await clock.advance(600_000);
  expect(ranAt).toEqual([60_000, 120_000, 180_000, 240_000, 300_000]);
  expect(clock.nowMs()).toBe(600_000);
});

test('planted text appears in answers until it is removed, and text for documents must be one line', async () => {
  const sandbox = await start();
  const members = [
    { names: ['titulo_polo_ativo'], text: 'Maria' },
    { operation: 'listMovements', names: ['titulo_polo_passivo'], text: 'nowhere' },
  ];
  await sandbox.control('/plant', { members, document: 'a line' });
  const planted = (await sandbox.get(`/v1/processos/cnj/${HAPPY}`)).json as { data: Record<string, unknown> };
  expect(planted.data).toMatchObject({ titulo_polo_ativo: 'Maria' });
  expect(planted.data['titulo_polo_passivo']).not.toBe('nowhere');
  await sandbox.control('/plant', { members: [] });
  const plain = (await sandbox.get(`/v1/processos/cnj/${HAPPY}`)).json as { data: Record<string, unknown> };
  expect(plain.data['titulo_polo_ativo']).not.toBe('Maria');
  expect((await sandbox.control('/plant', { members: [], document: 'two\nlines' })).status).toBe(400);
});
