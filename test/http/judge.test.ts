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

  test('a bare array is well formed for a list and lost for anything else', () => {
    expect(judge(got(200, []), LIST).outcome).toBe('DONE');
    expect(judge(got(200, [])).outcome).toBe('CHARGED_LOST');
  });

  test.each(['', 'OK', '[]'])('a DELETE is done by its status, whatever its body: %j', (body) => {
    const remove = operationOf('deactivateAdminMonitor');
    expect(judge(got(204, body), remove)).toMatchObject({ outcome: 'DONE', meta: { charged: null } });
    expect(judge(got(500, body), remove).outcome).toBe('UNKNOWN');
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

  test('a 2xx is the reproduced final, well formed or lost', () => {
    expect(poll(got(200, { data: {}, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'DONE' } });
    expect(poll(got(200, '%PDF-1.4 ...'))).toMatchObject({ end: 'final', judgement: { outcome: 'CHARGED_LOST' } });
    expect(poll(got(200, []), LIST)).toMatchObject({ judgement: { outcome: 'DONE' } });
  });

  const again: readonly (readonly [string, Exchange, number | null])[] = [
    ['not sent', { kind: 'not_sent', reason: 'ECONNREFUSED' }, null],
    ['no answer', { kind: 'no_answer', reason: 'ECONNRESET' }, null],
    ['a cut 200', cut(200), null],
    ['a cut 404', cut(404), null],
    ['408', got(408, refusal), null],
    ['429 with a delay', got(429, refusal, { 'retry-after': '60' }), 60_000],
    ['a gateway 502', got(502, '<html>'), null],
    ['a gateway 503 with a delay', got(503, '', { 'retry-after': '5' }), 5_000],
    ['a gateway 400', got(400, '<html>'), null],
    ['a redirect', got(302, refusal), null],
    ['a status nobody knows', got(699, refusal), null],
  ];
  test.each(again)('%s is asked again', (_title, exchange, hintMs) => {
    expect(poll(exchange)).toMatchObject({ end: 'again', hintMs });
  });

  test.each([400, 402, 409, 422])('a %s with an error of the service is the final refusal', (status) => {
    expect(poll(got(status, refusal))).toMatchObject({ end: 'final', judgement: { outcome: 'REJECTED' } });
  });

  test('a 500 of the service may be the final; it is one where it tells its consumption', () => {
    expect(poll(got(500, refusal))).toMatchObject({ end: 'error', status: 500, judgement: { outcome: 'UNKNOWN' } });
    expect(poll(got(500, { ...refusal, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'UNKNOWN' } });
  });

  test.each([502, 503, 504])('a %s passes, whoever says it, unless it tells its consumption', (status) => {
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

  test('a 403 that names its consumption is the final of the work', () => {
    expect(poll(got(403, { ...refusal, meta }))).toMatchObject({ end: 'final', judgement: { outcome: 'REJECTED' } });
  });

  test('404 and 410 about the request id are forgotten work', () => {
    expect(poll(got(404, { error: { code: 'REQUEST_NOT_FOUND' } }))).toEqual({ end: 'forgotten', status: 404 });
    expect(poll(got(404, '<html>'))).toEqual({ end: 'forgotten', status: 404 });
    expect(poll(got(410, refusal))).toEqual({ end: 'forgotten', status: 410 });
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
    [404, { error: { code: 'NOT_FOUND' }, meta }, 'reproduced'],
    [404, { error: { code: 'NOT_FOUND', message: 'Processo não encontrado' } }, 'reproduced'],
    [404, { message: 'Processo não encontrado' }, 'reproduced'],
    [404, { errors: ['Processo inexistente'] }, 'reproduced'],
    [404, { data: null, meta }, 'reproduced'],
    [400, { error: { code: 'BAD_REQUEST' } }, 'reproduced'],
    [400, { message: 'requestId inválido' }, 'forgotten'],
    [422, { error: { code: 'UNPROCESSABLE' } }, 'reproduced'],
  ] as const)('%s with %j is %s', (status, body, expected) => {
    expect(decideMissingKind(status, body)).toBe(expected);
  });
});
