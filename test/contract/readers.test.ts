import {
  DEFAULT_GAPS,
  argumentsProblem,
  buildRequest,
  canonicalEventName,
  isAboutBalance,
  operationOf,
  readBalance,
  readErrorBody,
  readMeta,
  readPending,
  readPublicDocuments,
  readRefreshStatus,
  readWebhookEvent,
} from '../../src/contract/index.js';

const ID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
const CNJ = '10000015120268260100';

describe('requests', () => {
  const refresh = operationOf('requestRefresh');

  it('have their flags where configuration puts them', () => {
    expect(buildRequest(refresh, { params: { cnj: CNJ }, flags: ['documents', 'callback'] }, DEFAULT_GAPS)).toEqual({
      operation: 'requestRefresh',
      method: 'POST',
      target: `/v1/processos/cnj/${CNJ}/solicitar-atualizacao?documentos_publicos=true&enviar_callback=true`,
      body: '{}',
    });
    const inBody = { ...DEFAULT_GAPS, documentsFlag: { name: 'documentos_publicos', in: 'body', true: 1 } as const };
    expect(buildRequest(refresh, { params: { cnj: CNJ }, flags: ['documents'] }, inBody)).toMatchObject({
      target: `/v1/processos/cnj/${CNJ}/solicitar-atualizacao`,
      body: '{"documentos_publicos":1}',
    });
  });

  it('are refused with arguments that the operation does not have', () => {
    expect(argumentsProblem(refresh, { cnj: CNJ, x: 1 }, [])).toContain('params.x is not a parameter');
    expect(argumentsProblem(refresh, {}, [])).toBe('params.cnj is missing');
    expect(argumentsProblem(refresh, { cnj: '../../conta/saldo' }, [])).toContain('params.cnj');
    expect(argumentsProblem(operationOf('listPublicDocuments'), { cnj: CNJ, page: 0 }, [])).toContain(
      'positive integer',
    );
    expect(argumentsProblem(operationOf('getRequest'), { requestId: 'x' }, [])).toContain('UUID');
    expect(argumentsProblem(operationOf('getBalance'), {}, ['documents'])).toContain('flag documents');
  });
});

describe('meta', () => {
  it('is read member by member, so that one odd member does not hide the charge', () => {
    expect(
      readMeta({ data: {}, meta: { creditsCharged: 0.05, creditsRemaining: 'soon', requestId: 7, searchLogId: null } }),
    ).toEqual({
      charged: 500,
      balanceAfter: null,
      metaRequestId: '7',
      searchLogId: null,
    });
  });

  it('is read in snake case, too', () => {
    const meta = { credits_charged: '0.05', credits_remaining: 9.5, request_id: 'r-1', search_log_id: 7 };
    expect(readMeta({ data: {}, meta })).toEqual({
      charged: 500,
      balanceAfter: 95_000,
      metaRequestId: 'r-1',
      searchLogId: '7',
    });
  });

  it.each([undefined, null, [], 'x', {}, { meta: 5 }])('of %j gives an unknown charge, not zero', (body) => {
    expect(readMeta(body).charged).toBeNull();
  });
});

describe('202 answers', () => {
  it.each([
    ['the body', { data: { requestId: ID } }, undefined],
    ['statusUrl, of any origin', { data: { statusUrl: `https://elsewhere.example/v1/requests/${ID}` } }, undefined],
    ['the Location header', { data: { status: 'PROCESSANDO' } }, `/v1/requests/${ID}`],
    ['a bare record', { requestId: ID }, undefined],
    ['snake case', { data: { request_id: ID } }, undefined],
    ['the body outside its record', { data: { status: 'PENDENTE' }, requestId: ID }, undefined],
    ['a status URL in snake case', { data: { status_url: `/v1/requests/${ID}` } }, undefined],
  ])('have their request id in %s', (_place, body, location) => {
    expect(readPending(body, location).requestId).toBe(ID);
  });

  it.each([
    [{ data: { pollAfterSeconds: '2' } }, { pollAfterSeconds: 2 }],
    [{ data: { pollAfterMs: ' 1500.5 ' } }, { pollAfterMs: 1_500.5 }],
    [{ data: { status: 'PROCESSANDO' }, pollAfterMs: 5 }, { pollAfterMs: 5 }],
    [
      { data: {}, meta: { pollAfterSeconds: 7, nextPollAt: 'x' } },
      { pollAfterSeconds: 7, nextPollAt: 'x' },
    ],
    [{ data: { pollAfterMs: 'soon' }, meta: { pollAfterMs: 9 } }, { pollAfterMs: 9 }],
    [{ data: { pollAfterMs: 1 }, pollAfterMs: 2, meta: { pollAfterMs: 3 } }, { pollAfterMs: 1 }],
    [{ data: { poll_after_ms: 5, poll_after_seconds: 2 } }, { pollAfterMs: 5, pollAfterSeconds: 2 }],
    [{ data: { pollAfterMs: '', pollAfterSeconds: '0x10', nextPollAt: 5 } }, {}],
  ])('with %j have hints when to poll again', (body, hints) => {
    expect(readPending(body, undefined).hints).toEqual(hints);
  });

  it('do not give the id of the call itself as that of the pending work', () => {
    expect(readPending({ data: {}, meta: { requestId: ID } }, undefined).requestId).toBeUndefined();
  });

  it('may have hints without a valid id', () => {
    expect(
      readPending({ data: { requestId: 'no', pollAfterMs: 5, pollAfterSeconds: 2, nextPollAt: 'x' } }, undefined),
    ).toEqual({
      hints: { pollAfterMs: 5, pollAfterSeconds: 2, nextPollAt: 'x' },
    });
  });
});

describe('error bodies', () => {
  it.each([
    [{ error: { code: 'A_B', message: 'text' } }, 'A_B', 'text'],
    [{ error: 'plain' }, undefined, 'plain'],
    [{ message: 'm', code: 'C' }, 'C', 'm'],
    [{ errors: { cnj: ['bad'] } }, undefined, 'bad'],
  ])('like %j are read', (body, code, reason) => {
    expect(readErrorBody(body)).toMatchObject({ fromService: true, ...(code === undefined ? {} : { code }), reason });
  });

  it.each([undefined, null, 'text', [], {}])('like %j are not from the service', (body) => {
    expect(readErrorBody(body).fromService).toBe(false);
  });

  it('give a reason without personal numbers, links and control characters', () => {
    const { reason } = readErrorBody({ message: 'CPF 529.982.247-25 and 52998224725\n see https://x.example/a?sig=1' });
    expect(reason).toBe('CPF [number] and [number]  see [link]');
  });

  it.each([
    ['parâmetro 2 52998224725 inválido', 'parâmetro [number] inválido'],
    ['item 1 529.982.247-25', 'item [number]'],
    ['pagina 1-52998224725', 'pagina [number]'],
    ['1.234.567-890', '[number]'],
    ['art. 5 0000001-02.2024.8.26.0100', 'art. [number]'],
    ['since 2026-03-01T10:11:12', 'since 2026-03-01T10:11:12'],
  ])('give a reason without the number in %j', (message, expected) => {
    expect(readErrorBody({ message }).reason).toBe(expected);
  });

  it.each([['52998224725'], ['CPF_52998224725'], ['529.982.247-25'], [52998224725], ['0000001-02.2024.8.26.0100']])(
    'give no code that may be the number of a person or a case (%s)',
    (code) => {
      expect(readErrorBody({ error: { code, message: 'text' } })).toEqual({ fromService: true, reason: 'text' });
    },
  );

  it.each(['PR-1001', 'E_20260301', 'CNPJ_INVALIDO_14', 'INVALID_WEBHOOK_URL'])('give the code %s', (code) => {
    expect(readErrorBody({ error: { code } }).code).toBe(code);
  });

  it.each(['a-'.repeat(5_000_000), '529 '.repeat(2_000_000), 'https://'.repeat(1_000_000)])(
    'of megabytes are read in linear time: %.5s…',
    (message) => {
      const beganAt = performance.now();
      expect(readErrorBody({ message }).reason?.length).toBeLessThanOrEqual(160);
      expect(performance.now() - beganAt).toBeLessThan(500);
    },
  );

  it('give a reason without a part of a number at which a long text is cut', () => {
    const link = `https://x.example/${'a'.repeat(1_990 - 18)}`;
    expect(readErrorBody({ message: `${link} 52998224725 ${'x'.repeat(200)}` }).reason).not.toMatch(/\d/);
  });

  it('show whether a refusal is for lack of balance', () => {
    expect(isAboutBalance(402, { fromService: false })).toBe(true);
    expect(isAboutBalance(403, { fromService: true, code: 'INSUFFICIENT_CREDITS' })).toBe(true);
    expect(isAboutBalance(403, { fromService: true, code: 'NOT_ALLOWED' })).toBe(false);
    expect(isAboutBalance(422, { fromService: true, reason: 'Saldo insuficiente' })).toBe(true);
    expect(isAboutBalance(403, { fromService: true, reason: 'Insufficient permissions' })).toBe(false);
    const about = (reason: string): boolean => isAboutBalance(422, { fromService: true, reason });
    const lack = [
      'Créditos insuficientes',
      'NO_CREDITS',
      'sem saldo',
      'Você não possui mais créditos',
      'out of credits',
      'You do not have enough credits',
      'Seu saldo não é suficiente',
      'Limite de crédito atingido',
    ];
    expect(lack.map(about)).toEqual(lack.map(() => true));
    const other = [
      'natureza do crédito inválida',
      'INVALID_CREDITOR_FILTER',
      'valor inválido no crédito',
      'dados insuficientes',
    ];
    expect(other.map(about)).toEqual(other.map(() => false));
  });
});

describe('a refresh status', () => {
  const read = (body: unknown) => readRefreshStatus(body, DEFAULT_GAPS);

  it.each([
    ['PENDENTE', 'running'],
    ['Processando', 'running'],
    ['SUCESSO', 'done'],
    ['concluído', 'done'],
    ['Concluída', 'done'],
    ['Não encontrado', 'empty'],
    ['ERRO', 'failed'],
  ])('of %s means %s', (status, state) => {
    expect(read({ data: { status } })).toMatchObject({ state, recognised: true, rawStatus: status });
  });

  it('of an unknown word means running, not recognised', () => {
    expect(read({ data: { status: 'FINALIZADO_TALVEZ' } })).toMatchObject({ state: 'running', recognised: false });
    expect(read({})).toEqual({ state: 'running', recognised: false });
  });

  it('may have a word that configuration adds', () => {
    const gaps = { ...DEFAULT_GAPS, statusWords: { ...DEFAULT_GAPS.statusWords, done: ['Pronto'] } };
    expect(readRefreshStatus({ status: 'PRONTO' }, gaps)).toMatchObject({ state: 'done' });
  });

  it('is read from a nested record in camel case too', () => {
    const nested = { id: ID, status: 'SUCESSO' };
    expect(read({ data: { numeroCnj: CNJ, ultimaVerificacao: nested } })).toMatchObject({
      state: 'done',
      requestId: ID,
    });
  });

  it('is read from a nested record with its id and its latest time', () => {
    const body = {
      data: {
        numero_cnj: CNJ,
        ultima_verificacao: {
          id: ID,
          status: 'SUCESSO',
          criado_em: '2026-11-19T10:00:00Z',
          concluido_em: '2026-11-19 07:05:00',
        },
      },
    };
    expect(read(body)).toEqual({
      state: 'done',
      recognised: true,
      rawStatus: 'SUCESSO',
      requestId: ID,
      timeMs: Date.parse('2026-11-19T10:05:00Z'),
    });
  });
});

describe('public documents', () => {
  it('keep every item, even an odd one', () => {
    const page = readPublicDocuments(
      { data: { documentos: [{ id: 1, titulo: 'A', downloadUrl: 'https://x' }, null, 'odd', {}] } },
      2,
    );
    expect(page?.documents.map(({ id }) => id)).toEqual(['1', '2-2', '2-3', '2-4']);
  });

  it('have unique ids, even if the service repeats an id, because files are stored under them', () => {
    const long = 'k'.repeat(220);
    const documentos = [5, '5', '5~2', 5, '1-6', null, `${long}1`, `${long}2`, 'a\u0000b\ud800', '\u0000'].map(
      (id) => ({ id }),
    );
    const ids = readPublicDocuments({ data: { documentos } }, 1)?.documents.map(({ id }) => id) ?? [];
    expect(ids.slice(0, 6)).toEqual(['5', '5~2', '5~2~2', '5~3', '1-6', '1-6~2']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id.length <= 200)).toBe(true);
    expect(ids.slice(8)).toEqual(['ab', '1-10']);
  });

  it.each([
    [{ data: { items: [{}], links: { next: { href: '/x?page=2' } } } }, true],
    [{ data: { items: [{}], pagination: { totalPages: 1 } } }, false],
    [{ data: { items: [{}] }, pagination: { total: 3, per_page: 1 } }, true],
    [{ data: { items: [{}], links: { next: null } } }, false],
  ])('in %j have more pages: %p', (body, more) => {
    expect(readPublicDocuments(body, 1)).toMatchObject({ hasMore: more, unsaid: false });
  });

  it.each([[{ data: [{}], meta: {} }], [[{}]], [{ data: { documentos: [{}] } }], [{ documentos: [{}] }]])(
    'in %j may have more pages, because the answer does not say',
    (body) => {
      expect(readPublicDocuments(body, 1)).toMatchObject({ hasMore: true, unsaid: true });
    },
  );

  it('may have more pages if a later page has a total but no page size', () => {
    expect(readPublicDocuments({ data: { items: [{}, {}], total: 5 } }, 2)).toMatchObject({
      hasMore: true,
      unsaid: true,
      total: 5,
    });
  });

  it.each([[{ data: [] }], [[]], [{ data: { documentos: [], total: 5 } }]])(
    'in %j are a page after the last one',
    (body) => {
      expect(readPublicDocuments(body, 2)).toMatchObject({ documents: [], hasMore: false, unsaid: false });
    },
  );

  it('without a list are not a valid answer', () => {
    expect(readPublicDocuments({ data: { message: 'ok' } }, 1)).toBeUndefined();
  });
});

describe('balance', () => {
  it('is unknown without the credits', () => {
    expect(readBalance({ data: { credits: 12.5, currency: 'BRL', accountStatus: 'ACTIVE' } })).toEqual({
      credits: 125_000,
      currency: 'BRL',
      accountStatus: 'ACTIVE',
    });
    expect(readBalance({ data: { currency: 'BRL' } })).toBeUndefined();
  });
});

describe('webhook events', () => {
  it('are read from an envelope', () => {
    const event = readWebhookEvent({
      id: 'evt_1',
      event: 'nova_movimentacao',
      created_at: 't',
      data: { numeroCnj: '1000001-51.2026.8.26.0100', requestId: ID },
    });
    expect(event).toEqual({
      eventId: 'evt_1',
      event: 'nova_movimentacao',
      kind: 'nova_movimentacao',
      form: 'enveloped',
      createdAt: 't',
      cnjs: [CNJ],
      requestIds: [ID],
      oabs: [],
      probe: false,
    });
  });

  it.each([
    ['processo.numero_unico', { processo: { numero_unico: CNJ } }],
    ['movimentacao.numero_processo', { movimentacao: { numero_processo: CNJ } }],
    ['movimentacao.processo.numero_novo', { movimentacao: { processo: { numero_novo: CNJ } } }],
    ['movimentacao.processo_id', { movimentacao: { processo_id: '1000001-51.2026.8.26.0100' } }],
    ['atualizacao.numero_cnj', { atualizacao: { numero_cnj: CNJ } }],
    ['numero_cnj', { numero_cnj: CNJ }],
    ['data.numeroProcesso', { data: { numeroProcesso: '1000001-51.2026.8.26.0100' } }],
    ['data.cnj', { data: { cnj: CNJ } }],
    ['data.processo', { data: { processo: CNJ } }],
    ['data.processo.numero', { data: { processo: { numero: CNJ } } }],
    ['data.solicitacao.numeroCnj', { data: { solicitacao: { numeroCnj: CNJ } } }],
    ['data.resultado.processo.numeroCnj', { data: { resultado: { processo: { numeroCnj: CNJ } } } }],
  ])('are read flat, with the case number at %s', (_place, content) => {
    expect(readWebhookEvent({ uuid: 'u1', event: 'x', ...content })).toMatchObject({ eventId: 'u1', cnjs: [CNJ] });
  });

  it.each([
    [{ data: { solicitacao: { requestId: ID } } }],
    [{ atualizacao: { request_id: ID } }],
    [{ atualizacao: { solicitacao: { requestId: ID } } }],
    [{ data: { resultado: { requestId: ID } } }],
  ])('like %j name a request', (body) => {
    expect(readWebhookEvent(body)?.requestIds).toEqual([ID]);
  });

  it.each([
    ['movimentacao_nova', 'nova_movimentacao'],
    ['atualizacao_concluida', 'atualizacao_processo_concluida'],
    ['novo_processo', 'novo_processo'],
    ['algo_novo', 'algo_novo'],
  ])('named %s are of kind %s', (event, kind) => {
    expect(readWebhookEvent({ uuid: 'u1', event })).toMatchObject({ event, kind, form: 'flat' });
    expect(canonicalEventName(event)).toBe(kind);
  });

  it.each([
    [{ data: { oab: '123456/SP' } }],
    [{ data: { oab: { numero: 123456, estado: 'sp' } } }],
    [{ oab_numero: '0123456', oab_estado: 'SP' }],
    [{ raw: { oab: 'OAB/SP 123456' }, data: {} }],
    [{ data: { oabNumero: '123456', oabUf: 'SP' } }],
    [{ data: { numero_oab: 123456, uf_oab: 'SP', uf: 'RJ' } }],
    [{ oab: '123456', uf: 'SP' }],
    [{ data: { oab: 123456, estado: 'SP' } }],
  ])('like %j name a lawyer', (body) => {
    expect(readWebhookEvent(body)?.oabs).toEqual(['SP:123456']);
  });

  it('name no lawyer by a number without a member for registrations', () => {
    expect(readWebhookEvent({ data: { numero: '123456', uf: 'SP' } })?.oabs).toEqual([]);
  });

  it('of the all-zero probe are recognised and have no case number', () => {
    expect(readWebhookEvent({ data: { numeroCnj: '0000000-00.0000.0.00.0000' } })).toMatchObject({
      probe: true,
      cnjs: [],
    });
  });

  it.each([[{ id: 'a\u0000b' }], [{ id: {} }], [{ id: 'x'.repeat(301) }], [{}], [{ id: true }]])(
    'like %j have no valid event id',
    (body) => {
      expect(readWebhookEvent(body)?.eventId).toBeUndefined();
    },
  );

  it('never reach a prototype', () => {
    const body = JSON.parse('{"__proto__":{"id":"evil"},"constructor":{"id":1},"event":"e"}') as unknown;
    expect(readWebhookEvent(body)).toMatchObject({ event: 'e', cnjs: [] });
    expect(({} as { id?: string }).id).toBeUndefined();
  });
});
