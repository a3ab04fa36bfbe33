/** Every fault on a real socket: what the client sees, that it is counted, and that the charge book records its charge. */
import { gunzipSync } from 'node:zlib';
import { PERSONAS } from '../../sandbox/index.js';
import { formatCnj } from '../../src/contract/index.js';
import {
  anyText,
  closeSandboxes,
  HAPPY,
  KEY,
  paths,
  refreshed,
  send,
  start,
  until,
  type Reply,
} from './support/client.js';
import { arm, firedFaults, refresh } from './support/arm.js';

afterEach(closeSandboxes);

interface Expectation {
  readonly fault: object;
  /** Checks the part of the answer that reaches the client. */
  readonly expectReply: (reply: Reply) => void;
  readonly charges: 0 | 1;
  readonly flushed: 'none' | 'part' | 'all';
}
const expectNoHead = (reply: Reply): void => expect(reply).toMatchObject({ status: 0, code: 'ECONNRESET' });
const expectCutBody = (reply: Reply): void => {
  expect(reply).toMatchObject({ status: 202, complete: false });
  expect(reply.bytes.length).toBeGreaterThan(0);
};

const CASES: readonly (readonly [string, Expectation])[] = [
  ['F1', { fault: { fault: 'F1' }, expectReply: expectNoHead, charges: 0, flushed: 'none' }],
  ['F3', { fault: { fault: 'F3' }, expectReply: expectNoHead, charges: 0, flushed: 'none' }],
  ['F4', { fault: { fault: 'F4' }, expectReply: expectNoHead, charges: 1, flushed: 'none' }],
  [
    'F5',
    {
      fault: { fault: 'F5' },
      expectReply: (reply) => expect(reply).toMatchObject({ status: 0 }),
      charges: 1,
      flushed: 'part',
    },
  ],
  ['F6 length', { fault: { fault: 'F6' }, expectReply: expectCutBody, charges: 1, flushed: 'part' }],
  ['F6 chunked', { fault: { fault: 'F6', cut: 'chunked' }, expectReply: expectCutBody, charges: 1, flushed: 'part' }],
  [
    'F6 close',
    {
      fault: { fault: 'F6', cut: 'close' },
      // Nothing but the body itself shows the damage.
      expectReply: (reply) => {
        expect(reply).toMatchObject({ status: 202, complete: true, json: undefined });
        expect(reply.headers).not.toHaveProperty('content-length');
        expect(reply.headers).not.toHaveProperty('transfer-encoding');
      },
      charges: 1,
      flushed: 'part',
    },
  ],
  [
    'F8',
    {
      fault: { fault: 'F8', everyMs: 5, bytes: 50 },
      expectReply: (reply) =>
        expect(reply).toMatchObject({ status: 202, complete: true, json: { data: { status: 'PROCESSANDO' } } }),
      charges: 1,
      flushed: 'all',
    },
  ],
  [
    'F9 500',
    {
      fault: { fault: 'F9' },
      expectReply: (reply) => expect(reply).toMatchObject({ status: 500, json: { error: { code: 'INTERNAL_ERROR' } } }),
      charges: 1,
      flushed: 'all',
    },
  ],
  [
    'F9 502',
    { fault: { fault: 'F9', status: 502 }, expectReply: (reply) => expectPage(reply, 502), charges: 1, flushed: 'all' },
  ],
  [
    'F9 504',
    { fault: { fault: 'F9', status: 504 }, expectReply: (reply) => expectPage(reply, 504), charges: 1, flushed: 'all' },
  ],
  ['F10', { fault: { fault: 'F10' }, expectReply: expectNoHead, charges: 1, flushed: 'none' }],
  ['F12 html', { fault: { fault: 'F12' }, expectReply: (reply) => expectPage(reply, 200), charges: 1, flushed: 'all' }],
  [
    'F12 gzip',
    {
      fault: { fault: 'F12', variant: 'gzip' },
      expectReply: (reply) => {
        expect(reply).toMatchObject({ status: 202, complete: true, headers: { 'content-encoding': 'gzip' } });
        expect(() => gunzipSync(reply.bytes)).toThrow(/unexpected end of file/);
      },
      charges: 1,
      flushed: 'all',
    },
  ],
  [
    'F13',
    {
      fault: { fault: 'F13' },
      expectReply: (reply) => {
        expect(reply.bytes.length).toBeGreaterThan(2 * 1_024 * 1_024);
        expect(reply.json.data).toMatchObject({ status: 'PROCESSANDO' });
      },
      charges: 1,
      flushed: 'all',
    },
  ],
  [
    'F15',
    {
      fault: { fault: 'F15', to: 'http://127.0.0.1:9' },
      expectReply: (reply) =>
        expect([reply.status, reply.headers.location]).toEqual([302, 'http://127.0.0.1:9/elsewhere']),
      charges: 1,
      flushed: 'all',
    },
  ],
  [
    'F16',
    {
      fault: { fault: 'F16', to: 'http://127.0.0.1:9' },
      expectReply: (reply) => {
        const { requestId, statusUrl } = reply.json.data;
        expect(statusUrl).toBe(`http://127.0.0.1:9/v1/requests/${requestId}`);
        expect(reply.headers.location).toBe(statusUrl);
      },
      charges: 1,
      flushed: 'all',
    },
  ],
  [
    'status 429 with Retry-After',
    {
      fault: { fault: 'status', status: 429, retryAfter: 7 },
      expectReply: (reply) => expect([reply.status, reply.headers['retry-after']]).toEqual([429, '7']),
      charges: 0,
      flushed: 'all',
    },
  ],
  [
    'status 429 without Retry-After',
    {
      fault: { fault: 'status', status: 429 },
      expectReply: (reply) => {
        expect(reply).toMatchObject({ status: 429, json: { error: { code: 'TOO_MANY_REQUESTS' } } });
        expect(reply.headers).not.toHaveProperty('retry-after');
      },
      charges: 0,
      flushed: 'all',
    },
  ],
  ...[400, 401, 403, 404, 422, 500].map((status): [string, Expectation] => [
    `status ${status}`,
    {
      fault: { fault: 'status', status },
      expectReply: (reply) => expect(reply.status).toBe(status),
      charges: 0,
      flushed: 'all',
    },
  ]),
  [
    'status with a text body',
    {
      fault: { fault: 'status', status: 400, body: 'saldo insuficiente' },
      expectReply: (reply) => expect(reply.bytes.toString()).toBe('saldo insuficiente'),
      charges: 0,
      flushed: 'all',
    },
  ],
];

function expectPage(reply: Reply, status: number): void {
  expect(reply.status).toBe(status);
  expect(reply.bytes.toString()).toMatch(/^<html>/);
}

test.each(CASES)(
  'fault %s fires once with the expected answer and charge, and the next call succeeds',
  async (_name, expected) => {
    const sandbox = await start();
    await arm(sandbox, expected.fault);
    expected.expectReply(await refresh(sandbox));
    expect((await firedFaults(sandbox)).map(([, count, left]) => [count, left])).toEqual([[1, 0]]);
    const ended = await until(
      () => sandbox.requests(),
      ([request]) => request?.flushed !== null,
    );
    expect(ended).toMatchObject([{ fault: (expected.fault as { fault: string }).fault, flushed: expected.flushed }]);
    expect(ended[0]!.charge).toBe(expected.charges === 1 ? 1 : null);
    const charges = await sandbox.charges();
    expect(charges).toHaveLength(expected.charges);
    if (expected.charges === 1) expect(charges[0]).toMatchObject({ amount: 1_000, flushed: expected.flushed });
    const balance = (await sandbox.get('/v1/conta/saldo')).json.data.credits;
    expect(balance).toBe(expected.charges === 1 ? 999.9 : 1_000);

    expect(await refresh(sandbox)).toMatchObject({ status: 202, complete: true });
    expect(await sandbox.charges()).toHaveLength(expected.charges + 1);
  },
);

test('the work of a call that fault F4 charged and lost still runs and appears in the status', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await arm(sandbox, { fault: 'F4' });
  await refresh(sandbox);
  const [charge] = await sandbox.charges();
  const status = await sandbox.get(paths.status(HAPPY));
  expect(status.json.data.ultima_verificacao.id).toBe(charge!.requestId);
});

test('fault F0 refuses connections for its duration while the control interface stays reachable', async () => {
  const sandbox = await start();
  const armed = await sandbox.control('/faults', { fault: 'F0', ms: 3_000 });
  expect(armed.json).toMatchObject({ fault: 'F0', fired: 1, left: 0 });
  expect(await refresh(sandbox)).toMatchObject({ status: 0, code: 'ECONNREFUSED' });
  expect(await sandbox.charges()).toEqual([]);
  const back = await until(
    () => refresh(sandbox),
    (reply) => reply.code !== 'ECONNREFUSED',
  );
  expect(back.status).toBe(202);
  expect(await firedFaults(sandbox)).toEqual([['F0', 1, 0]]);
});

test('fault F0 armed through the service origin refuses the very next connection, and close() still works', async () => {
  const sandbox = await start();
  const armed = await send(`${sandbox.url}/__control/faults`, { method: 'POST', body: { fault: 'F0', ms: 60_000 } });
  expect(armed.status).toBe(200);
  expect(await refresh(sandbox)).toMatchObject({ code: 'ECONNREFUSED' });
});

test('fault F7 charges a call after the client has timed out', async () => {
  const sandbox = await start();
  await arm(sandbox, { fault: 'F7', ms: 3_000 });
  const reply = await send(sandbox.url + paths.refresh(HAPPY), {
    method: 'POST',
    headers: KEY,
    body: {},
    timeoutMs: 100,
  });
  expect(reply.status).toBe(0);
  expect(await sandbox.charges()).toEqual([]);
  const charges = await until(
    () => sandbox.charges(),
    (all) => all.length === 1 && all[0]!.flushed !== null,
  );
  expect(charges[0]).toMatchObject({ amount: 1_000, flushed: 'none' });
});

test('fault F8 leaves an answer incomplete when the sandbox closes during the drip', async () => {
  const sandbox = await start();
  await arm(sandbox, { fault: 'F8', everyMs: 30, bytes: 1 });
  const call = send(sandbox.url + paths.refresh(HAPPY), { method: 'POST', headers: KEY, body: {} });
  await until(
    () => sandbox.charges(),
    (all) => all.length === 1,
  );
  await closeSandboxes();
  expect(await call).toMatchObject({ status: 202, complete: false });
});

test('fault F10 strikes only a 202, and fault F11 only the final answer of a poll', async () => {
  const sandbox = await start({ refreshMs: 60_000 });
  await arm(sandbox, { operation: '*', fault: 'F11' });
  const accepted = await refresh(sandbox);
  const poll = () => sandbox.get(paths.request(accepted.json.data.requestId));
  expect((await poll()).status).toBe(202);
  await sandbox.control('/clock', { advanceMs: 60_000 });
  expectNoHead(await poll());
  expect((await poll()).status).toBe(200);
  await arm(sandbox, { operation: '*', fault: 'F10' });
  expect((await poll()).status).toBe(200);
  expectNoHead(await refresh(sandbox));
  expect(await firedFaults(sandbox)).toEqual([
    ['F11', 1, 0],
    ['F10', 1, 0],
  ]);
  expect(await sandbox.charges()).toHaveLength(2);
});

test('fault F16 also points the links of a document list to another origin', async () => {
  const sandbox = await start({ refreshMs: 0 });
  const cnj = PERSONAS.find((persona) => persona.name === 'many-documents')!.cnj;
  await refreshed(sandbox, cnj);
  await arm(sandbox, { operation: 'listPublicDocuments', fault: 'F16', to: 'http://127.0.0.1:9' });
  const { data } = (await sandbox.get(paths.documents(cnj))).json;
  expect(new URL(data.links.next!.href).origin).toBe('http://127.0.0.1:9');
  expect(new URL(data.documentos[0]!.downloadUrl).origin).toBe('http://127.0.0.1:9');
});

test('fault F15 redirects to the documents origin by default, which logs a key that follows', async () => {
  const sandbox = await start();
  await arm(sandbox, { operation: 'getBalance', fault: 'F15' });
  const { headers } = await sandbox.get('/v1/conta/saldo');
  expect(new URL(headers.location!).origin).toBe(sandbox.documentsUrl);
  await send(headers.location!, { headers: KEY });
  expect((await sandbox.requests()).at(-1)).toMatchObject({
    origin: 'documents',
    operation: null,
    keyHash: anyText,
  });
});

test('fault F18 fails only the balance operation', async () => {
  const sandbox = await start();
  await arm(sandbox, { operation: 'getBalance', fault: 'F18', times: 2 });
  const statuses = [];
  for (let n = 0; n < 3; n += 1) statuses.push((await sandbox.get('/v1/conta/saldo')).status);
  expect(statuses).toEqual([503, 503, 200]);
  expect((await refresh(sandbox)).status).toBe(202);
});

test('fault F6 also cuts a document download', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await refreshed(sandbox, HAPPY);
  const link = (await sandbox.get(paths.documents(HAPPY))).json.data.documentos[0]!.downloadUrl;
  await arm(sandbox, { operation: 'downloadDocument', fault: 'F6' });
  expect(await send(link)).toMatchObject({ status: 200, complete: false });
  expect(await send(link)).toMatchObject({ status: 200, complete: true });
});

test('`after` skips requests, `times` limits a fault, and other operations are unaffected', async () => {
  const sandbox = await start();
  await arm(sandbox, { fault: 'status', status: 500, times: 2, after: 1 });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) {
    statuses.push((await refresh(sandbox)).status);
    expect((await sandbox.get('/v1')).status).toBe(200);
  }
  expect(statuses).toEqual([202, 500, 500, 202]);
});

test('two faults of one operation fire in order', async () => {
  const sandbox = await start();
  await arm(sandbox, { fault: 'status', status: 422 });
  await arm(sandbox, { fault: 'status', status: 429 });
  expect([(await refresh(sandbox)).status, (await refresh(sandbox)).status]).toEqual([422, 429]);
});

test('a fault with a case fires only for requests about that case, also for the polls of its work', async () => {
  const sandbox = await start({ refreshMs: 60_000 });
  const other = PERSONAS.find((persona) => persona.name === 'many-documents')!.cnj;
  const accepted = { own: await refresh(sandbox), other: await sandbox.post(paths.refresh(other)) };
  const statusesOf = async (cnj: string, { json }: Reply): Promise<readonly number[]> => {
    const answers = [paths.status(cnj), paths.request(json.data.requestId)].map((path) => sandbox.get(path));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const armed = await arm(sandbox, { operation: '*', fault: 'status', status: 503, times: 9, cnj: formatCnj(HAPPY) });
  expect(armed.json).toMatchObject({ cnj: HAPPY.replace(/\D/g, ''), left: 9 });
  expect(await statusesOf(other, accepted.other)).toEqual([200, 202]);
  expect((await sandbox.get('/v1/conta/saldo')).status).toBe(200);
  expect(await statusesOf(formatCnj(HAPPY.replace(/\D/g, '')), accepted.own)).toEqual([503, 503]);
  expect(await firedFaults(sandbox)).toEqual([['status', 2, 7]]);
});

test('a misspelt fault is refused with 400', async () => {
  const sandbox = await start();
  for (const fault of [
    { operation: 'requestRefresh', fault: 'F99' },
    { operation: 'noSuchOperation', fault: 'F4' },
    { operation: 'requestRefresh', fault: 'F4', tims: 2 },
    { operation: 'requestRefresh', fault: 'F18' },
    { operation: 'requestRefresh', fault: 'status' },
    { operation: 'requestRefresh', fault: 'F4', times: 0 },
    { operation: 'requestRefresh', fault: 'F4', cnj: '123' },
    { fault: 'F18', cnj: HAPPY },
  ]) {
    expect((await sandbox.control('/faults', fault)).status).toBe(400);
  }
});
