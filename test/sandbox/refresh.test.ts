/** The refresh of a case through real HTTP: 202, polls, reproduced final, status record, personas, dialects. */
import { sha256Hex } from '../../sandbox/derive.js';
import { PERSONAS } from '../../sandbox/index.js';
import { readPending, readRefreshStatus, readMeta, DEFAULT_GAPS } from '../../src/contract/index.js';
import { anyText, textLike, closeSandboxes, HAPPY, KEY, paths, refreshed, start, until } from './support/client.js';

afterEach(closeSandboxes);

const cnjOf = (name: string): string => PERSONAS.find((persona) => persona.name === name)!.cnj;

test('a refresh is charged once, answers 202 with poll hints, and gives every later poll the same final answer', async () => {
  const sandbox = await start({ refreshMs: 60_000, pollAfterMs: 1_500 });
  const sentAtMs = Date.now();
  const accepted = await sandbox.post(paths.refresh(HAPPY));
  expect(accepted.status).toBe(202);
  const { data, meta } = accepted.json;
  expect(data).toMatchObject({ status: 'PROCESSANDO', pollAfterMs: 1_500, pollAfterSeconds: 2 });
  expect(data.statusUrl).toBe(`${sandbox.url}${paths.request(data.requestId)}`);
  expect(Date.parse(data.nextPollAt)).toBeGreaterThan(sentAtMs);
  expect(accepted.headers).toMatchObject({ location: data.statusUrl, 'retry-after': '2' });
  expect(meta).toEqual({
    creditsCharged: 0.1,
    creditsRemaining: 999.9,
    requestId: anyText,
    searchLogId: anyText,
    servedAt: textLike(/^\d\d:\d\d:\d\d$/),
  });
  const running = await sandbox.get(paths.request(data.requestId));
  expect(running.status).toBe(202);
  expect(readMeta(running.json)).toMatchObject({ charged: 0, searchLogId: null });
  await sandbox.control('/clock', { advanceMs: 60_000 });

  const final = await until(
    () => sandbox.get(paths.request(data.requestId)),
    (reply) => reply.status !== 202,
  );
  expect(final.status).toBe(200);
  expect(final.json.data).toMatchObject({ requestId: data.requestId, status: 'SUCESSO' });
  expect(final.json.meta).toMatchObject({
    creditsCharged: 0.1,
    requestId: meta.requestId,
    searchLogId: meta.searchLogId,
  });
  const again = await sandbox.get(paths.request(data.requestId));
  expect(again.bytes.equals(final.bytes)).toBe(true);

  const charges = await sandbox.charges();
  expect(charges).toHaveLength(1);
  expect(charges[0]).toMatchObject({
    operation: 'requestRefresh',
    subject: { cnj: HAPPY.replace(/\D/g, '') },
    amount: 1_000,
    requestId: data.requestId,
    bodySha256: sha256Hex(final.bytes),
    flushed: 'all',
  });
});

test('the contract reads the pending answer and the status of a refresh', async () => {
  const sandbox = await start({ refreshMs: 0 });
  const accepted = await sandbox.post(paths.refresh(HAPPY));
  const pending = readPending(accepted.json, accepted.headers.location);
  expect(pending).toMatchObject({ requestId: accepted.json.data.requestId, hints: { pollAfterMs: 1_000 } });
  const status = await until(
    () => sandbox.get(paths.status(HAPPY)),
    (reply) => reply.json.data.data_ultima_verificacao !== null,
  );
  expect(readRefreshStatus(status.json, DEFAULT_GAPS)).toMatchObject({ state: 'done', requestId: pending.requestId });
});

test('two POSTs are two refreshes and two charges', async () => {
  const sandbox = await start();
  const [first, second] = await Promise.all([sandbox.post(paths.refresh(HAPPY)), sandbox.post(paths.refresh(HAPPY))]);
  expect(first.json.data.requestId).not.toBe(second.json.data.requestId);
  expect(await sandbox.charges()).toHaveLength(2);
});

test.each([
  ['a number that is too short', '1000001-51.2026.8.26.010', 422, 'INVALID_CNJ'],
  ['wrong check digits', '1000001-15.2026.8.26.0100', 422, 'INVALID_CNJ'],
  ['the all-zero probe', '0000000-00.0000.0.00.0000', 422, 'INVALID_CNJ'],
  ['an unknown case', '0000001-18.1999.8.01.0001', 404, 'CASE_NOT_FOUND'],
])('%s is refused and costs nothing', async (_title, cnj, status, code) => {
  const sandbox = await start();
  const reply = await sandbox.post(paths.refresh(cnj));
  expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  expect(await sandbox.charges()).toEqual([]);
});

test('a case number is accepted formatted, as bare digits and percent-encoded', async () => {
  const sandbox = await start();
  for (const cnj of [HAPPY, HAPPY.replace(/\D/g, ''), HAPPY.replace(/-/g, '%2D')]) {
    expect((await sandbox.post(paths.refresh(cnj))).status).toBe(202);
  }
});

test('a request id that is unknown, malformed or of another key answers 404', async () => {
  const sandbox = await start();
  const accepted = await sandbox.post(paths.refresh(HAPPY));
  const unknown = await sandbox.get(paths.request('00000000-0000-4000-8000-000000000000'));
  expect([unknown.status, unknown.json.error.code]).toEqual([404, 'REQUEST_NOT_FOUND']);
  expect((await sandbox.get(paths.request('not-a-uuid'))).status).toBe(404);
  const foreign = await sandbox.get(paths.request(accepted.json.data.requestId), { 'x-api-key': 'empty-key' });
  expect(foreign.status).toBe(404);
});

test.each([
  ['not-found-end', 'NAO_ENCONTRADO', 200],
  ['error-end', 'ERRO', 200],
  ['final-500', 'ERRO', 500],
])('persona %s ends with status %s and HTTP %i', async (name, word, status) => {
  const sandbox = await start({ refreshMs: 30 });
  const requestId = await refreshed(sandbox, cnjOf(name), '');
  expect((await sandbox.get(paths.request(requestId))).status).toBe(status);
  expect((await sandbox.get(paths.status(cnjOf(name)))).json.data.ultima_verificacao.status).toBe(word);
  expect(await sandbox.charges()).toHaveLength(1);
});

test('persona never-ends is still running after a year, and slow takes its configured time', async () => {
  const sandbox = await start({ refreshMs: 10, slowRefreshMs: 60_000 });
  const never = await sandbox.post(paths.refresh(cnjOf('never-ends')));
  const slow = await sandbox.post(paths.refresh(cnjOf('slow')));
  const slowId = slow.json.data.requestId;
  await sandbox.control('/clock', { advanceMs: 30_000 });
  expect((await sandbox.get(paths.request(slowId))).status).toBe(202);
  await sandbox.control('/clock', { advanceMs: 30_000 });
  expect((await sandbox.get(paths.request(slowId))).status).toBe(200);
  await sandbox.control('/clock', { advanceMs: 365 * 86_400_000 });
  expect((await sandbox.get(paths.request(never.json.data.requestId))).status).toBe(202);
});

test('persona no-documents-court refuses the documents flag without a charge, and refreshes without it', async () => {
  const sandbox = await start();
  const cnj = cnjOf('no-documents-court');
  const refused = await sandbox.post(`${paths.refresh(cnj)}?documentos_publicos=true`);
  expect([refused.status, refused.json.error.code]).toEqual([422, 'PUBLIC_DOCUMENTS_NOT_SUPPORTED']);
  expect(await sandbox.charges()).toEqual([]);
  expect((await sandbox.post(paths.refresh(cnj))).status).toBe(202);
});

test('the status shows the previous success, then the running refresh, then its end', async () => {
  const sandbox = await start({ refreshMs: 60_000 });
  const cnj = cnjOf('yesterday');
  const record = async () => (await sandbox.get(paths.status(cnj))).json.data;
  const before = await record();
  expect(before.ultima_verificacao.status).toBe('SUCESSO');
  expect(Date.parse(before.ultima_verificacao.concluido_em)).toBeLessThan(Date.now() - 80_000_000);
  const { requestId } = (await sandbox.post(paths.refresh(cnj))).json.data;
  const during = await record();
  expect(during.ultima_verificacao).toMatchObject({ id: requestId, status: 'PENDENTE', concluido_em: null });
  expect(during.data_ultima_verificacao).toBe(before.data_ultima_verificacao);
  await sandbox.control('/clock', { advanceMs: 60_000 });
  const after = await record();
  expect(after.ultima_verificacao).toMatchObject({ id: requestId, status: 'SUCESSO' });
  expect(after.data_ultima_verificacao).toBe(after.ultima_verificacao.concluido_em);
});

test('a case that was never refreshed has an empty status record', async () => {
  const sandbox = await start();
  const { data } = (await sandbox.get(paths.status(HAPPY))).json;
  expect(data).toEqual({ numero_cnj: HAPPY, data_ultima_verificacao: null, ultima_verificacao: null });
});

describe('refresh dialects', () => {
  test('debit at completion charges nothing at the 202 and once at the end, as the final answer reports', async () => {
    const sandbox = await start({ refreshMs: 60_000, dialect: { debitAt: 'completion' } });
    const accepted = await sandbox.post(paths.refresh(HAPPY));
    expect(accepted.json.meta).toMatchObject({ creditsCharged: 0, creditsRemaining: 1_000, searchLogId: null });
    expect(await sandbox.charges()).toEqual([]);
    await sandbox.control('/clock', { advanceMs: 60_000 });
    const final = await sandbox.get(paths.request(accepted.json.data.requestId));
    expect(final.json.meta).toMatchObject({ creditsCharged: 0.1, creditsRemaining: 999.9 });
    expect(await sandbox.charges()).toMatchObject([{ amount: 1_000, bodySha256: sha256Hex(final.bytes) }]);
  });

  test('debit at completion reserves the price of running work, so the balance never goes below zero', async () => {
    const sandbox = await start({ openingBalance: '0.15', dialect: { debitAt: 'completion' } });
    expect((await sandbox.post(paths.refresh(HAPPY))).status).toBe(202);
    expect((await sandbox.post(paths.refresh(HAPPY))).status).toBe(402);
  });

  test('pendingIdIn location puts the id of pending work in the Location header only', async () => {
    const sandbox = await start({ dialect: { pendingIdIn: 'location' } });
    const accepted = await sandbox.post(paths.refresh(HAPPY));
    expect(accepted.json.data).not.toHaveProperty('requestId');
    expect(accepted.json.data).not.toHaveProperty('statusUrl');
    expect(readPending(accepted.json, accepted.headers.location).requestId).toBeDefined();
  });

  test('records as-spec spells the status record in camel case', async () => {
    const sandbox = await start({ refreshMs: 0, dialect: { records: 'as-spec' } });
    await refreshed(sandbox, HAPPY);
    const { data } = (await sandbox.get(paths.status(HAPPY))).json;
    expect(data).toMatchObject({ numeroCnj: HAPPY, status: 'SUCESSO', ultimaVerificacao: { status: 'SUCESSO' } });
    expect(data).not.toHaveProperty('numero_cnj');
  });

  test('statusIdIs number shows a number in the status instead of the request id', async () => {
    const sandbox = await start({ dialect: { statusIdIs: 'number' } });
    await sandbox.post(paths.refresh(HAPPY));
    expect((await sandbox.get(paths.status(HAPPY))).json.data.ultima_verificacao.id).toEqual(
      expect.any(Number) as unknown,
    );
  });

  test('statusLagMs shows the previous success until that time after the request is final', async () => {
    const sandbox = await start({ refreshMs: 10_000, dialect: { statusLagMs: 30_000 } });
    const cnj = cnjOf('yesterday');
    const record = async () => (await sandbox.get(paths.status(cnj))).json.data.ultima_verificacao;
    const yesterday = await record();
    const { requestId } = (await sandbox.post(paths.refresh(cnj))).json.data;
    expect(await record()).toEqual(yesterday);
    await sandbox.control('/clock', { advanceMs: 20_000 });
    expect((await sandbox.get(paths.request(requestId))).status).toBe(200);
    expect(await record()).toEqual(yesterday);
    await sandbox.control('/clock', { advanceMs: 20_000 });
    expect((await record()).id).toBe(requestId);
  });

  test('emptyBody refuse answers an empty POST body with 400 and no charge', async () => {
    const sandbox = await start({ dialect: { emptyBody: 'refuse' } });
    const bare = await sandbox.post(paths.refresh(HAPPY), '');
    expect([bare.status, await sandbox.charges()]).toEqual([400, []]);
  });
});

test('a body that is not a JSON object is refused with 400', async () => {
  const sandbox = await start();
  for (const body of ['{', '[]', 'null']) expect((await sandbox.post(paths.refresh(HAPPY), body)).status).toBe(400);
});

test.each([
  ['documentos_publicos', '?documentos_publicos=true', {}],
  ['documentos_publicos', '?documentos_publicos=1', {}],
  ['documentos_publicos', '', { documentos_publicos: 1 }],
  ['documentos_publicos', '', { documentos_publicos: true }],
  ['documentos_publicos', '', { documentos_publicos: 'true' }],
])('the flag %s is read from query %j and body %j', async (_name, query, body) => {
  const sandbox = await start({ refreshMs: 0 });
  const { requestId } = (await sandbox.post(paths.refresh(HAPPY) + query, body)).json.data;
  await until(
    () => sandbox.get(paths.request(requestId)),
    (reply) => reply.status === 200,
  );
  expect((await sandbox.get(paths.documents(HAPPY))).status).toBe(200);
});

test('documentos_publicos=0 turns the documents flag off', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await refreshed(sandbox, HAPPY, '?documentos_publicos=0');
  expect((await sandbox.get(paths.documents(HAPPY))).status).toBe(422);
});

test('the Date header follows the sandbox’s clock', async () => {
  const sandbox = await start();
  await sandbox.control('/clock', { advanceMs: 7_200_000 });
  const { headers } = await sandbox.get('/v1', KEY);
  expect(Date.parse(headers.date ?? '') - Date.now()).toBeGreaterThan(7_000_000);
});
