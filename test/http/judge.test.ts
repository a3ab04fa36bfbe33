/** The judges, status by status: what an answer means for the charge, and what ends polling. */
import { operationOf } from '../../src/contract/index.js';
import { decideMissingKind, judgeExchange, judgePoll, readExchangeMeta, type Exchange } from '../../src/http/index.js';
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
const tail = (): Buffer => Buffer.from(`","meta":${JSON.stringify(meta)}}`);
const refusal = { error: { code: 'X', message: 'no' } };

describe('judgeExchange', () => {
  const judge = (exchange: Exchange, operation = REFRESH) => judgeExchange(operation, exchange, { nowMs });

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

  test('a call that was not sent costs nothing, whatever it asked', () => {
    const exchange: Exchange = { kind: 'not_sent', reason: 'ECONNREFUSED' };
    expect(judge(exchange)).toEqual({ outcome: 'NOT_SENT', reason: 'ECONNREFUSED' });
  });

  const file = (status: number): Exchange => ({
    kind: 'file',
    file: { stored: 'x', sha256: 'x', bytes: 1 },
    head: { status, headers: {}, receivedAtMs: nowMs },
  });

  test('a whole file is what a file was asked for, and nothing else', () => {
    expect(judge(file(200), operationOf('getElectoralEditionPdf'))).toMatchObject({ outcome: 'DONE', body: undefined });
    expect(judge(file(200), operationOf('getRequest')).outcome).toBe('DONE');
    expect(judge(file(500), operationOf('getRequest')).outcome).toBe('UNKNOWN');
  });

  test.each<[string, Exchange, string]>([
    ['a file for a record', file(200), 'the answer is a PDF'],
    ['a list for a record', got(200, []), 'the body is not a JSON object'],
    ['a page', got(200, '<html>'), 'JSON'],
    ['a body that was cut', cut(200), 'the body is cut'],
  ])('a 2xx that is not what was asked for was paid and lost, and says why: %s', (_what, exchange, why) => {
    const judgement = judge(exchange);
    expect(judgement).toEqual({ outcome: 'CHARGED_LOST', reason: expect.stringMatching(/^HTTP 200, but /) as string });
    expect(judgement).toMatchObject({ reason: expect.stringContaining(why) as string });
  });

  test('a record for a file was paid and lost', () => {
    expect(judge(got(200, {}), operationOf('getElectoralEditionPdf'))).toEqual({
      outcome: 'CHARGED_LOST',
      reason: 'HTTP 200, but the answer is no PDF',
    });
  });

  test('an unknown outcome says by which status', () => {
    expect(judge(got(408))).toMatchObject({ reason: expect.stringContaining('408') as string });
    expect(judge(got(502))).toMatchObject({ reason: 'HTTP 502' });
  });

  test.each(['', 'OK', '[]'])('a DELETE is done by its status, whatever its body: %j', (body) => {
    const remove = operationOf('deactivateAdminMonitor');
    expect(judge(got(204, body), remove)).toMatchObject({ outcome: 'DONE', meta: { charged: null } });
    expect(judge(got(500, body), remove).outcome).toBe('UNKNOWN');
  });

  test('work of others that ends with a 204 has ended', () => {
    expect(judge(got(204), operationOf('getRequest'))).toMatchObject({ outcome: 'DONE', body: undefined });
    expect(judge(got(200), operationOf('getRequest')).outcome).toBe('CHARGED_LOST');
  });

  test('a DELETE that answers with a record keeps it', () => {
    expect(judge(got(200, { data: { id: 'm' } }), operationOf('deactivateAdminMonitor'))).toMatchObject({
      outcome: 'DONE',
      body: { data: { id: 'm' } },
    });
  });

  test('identifiers too big for a float keep their digits', () => {
    const judgement = judge(got(200, '{"data":{"id":12345678901234567890,"text":"1234567890123456789"},"meta":{}}'));
    expect(judgement).toMatchObject({ body: { data: { id: '12345678901234567890', text: '1234567890123456789' } } });
  });

  test('a body nested beyond reason is lost, not a stack overflow', () => {
    expect(judge(got(200, `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).outcome).toBe('CHARGED_LOST');
  });

  test('reproduced work may be a list, a record or a PDF, because nobody knows whose it is', () => {
    const REQUEST = operationOf('getRequest');
    expect(judge(got(200, []), REQUEST).outcome).toBe('DONE');
    expect(judge(got(200, { items: [] }), REQUEST).outcome).toBe('DONE');
    expect(judge(got(200, '%PDF-1.7 ...'), REQUEST)).toMatchObject({ outcome: 'DONE', body: undefined });
    expect(judge(got(200, '<html>'), REQUEST).outcome).toBe('CHARGED_LOST');
  });

  test('a PDF is known by its mark, and not where text only speaks of it', () => {
    const EDITION = operationOf('getElectoralEditionPdf');
    expect(judge(got(200, `${' '.repeat(1_000)}%PDF-1.7`), EDITION).outcome).toBe('DONE');
    expect(judge(got(200, `${' '.repeat(1_100)}%PDF-1.7`), EDITION).outcome).toBe('CHARGED_LOST');
    expect(judge(got(200, '{"data":"%PDF-1.7"}'), EDITION).outcome).toBe('CHARGED_LOST');
    expect(judge(got(200, '<html>%PDF-1.7'), EDITION).outcome).toBe('CHARGED_LOST');
    expect(judge(got(200, '%PDF-1.7')).outcome).toBe('CHARGED_LOST');
  });

  test('two byte order marks are one too many', () => {
    expect(judge(got(200, '\uFEFF\uFEFF{}')).outcome).toBe('CHARGED_LOST');
  });

  test('a 202 takes its hint from the header first', () => {
    const body = { data: { pollAfterMs: 1_500 } };
    expect(judge(got(202, body))).toMatchObject({ outcome: 'PENDING', hintMs: 1_500 });
    expect(judge(got(202, body, { 'retry-after': '9' }))).toMatchObject({ hintMs: 9_000 });
    expect(judge(got(202, '<html>'))).toMatchObject({ outcome: 'PENDING', hintMs: null, pending: { hints: {} } });
  });

  test('a 202 without a body is asked for under the id of its Location: the work is paid', () => {
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

  test('an UNKNOWN keeps the charge that a 5xx told', () => {
    expect(judge(got(500, { ...refusal, meta }))).toMatchObject({ outcome: 'UNKNOWN', meta: { charged: 500 } });
  });

  test('a refusal about money is marked', () => {
    expect(judge(got(402))).toMatchObject({ aboutBalance: true });
    expect(judge(got(403, { message: 'saldo insuficiente' }))).toMatchObject({ aboutBalance: true });
    expect(judge(got(403, refusal))).toMatchObject({ aboutBalance: false });
  });

  test('429 carries its delay', () => {
    expect(judge(got(429, '', { 'retry-after': '30' }))).toMatchObject({ retryAfterMs: 30_000 });
    expect(judge(got(429))).toMatchObject({ retryAfterMs: null });
  });

  test('where server errors are free, a 5xx is REJECTED unless it tells a charge or is none', () => {
    const free = (exchange: Exchange) => judgeExchange(REFRESH, exchange, { nowMs, serverErrors: 'free' });
    expect(free(got(503, '', { 'retry-after': '2' }))).toMatchObject({ outcome: 'REJECTED', retryAfterMs: 2_000 });
    expect(free(got(500, { ...refusal, meta })).outcome).toBe('UNKNOWN');
    const toldZero = { ...refusal, meta: { ...meta, creditsCharged: 0 } };
    expect(free(got(500, toldZero))).toMatchObject({ outcome: 'REJECTED', meta: { charged: 0 } });
    expect(free(got(599)).outcome).toBe('REJECTED');
    expect(free(got(600)).outcome).toBe('UNKNOWN');
    expect(free(got(302)).outcome).toBe('UNKNOWN');
    expect(free({ kind: 'no_answer', reason: 'ECONNRESET' }).outcome).toBe('UNKNOWN');
  });
});

describe('judgePoll', () => {
  const poll = (exchange: Exchange, operation = REFRESH) => judgePoll(exchange, { nowMs, operation });

  test('202 goes on, also when its body is cut', () => {
    expect(poll(got(202, { data: { pollAfterSeconds: 3 } }))).toEqual({ end: 'still pending', hintMs: 3_000 });
    expect(poll(cut(202, { 'retry-after': '4' }))).toEqual({ end: 'still pending', hintMs: 4_000 });
  });

  test('a 202 may tell what the work has cost; its zero says nothing', () => {
    const told = (creditsCharged: number) => poll(got(202, { data: {}, meta: { creditsCharged } }));
    expect(told(0.3)).toEqual({ end: 'still pending', hintMs: null, charged: 3_000 });
    expect(told(0)).toEqual({ end: 'still pending', hintMs: null });
  });

  test('a 2xx is the reproduced final, well formed or lost', () => {
    expect(poll(got(200, { data: {}, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'DONE' } });
    expect(poll(got(200, '%PDF-1.4 ...'))).toMatchObject({ end: 'final', judgement: { outcome: 'CHARGED_LOST' } });
    expect(poll(got(200, []), LIST)).toMatchObject({ judgement: { outcome: 'DONE' } });
  });

  const again: readonly (readonly [string, Exchange, number | null, string])[] = [
    ['not sent', { kind: 'not_sent', reason: 'ECONNREFUSED' }, null, 'ECONNREFUSED'],
    ['no answer', { kind: 'no_answer', reason: 'ECONNRESET' }, null, 'ECONNRESET'],
    ['a cut 200', cut(200), null, 'HTTP 200, but the body is cut'],
    ['a cut 404', cut(404), null, 'HTTP 404, but the body is cut'],
    ['408', got(408, refusal), null, 'HTTP 408'],
    ['429 with a delay', got(429, refusal, { 'retry-after': '60' }), 60_000, 'HTTP 429'],
    ['a gateway 502', got(502, '<html>'), null, 'HTTP 502 without an answer of the service'],
    ['a gateway 503 with a delay', got(503, '', { 'retry-after': '5' }), 5_000, 'HTTP 503 without'],
    ['a gateway 400', got(400, '<html>'), null, 'HTTP 400 without'],
    ['a head that is no final one', got(199, refusal), null, 'HTTP 199 without'],
    ['a choice of answers', got(300, refusal), null, 'HTTP 300 without'],
    ['a redirect', got(302, refusal), null, 'HTTP 302 without'],
    ['the first status beyond all classes', got(600, refusal), null, 'HTTP 600 without'],
    ['a status nobody knows', got(699, refusal), null, 'HTTP 699 without'],
  ];
  test.each(again)('%s is asked again', (_title, exchange, hintMs, reason) => {
    expect(poll(exchange)).toEqual({ end: 'again', hintMs, reason: expect.stringContaining(reason) as string });
  });

  test.each([400, 402, 409, 422])('a %s with an error of the service is the final refusal', (status) => {
    expect(poll(got(status, refusal))).toMatchObject({ end: 'final', judgement: { outcome: 'REJECTED' } });
  });

  test('a 500 of the service may be the final; it is one where it tells its consumption', () => {
    expect(poll(got(500, refusal))).toMatchObject({ end: 'error', status: 500, judgement: { outcome: 'UNKNOWN' } });
    expect(poll(got(500, { ...refusal, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
  });

  test.each([502, 503, 504])('a %s passes, no matter who says it, unless it tells its consumption', (status) => {
    expect(poll(got(status, refusal))).toMatchObject({ end: 'again' });
    expect(poll(got(status, { ...refusal, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
  });

  test('an answer that is too large is the end: it would be too large again', () => {
    const huge: Exchange = {
      kind: 'cut',
      head: { status: 200, headers: {}, receivedAtMs: 0 },
      reason: 'x',
      tooLarge: true,
    };
    expect(poll(huge)).toMatchObject({ end: 'final', judgement: { outcome: 'CHARGED_LOST' } });
    expect(poll({ ...huge, head: { ...huge.head, status: 502 } })).toMatchObject({ end: 'again' });
  });

  test('a 402 is the end even without a body of the service', () => {
    expect(poll(got(402, 'no balance'))).toMatchObject({
      end: 'final',
      judgement: { outcome: 'REJECTED', aboutBalance: true },
    });
  });

  test('401 and a bare 403 are about the credentials', () => {
    expect(poll(got(401, refusal))).toEqual({ end: 'credentials', status: 401 });
    expect(poll(cut(401))).toEqual({ end: 'credentials', status: 401 });
    expect(poll(got(403, refusal))).toEqual({ end: 'credentials', status: 403 });
    expect(poll(got(403, { message: 'saldo insuficiente' }))).toEqual({ end: 'credentials', status: 403 });
  });

  test.each([
    ['its charge', { creditsCharged: 0.05 }],
    ['its place in the log', { searchLogId: 7 }],
    ['a charge of zero', { creditsCharged: 0 }],
  ])('a refusal or an error that names %s was made for the work, not for this free poll', (_what, told) => {
    const body = { ...refusal, meta: told };
    expect(poll(got(403, body))).toMatchObject({ end: 'final', judgement: { outcome: 'REJECTED' } });
    for (const status of [500, 503]) {
      expect(poll(got(status, body))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
    }
  });

  test('404 and 410 about the request id are forgotten work', () => {
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

  test('a lost answer still tells what it cost, where its head or its body does', () => {
    expect(readExchangeMeta(cut(200, headers))).toEqual({ ...none, charged: 800, searchLogId: 'log-7' });
    expect(readExchangeMeta(got(200, { meta }))).toMatchObject({ charged: 500, searchLogId: '7' });
    const file = { stored: 'x', sha256: 'x', bytes: 1 };
    expect(readExchangeMeta({ kind: 'file', head: { status: 200, headers, receivedAtMs: 0 }, file })).toMatchObject({
      charged: 800,
    });
  });

  test.each<readonly [string, Buffer]>([
    ['half a character', Buffer.concat([Buffer.from('{"data":"Execu'), Buffer.from([0xc3]), tail()])],
    ['a key that no record may have', Buffer.from(`{"data":{"__proto__":{}},"meta":${JSON.stringify(meta)}}`)],
  ])('a body that cannot be kept tells it too: %s', (_what, body) => {
    const exchange: Exchange = { kind: 'answer', head: { status: 200, headers: {}, receivedAtMs: 0 }, body };
    expect(judgeExchange(REFRESH, exchange, { nowMs }).outcome).toBe('CHARGED_LOST');
    expect(readExchangeMeta(exchange)).toMatchObject({ charged: 500, balanceAfter: 99_500, metaRequestId: 'm-1' });
    for (const [status, outcome] of [
      [429, 'REJECTED'],
      [500, 'UNKNOWN'],
    ] as const) {
      const refused = { ...exchange, head: { ...exchange.head, status } };
      expect(judgeExchange(REFRESH, refused, { nowMs })).toMatchObject({ outcome, meta: { charged: 500 } });
    }
  });

  test('where nothing is told, nothing is known; null is not zero', () => {
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
