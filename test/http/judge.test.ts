/** `judgeExchange` and `judgePoll`, status by status: what an answer means for the charge, and what ends polling. */
import { operationOf } from '../../src/contract/index.js';
import { decideMissingKind } from '../../src/http/about-the-request.js';
import { judgeExchange, judgePoll, readExchangeMeta, type Exchange } from '../../src/http/index.js';
import { REFRESH } from './send-support.js';

const LIST = operationOf('listPublicDocuments');
const nowMs = Date.UTC(2026, 0, 1);

function got(status: number, body: unknown = '', headers: Record<string, string> = {}): Exchange {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { kind: 'answer', head: { status, headers, receivedAtMs: nowMs }, body: bytes };
}

const cut = (status: number, headers: Record<string, string> = {}): Exchange => ({
  kind: 'cut',
  head: { status, headers, receivedAtMs: nowMs },
  reason: 'the body is cut',
});

const meta = { creditsCharged: 0.05, creditsRemaining: '9.95', requestId: 'm-1', searchLogId: 7 };
const metaTail = (): Buffer => Buffer.from(`","meta":${JSON.stringify(meta)}}`);
const refusal = { error: { code: 'X', message: 'no' } };

describe('judgeExchange', () => {
  const judge = (exchange: Exchange, operation = REFRESH) => judgeExchange(operation, exchange);

  test('a well-formed 2xx is DONE with its figures', () => {
    expect(judge(got(200, { data: {}, meta }))).toMatchObject({
      outcome: 'DONE',
      meta: { charged: 500, balanceAfter: 99_500, metaRequestId: 'm-1', searchLogId: '7' },
    });
  });

  test('figures come from X-Service headers where the body has none', () => {
    const headers = { 'x-service-credits-remaining': '3.5', 'x-service-search-log-id': 'log-9' };
    expect(judge(got(200, { items: [] }, headers))).toMatchObject({
      meta: { charged: null, balanceAfter: 35_000, searchLogId: 'log-9' },
    });
  });

  test.each(['listPublicDocuments', 'listNotices', 'searchLegacy'] as const)(
    'a bare array is well formed for a list: %s',
    (id) => expect(judge(got(200, []), operationOf(id)).outcome).toBe('DONE'),
  );

  test('a call that was not sent is NOT_SENT with its reason', () => {
    const exchange: Exchange = { kind: 'not_sent', reason: 'ECONNREFUSED' };
    expect(judge(exchange)).toEqual({ outcome: 'NOT_SENT', reason: 'ECONNREFUSED' });
  });

  const file = (status: number): Exchange => ({
    kind: 'file',
    file: { stored: 'x', sha256: 'x', bytes: 1 },
    head: { status, headers: {}, receivedAtMs: nowMs },
  });

  test('a file with HTTP 200 is DONE for an operation that may return a file', () => {
    expect(judge(file(200), operationOf('getElectoralEditionPdf'))).toMatchObject({ outcome: 'DONE', body: undefined });
    expect(judge(file(200), operationOf('getRequest')).outcome).toBe('DONE');
    expect(judge(file(500), operationOf('getRequest')).outcome).toBe('UNKNOWN');
  });

  test.each<[string, Exchange, string]>([
    ['a file for a record', file(200), 'the answer is a PDF'],
    ['a list for a record', got(200, []), 'the body is not a JSON object'],
    ['an HTML page', got(200, '<html>'), 'JSON'],
    ['a cut body', cut(200), 'the body is cut'],
  ])('a 2xx with an unexpected body is CHARGED_LOST and gives the reason: %s', (_what, exchange, why) => {
    const judgement = judge(exchange);
    expect(judgement).toEqual({ outcome: 'CHARGED_LOST', reason: expect.stringMatching(/^HTTP 200, but /) as string });
    expect(judgement).toMatchObject({ reason: expect.stringContaining(why) as string });
  });

  test('a record where a file was expected is CHARGED_LOST', () => {
    expect(judge(got(200, {}), operationOf('getElectoralEditionPdf'))).toEqual({
      outcome: 'CHARGED_LOST',
      reason: 'HTTP 200, but the answer is not a PDF',
    });
  });

  test('an UNKNOWN outcome names the HTTP status', () => {
    expect(judge(got(408))).toMatchObject({ reason: expect.stringContaining('408') as string });
    expect(judge(got(502))).toMatchObject({ reason: 'HTTP 502' });
  });

  test.each(['', 'OK', '[]'])('a DELETE is judged by its status, whatever its body: %j', (body) => {
    const remove = operationOf('deactivateAdminMonitor');
    expect(judge(got(204, body), remove)).toMatchObject({ outcome: 'DONE', meta: { charged: null } });
    expect(judge(got(500, body), remove).outcome).toBe('UNKNOWN');
  });

  test('a 204 of getRequest is DONE, and an empty 200 is CHARGED_LOST', () => {
    expect(judge(got(204), operationOf('getRequest'))).toMatchObject({ outcome: 'DONE', body: undefined });
    expect(judge(got(200), operationOf('getRequest')).outcome).toBe('CHARGED_LOST');
  });

  test('a DELETE keeps the record that it answers with', () => {
    expect(judge(got(200, { data: { id: 'm' } }), operationOf('deactivateAdminMonitor'))).toMatchObject({
      outcome: 'DONE',
      body: { data: { id: 'm' } },
    });
  });

  test('identifiers too big for a float keep their digits', () => {
    const judgement = judge(got(200, '{"data":{"id":12345678901234567890,"text":"1234567890123456789"},"meta":{}}'));
    expect(judgement).toMatchObject({ body: { data: { id: '12345678901234567890', text: '1234567890123456789' } } });
  });

  test('a body nested 200,000 levels deep is CHARGED_LOST, not a stack overflow', () => {
    expect(judge(got(200, `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).outcome).toBe('CHARGED_LOST');
  });

  test('getRequest may return a list, a record or a PDF, because the operation behind it is not known', () => {
    const REQUEST = operationOf('getRequest');
    expect(judge(got(200, []), REQUEST).outcome).toBe('DONE');
    expect(judge(got(200, { items: [] }), REQUEST).outcome).toBe('DONE');
    expect(judge(got(200, '%PDF-1.7 ...'), REQUEST)).toMatchObject({ outcome: 'DONE', body: undefined });
    expect(judge(got(200, '<html>'), REQUEST).outcome).toBe('CHARGED_LOST');
  });

  test('a PDF is recognised by its marker near the start, not by a marker inside text', () => {
    const EDITION = operationOf('getElectoralEditionPdf');
    expect(judge(got(200, `${' '.repeat(1_000)}%PDF-1.7`), EDITION).outcome).toBe('DONE');
    expect(judge(got(200, `${' '.repeat(1_100)}%PDF-1.7`), EDITION).outcome).toBe('CHARGED_LOST');
    expect(judge(got(200, '{"data":"%PDF-1.7"}'), EDITION).outcome).toBe('CHARGED_LOST');
    expect(judge(got(200, '<html>%PDF-1.7'), EDITION).outcome).toBe('CHARGED_LOST');
    expect(judge(got(200, '%PDF-1.7')).outcome).toBe('CHARGED_LOST');
  });

  test('a body with two byte order marks is CHARGED_LOST', () => {
    expect(judge(got(200, '\uFEFF\uFEFF{}')).outcome).toBe('CHARGED_LOST');
  });

  test('a 202 takes its poll hint from Retry-After before the body', () => {
    const body = { data: { pollAfterMs: 1_500 } };
    expect(judge(got(202, body))).toMatchObject({ outcome: 'PENDING', hintMs: 1_500 });
    expect(judge(got(202, body, { 'retry-after': '9' }))).toMatchObject({ hintMs: 9_000 });
    expect(judge(got(202, '<html>'))).toMatchObject({ outcome: 'PENDING', hintMs: null, pending: { hints: {} } });
  });

  test('a 202 without a body takes its request id from Location', () => {
    const requestId = '7f1f9c52-5f0b-4c0e-9b7e-0123456789ab';
    expect(judge(got(202, '', { location: `/v1/requests/${requestId}` }))).toMatchObject({ pending: { requestId } });
  });

  test.each([400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 425, 429, 451])('HTTP %s is REJECTED', (status) => {
    expect(judge(got(status, refusal))).toMatchObject({ outcome: 'REJECTED', error: { code: 'X', fromService: true } });
    expect(judge(got(status, '<html>'))).toMatchObject({ outcome: 'REJECTED', error: { fromService: false } });
  });

  test.each([199, 300, 301, 302, 304, 307, 308, 408, 500, 502, 503, 504, 599, 600])('HTTP %s is UNKNOWN', (status) => {
    expect(judge(got(status, refusal)).outcome).toBe('UNKNOWN');
    expect(judge(cut(status)).outcome).toBe('UNKNOWN');
  });

  test('a 5xx that reports a charge is UNKNOWN with that charge', () => {
    expect(judge(got(500, { ...refusal, meta }))).toMatchObject({ outcome: 'UNKNOWN', meta: { charged: 500 } });
  });

  test('a refusal about the balance is marked as such', () => {
    expect(judge(got(402))).toMatchObject({ aboutBalance: true });
    expect(judge(got(403, { message: 'saldo insuficiente' }))).toMatchObject({ aboutBalance: true });
    expect(judge(got(403, refusal))).toMatchObject({ aboutBalance: false });
  });

  test('a 429 carries the delay of its Retry-After', () => {
    expect(judge(got(429, '', { 'retry-after': '30' }))).toMatchObject({ retryAfterMs: 30_000 });
    expect(judge(got(429))).toMatchObject({ retryAfterMs: null });
  });

  test('with free server errors a 5xx is REJECTED unless it reports a charge', () => {
    const free = (exchange: Exchange) => judgeExchange(REFRESH, exchange, { serverErrors: 'free' });
    expect(free(got(503, '', { 'retry-after': '2' }))).toMatchObject({ outcome: 'REJECTED', retryAfterMs: 2_000 });
    expect(free(got(500, { ...refusal, meta })).outcome).toBe('UNKNOWN');
    const zeroCharge = { ...refusal, meta: { ...meta, creditsCharged: 0 } };
    expect(free(got(500, zeroCharge))).toMatchObject({ outcome: 'REJECTED', meta: { charged: 0 } });
    expect(free(got(599)).outcome).toBe('REJECTED');
    expect(free(got(600)).outcome).toBe('UNKNOWN');
    expect(free(got(302)).outcome).toBe('UNKNOWN');
    expect(free({ kind: 'no_answer', reason: 'ECONNRESET' }).outcome).toBe('UNKNOWN');
  });
});

describe('judgePoll', () => {
  const poll = (exchange: Exchange, operation = REFRESH) => judgePoll(exchange, operation);

  test('a 202 is still pending, also when its body is cut', () => {
    expect(poll(got(202, { data: { pollAfterSeconds: 3 } }))).toEqual({ end: 'still pending', hintMs: 3_000 });
    expect(poll(cut(202, { 'retry-after': '4' }))).toEqual({ end: 'still pending', hintMs: 4_000 });
  });

  test('a 202 may report the charge of the work, and a charge of zero is ignored', () => {
    const pendingWith = (creditsCharged: number) => poll(got(202, { data: {}, meta: { creditsCharged } }));
    expect(pendingWith(0.3)).toEqual({ end: 'still pending', hintMs: null, charged: 3_000 });
    expect(pendingWith(0)).toEqual({ end: 'still pending', hintMs: null });
  });

  test('a 2xx is the final answer, DONE or CHARGED_LOST', () => {
    expect(poll(got(200, { data: {}, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'DONE' } });
    expect(poll(got(200, '%PDF-1.4 ...'))).toMatchObject({ end: 'final', judgement: { outcome: 'CHARGED_LOST' } });
    expect(poll(got(200, []), LIST)).toMatchObject({ judgement: { outcome: 'DONE' } });
  });

  const repeatedPolls: readonly (readonly [string, Exchange, number | null, string])[] = [
    ['a poll that was not sent', { kind: 'not_sent', reason: 'ECONNREFUSED' }, null, 'ECONNREFUSED'],
    ['a poll without an answer', { kind: 'no_answer', reason: 'ECONNRESET' }, null, 'ECONNRESET'],
    ['a cut 200', cut(200), null, 'HTTP 200, but the body is cut'],
    ['a cut 404', cut(404), null, 'HTTP 404, but the body is cut'],
    ['a 408', got(408, refusal), null, 'HTTP 408'],
    ['a 429 with a delay', got(429, refusal, { 'retry-after': '60' }), 60_000, 'HTTP 429'],
    ['a gateway 502', got(502, '<html>'), null, 'HTTP 502 without an answer of the service'],
    ['a gateway 503 with a delay', got(503, '', { 'retry-after': '5' }), 5_000, 'HTTP 503 without'],
    ['a gateway 400', got(400, '<html>'), null, 'HTTP 400 without'],
    ['a 199', got(199, refusal), null, 'HTTP 199 without'],
    ['a 300', got(300, refusal), null, 'HTTP 300 without'],
    ['a redirect', got(302, refusal), null, 'HTTP 302 without'],
    ['a 600', got(600, refusal), null, 'HTTP 600 without'],
    ['a 699', got(699, refusal), null, 'HTTP 699 without'],
  ];
  test.each(repeatedPolls)('polling goes on after %s', (_title, exchange, hintMs, reason) => {
    expect(poll(exchange)).toEqual({ end: 'again', hintMs, reason: expect.stringContaining(reason) as string });
  });

  test.each([400, 402, 409, 422])('a %s with an error of the service is the final refusal', (status) => {
    expect(poll(got(status, refusal))).toMatchObject({ end: 'final', judgement: { outcome: 'REJECTED' } });
  });

  test('a 500 of the service is an error, and the final answer where it reports a charge', () => {
    expect(poll(got(500, refusal))).toMatchObject({ end: 'error', status: 500, judgement: { outcome: 'UNKNOWN' } });
    expect(poll(got(500, { ...refusal, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
  });

  test.each([502, 503, 504])('polling goes on after a %s of the service unless it reports a charge', (status) => {
    expect(poll(got(status, refusal))).toMatchObject({ end: 'again' });
    expect(poll(got(status, { ...refusal, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
  });

  test('an answer that is too large is final, because it would be too large again', () => {
    const huge: Exchange = {
      kind: 'cut',
      head: { status: 200, headers: {}, receivedAtMs: 0 },
      reason: 'x',
      tooLarge: true,
    };
    expect(poll(huge)).toMatchObject({ end: 'final', judgement: { outcome: 'CHARGED_LOST' } });
    expect(poll({ ...huge, head: { ...huge.head, status: 502 } })).toMatchObject({ end: 'again' });
  });

  test('a 402 is final even without a body of the service', () => {
    expect(poll(got(402, 'no balance'))).toMatchObject({
      end: 'final',
      judgement: { outcome: 'REJECTED', aboutBalance: true },
    });
  });

  test('a 401, and a 403 that reports no charge, are about the credentials', () => {
    expect(poll(got(401, refusal))).toEqual({ end: 'credentials', status: 401 });
    expect(poll(cut(401))).toEqual({ end: 'credentials', status: 401 });
    expect(poll(got(403, refusal))).toEqual({ end: 'credentials', status: 403 });
    expect(poll(got(403, { message: 'saldo insuficiente' }))).toEqual({ end: 'credentials', status: 403 });
  });

  test.each([
    ['a charge', { creditsCharged: 0.05 }],
    ['a search log id', { searchLogId: 7 }],
    ['a charge of zero', { creditsCharged: 0 }],
  ])('a refusal or error that reports %s is the final answer of the work', (_what, figures) => {
    const body = { ...refusal, meta: figures };
    expect(poll(got(403, body))).toMatchObject({ end: 'final', judgement: { outcome: 'REJECTED' } });
    for (const status of [500, 503]) {
      expect(poll(got(status, body))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
    }
  });

  test('a 404, 410 or 422 about the request id means that the work is forgotten', () => {
    expect(poll(got(404, { error: { code: 'REQUEST_NOT_FOUND' } }))).toEqual({ end: 'forgotten', status: 404 });
    expect(poll(got(404, '<html>'))).toEqual({ end: 'forgotten', status: 404 });
    expect(poll(got(410, refusal))).toEqual({ end: 'forgotten', status: 410 });
    expect(poll(got(410, '<html>'))).toEqual({ end: 'forgotten', status: 410 });
    expect(poll(got(422, { error: { code: 'INVALID_REQUEST_ID' } }))).toEqual({ end: 'forgotten', status: 422 });
    expect(poll(got(404, { error: { code: 'CASE_NOT_FOUND' } }))).toMatchObject({ end: 'final' });
  });
});

describe('readExchangeMeta', () => {
  const headers = { 'x-service-credits-charged': '0.08', 'x-service-search-log-id': 'log-7' };
  const none = { charged: null, balanceAfter: null, metaRequestId: null, searchLogId: null };

  test('the charge of a lost answer is read from its head or its body', () => {
    expect(readExchangeMeta(cut(200, headers))).toEqual({ ...none, charged: 800, searchLogId: 'log-7' });
    expect(readExchangeMeta(got(200, { meta }))).toMatchObject({ charged: 500, searchLogId: '7' });
    const file = { stored: 'x', sha256: 'x', bytes: 1 };
    expect(readExchangeMeta({ kind: 'file', head: { status: 200, headers, receivedAtMs: 0 }, file })).toMatchObject({
      charged: 800,
    });
  });

  test.each<readonly [string, Buffer]>([
    ['half a character', Buffer.concat([Buffer.from('{"data":"Execu'), Buffer.from([0xc3]), metaTail()])],
    ['a __proto__ key', Buffer.from(`{"data":{"__proto__":{}},"meta":${JSON.stringify(meta)}}`)],
  ])('the charge is read from a body that cannot be stored: %s', (_what, body) => {
    const exchange: Exchange = { kind: 'answer', head: { status: 200, headers: {}, receivedAtMs: 0 }, body };
    expect(judgeExchange(REFRESH, exchange).outcome).toBe('CHARGED_LOST');
    expect(readExchangeMeta(exchange)).toMatchObject({ charged: 500, balanceAfter: 99_500, metaRequestId: 'm-1' });
    for (const [status, outcome] of [
      [429, 'REJECTED'],
      [500, 'UNKNOWN'],
    ] as const) {
      const refused = { ...exchange, head: { ...exchange.head, status } };
      expect(judgeExchange(REFRESH, refused)).toMatchObject({ outcome, meta: { charged: 500 } });
    }
  });

  test('figures that an answer does not report are null, not zero', () => {
    expect(readExchangeMeta(cut(200))).toEqual(none);
    expect(readExchangeMeta(got(200, '<html>'))).toEqual(none);
    expect(readExchangeMeta({ kind: 'no_answer', reason: 'x' })).toEqual(none);
  });
});

describe('decideMissingKind', () => {
  test.each([
    [410, undefined, 'forgotten'],
    [410, { error: { code: 'CASE_GONE' }, meta }, 'forgotten'],
    [404, undefined, 'forgotten'],
    [404, 'text', 'forgotten'],
    [404, {}, 'forgotten'],
    [404, { error: { code: 'REQUEST_NOT_FOUND', message: 'x' } }, 'forgotten'],
    [404, { error: { code: 'NOT_FOUND', message: 'Request does not exist' } }, 'forgotten'],
    [404, { message: 'Solicitação não encontrada' }, 'forgotten'],
    [404, { error: 'requisição expirada' }, 'forgotten'],
    [404, { error: { code: 'REQUEST_EXPIRED' }, meta }, 'forgotten'],
    [404, { error: { code: 'NOT_FOUND' } }, 'forgotten'],
    [404, { error: { code: 'NOT_FOUND', message: 'Not found.' } }, 'forgotten'],
    [404, { message: 'Recurso não encontrado' }, 'forgotten'],
    [404, { message: 'Protocolo não localizado.' }, 'forgotten'],
    [404, { error: { code: 'JOB_NOT_FOUND', message: 'ID not found' } }, 'forgotten'],
    [404, { message: 'no Route matched with those values' }, 'forgotten'],
    [404, { message: 'name resolution failed' }, 'forgotten'],
    [404, { code: 'NotFound', message: 'The deployment could not be found' }, 'forgotten'],
    [404, { error: { code: 'NOT_FOUND' }, meta }, 'reproduced'],
    [404, { error: { code: 'NOT_FOUND', message: 'Processo não encontrado' } }, 'reproduced'],
    [404, { message: 'Processo não encontrado' }, 'reproduced'],
    [404, { errors: ['Processo inexistente'] }, 'reproduced'],
    [404, { data: null, meta }, 'reproduced'],
    [400, { error: { code: 'BAD_REQUEST' } }, 'reproduced'],
    [404, { error: { code: 'HTTP_ERROR', message: 'Erro 404: API status' } }, 'forgotten'],
    [400, { message: 'requestId inválido' }, 'forgotten'],
    [400, { message: 'Unknown request id' }, 'forgotten'],
    [400, { message: 'Requisição ID inválida' }, 'forgotten'],
    [400, { message: 'requisicao - id desconhecida' }, 'forgotten'],
    [400, { error: { code: 'requisicaoId', message: 'x' } }, 'forgotten'],
    [422, { message: 'ID da solicitação inválido' }, 'forgotten'],
    [422, { message: 'Bad request: the court says no' }, 'reproduced'],
    [422, { message: 'A requisição foi recusada' }, 'reproduced'],
    [422, { error: { code: 'UNPROCESSABLE' } }, 'reproduced'],
  ] as const)('%s with %j is %s', (status, body, expected) => {
    expect(decideMissingKind(status, body)).toBe(expected);
  });
});
