import {
  ANSWER_SCHEMAS,
  DEFAULT_GAPS,
  OPERATIONS,
  applyGaps,
  argumentsProblem,
  buildRequest,
  canonicalParameters,
  isCharged,
  isOperationId,
  operationOf,
  pageParameterOf,
  withExtraOperations,
  type ExtraOperation,
  type Gaps,
  type OperationId,
  type Parameters,
} from '../../src/contract/index.js';

const CNJ = '10000015120268260100';
const ID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';

/** The table "Endpoints" of the interface, and the gap path of the summary: `method path charge price`. */
const TABLE: Readonly<Record<OperationId, string>> = {
  getAvailability: 'GET /v1 presumed free',
  getBalance: 'GET /v1/conta/saldo free',
  getRequest: 'GET /v1/requests/{requestId} free',
  searchTerm: 'GET /v1/busca/termo per call',
  searchLegacy: 'GET /v1/busca per call',
  listCasesByDocument: 'GET /v1/processos per call',
  getCase: 'GET /v1/processos/cnj/{cnj} per call',
  listMovements: 'GET /v1/processos/cnj/{cnj}/movimentacoes per call',
  requestRefresh: 'POST /v1/processos/cnj/{cnj}/solicitar-atualizacao per call',
  getRefreshStatus: 'GET /v1/processos/cnj/{cnj}/status-atualizacao presumed free',
  listPublicDocuments: 'GET /v1/processos/cnj/{cnj}/documentos-publicos per call',
  requestSummary: 'POST /v1/processos/cnj/{cnj}/resumo-ia/solicitar-atualizacao per call',
  getSummary: 'GET /v1/processos/cnj/{cnj}/resumo-ia per call',
  listLawyerCases: 'GET /v1/advogados/processos first page',
  listLawyerGazettes: 'GET /v1/advogados/diarios-oficiais per call',
  createNoticeMonitor: 'POST /v1/intimacoes/oab recurring',
  listNoticeMonitors: 'GET /v1/intimacoes/oab presumed free',
  updateNoticeMonitor: 'PUT /v1/intimacoes/oab per call',
  listNotices: 'GET /v1/intimacoes per call',
  getPublication: 'GET /v1/intimacoes/publicacoes/{diarioId} per call',
  listRadars: 'GET /v1/monitoramentos/novos-processos presumed free',
  createRadar: 'POST /v1/monitoramentos/novos-processos recurring',
  createCaseMonitor: 'POST /v1/monitoramentos/processos recurring',
  deactivateAdminMonitor: 'DELETE /v1/monitoramentos/processos-administrativos/{id} per call',
  listPrecatorios: 'GET /v1/precatorios per call',
  getElectoralPublication: 'GET /v1/dje-eleitoral/publicacoes/{id} per call 0.05',
  getElectoralEditionPdf: 'GET /v1/dje-eleitoral/edicoes/{id}/pdf per call 0.08',
  searchElectoralBoard: 'GET /v1/mural-eleitoral/publicacoes per call 0.15',
  listAdministrativeBodies: 'GET /v1/orgaos-administrativos presumed free',
  listCourtSystems: 'GET /v1/sistemas presumed free',
};

/** Valid arguments for each operation. */
const EXAMPLES: Readonly<Record<OperationId, Parameters>> = {
  getAvailability: {},
  getBalance: {},
  getRequest: { requestId: ID },
  searchTerm: { q: 'precatório', qo: 't', data_publicacao_inicio: '2026-11-01', ano_orcamentario: 2027, page: 2 },
  searchLegacy: { q: 'texto' },
  listCasesByDocument: { cpf_cnpj: '12.ABC.345/01DE-35' },
  getCase: { cnj: '1000001-51.2026.8.26.0100' },
  listMovements: { cnj: CNJ, cursor: 'a&b', li: '9' },
  requestRefresh: { cnj: CNJ },
  getRefreshStatus: { cnj: CNJ },
  listPublicDocuments: { cnj: CNJ, page: 2, limit: 50 },
  requestSummary: { cnj: CNJ },
  getSummary: { cnj: CNJ },
  listLawyerCases: { oab_numero: '0123456', oab_estado: 'sp', page: 1 },
  listLawyerGazettes: { oab_numero: 123456, oab_estado: 'SP' },
  createNoticeMonitor: {
    oabs: ['OAB/SP 123456', 'RJ:1'],
    webhook_url: 'https://hooks.example/a?b=c',
    origens_ids: [1, 2],
  },
  listNoticeMonitors: { page: 1 },
  updateNoticeMonitor: { oab_numero: '123456', oab_estado: 'SP', termos_auxiliares: ['a', 'b'] },
  listNotices: { oabs: 'SP:123456,RJ:0001', desde: '2026-11-01' },
  getPublication: { diarioId: 'a/b?c' },
  listRadars: {},
  createRadar: { webhook_url: 'https://hooks.example/r' },
  createCaseMonitor: {},
  deactivateAdminMonitor: { id: 7 },
  listPrecatorios: { ano_orcamentario: '2027', ordenar: 'analise_desc' },
  getElectoralPublication: { id: '55' },
  getElectoralEditionPdf: { id: '55' },
  searchElectoralBoard: {},
  listAdministrativeBodies: {},
  listCourtSystems: {},
};

const build = (id: OperationId, params: Parameters = EXAMPLES[id], gaps: Gaps = DEFAULT_GAPS) =>
  buildRequest(operationOf(id), { params, flags: [] }, gaps);

describe('the catalogue', () => {
  it('has every operation of the interface, and the summary', () => {
    expect(
      Object.fromEntries(
        OPERATIONS.map(({ id, method, path, charge, price }) => [
          id,
          [method, path, charge, ...(price === undefined ? [] : [price])].join(' '),
        ]),
      ),
    ).toEqual(TABLE);
    expect(OPERATIONS).toHaveLength(30);
  });

  it('is plain data, so that JSON loses nothing', () => {
    expect(JSON.parse(JSON.stringify(OPERATIONS))).toEqual(OPERATIONS);
  });

  it.each(OPERATIONS)('declares exactly the path parameters of $id', ({ path, parameters }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
    expect(parameters.filter((parameter) => parameter.in === 'path').every(({ required }) => required)).toBe(true);
  });

  it.each(OPERATIONS)('has a schema, a source and consistent evidence for $id', (operation) => {
    expect(ANSWER_SCHEMAS[operation.id] === null).toBe(operation.answer === 'pdf');
    expect(operation.evidence === 'listing').toBe(
      operation.evidenceFrom !== undefined && operation.evidence !== 'refresh status',
    );
    expect(operation.source).toContain('Endpoints, ');
    if (operation.evidenceFrom !== undefined) expect(isCharged(operationOf(operation.evidenceFrom))).toBe(false);
  });

  it('marks exactly the operations whose end a webhook announces', () => {
    const announced = OPERATIONS.filter((operation) => operation.announcedByWebhook).map(({ id }) => id);
    expect(announced).toEqual(['requestRefresh', 'requestSummary', 'listLawyerCases']);
    for (const id of announced) expect(operationOf(id).flags).toContain('callback');
  });

  it('knows exactly its own ids', () => {
    expect(isOperationId('getCase')).toBe(true);
    expect(isOperationId('constructor')).toBe(false);
    expect(() => operationOf('nope' as OperationId)).toThrow('tramita: operation "nope"');
  });
});

describe('isCharged', () => {
  it.each([
    [undefined, true],
    [1, true],
    ['1', true],
    [2, false],
    ['20', false],
    ['02', true],
    [0, true],
    ['2x', true],
  ])("for page %p of the lawyer's list is %p", (page, charged) => {
    expect(isCharged(operationOf('listLawyerCases'), page === undefined ? {} : { page })).toBe(charged);
  });

  it.each(OPERATIONS.filter(({ charge }) => charge !== 'first page'))(
    'follows the charge of $id: $charge',
    ({ id, charge }) => {
      expect(isCharged(operationOf(id), { page: 2 })).toBe(charge === 'per call' || charge === 'recurring');
    },
  );
});

describe('requests', () => {
  it.each(OPERATIONS)('$id can be built', ({ id, method }) => {
    const request = build(id);
    expect(request.method).toBe(method);
    expect(request.target).toMatch(/^\/v1[\x21-\x7e]*$/);
    expect(request.target).not.toContain('{');
    expect(request.body === undefined).toBe(method === 'GET' || method === 'DELETE');
  });

  it('have one spelling and one order of their values', () => {
    expect(build('listNotices').target).toBe('/v1/intimacoes?oabs=SP:123456,RJ:1&desde=2026-11-01');
    expect(build('listNotices', { desde: '2026-11-01', oabs: ['123456/SP', 'SP:0123456', 'RJ1'] }).target).toBe(
      '/v1/intimacoes?oabs=SP:123456,RJ:1&desde=2026-11-01',
    );
    expect(build('getCase').target).toBe(`/v1/processos/cnj/${CNJ}`);
    expect(build('listCasesByDocument').target).toBe('/v1/processos?cpf_cnpj=12ABC34501DE35');
    expect(build('listLawyerCases').target).toBe('/v1/advogados/processos?oab_numero=123456&oab_estado=SP&page=1');
    expect(build('listMovements').target).toBe(`/v1/processos/cnj/${CNJ}/movimentacoes?cursor=a%26b&li=9`);
    expect(build('getPublication').target).toBe('/v1/intimacoes/publicacoes/a%2Fb%3Fc');
  });

  it('have JSON bodies, with lists as lists and ids of their own type', () => {
    expect(JSON.parse(build('createNoticeMonitor').body ?? '')).toEqual({
      oabs: ['SP:123456', 'RJ:1'],
      origens_ids: [1, 2],
      webhook_url: 'https://hooks.example/a?b=c',
    });
    const { body } = build('createNoticeMonitor', {
      oabs: Array.from({ length: 500 }, (_, index) => `SP:${index + 1}`),
      termos_auxiliares: [],
      origens_ids: [],
    });
    expect(JSON.parse(body ?? '')).toMatchObject({ termos_auxiliares: [], origens_ids: [] });
    expect(build('updateNoticeMonitor')).toEqual({
      operation: 'updateNoticeMonitor',
      method: 'PUT',
      target: '/v1/intimacoes/oab?oab_numero=123456&oab_estado=SP',
      body: '{"termos_auxiliares":["a","b"]}',
    });
  });

  it('allow any body if the interface shows no definition, but check the members that it shows', () => {
    const radar = operationOf('createRadar');
    const body = { termo: 'EMPRESA FICTÍCIA', tribunais: ['TJSP'], filtros: { a: [1, null] } };
    expect(JSON.parse(buildRequest(radar, { params: {}, flags: [], body }, DEFAULT_GAPS).body ?? '')).toEqual(body);
    const wrong = { ...body, webhook_url: 'http://hooks.example/' };
    expect(argumentsProblem(radar, {}, [], { body: wrong })).toBe(
      'body.webhook_url must be an https URL without user, password or fragment; seen: 21 characters',
    );
    expect(argumentsProblem(operationOf('createNoticeMonitor'), {}, [], { body: { x: 1 } })).toContain('body.x is not');
    expect(argumentsProblem(operationOf('getCase'), { cnj: CNJ }, [], { body: { x: 1 } })).toContain('has no body');
    expect(
      argumentsProblem(radar, { webhook_url: 'https://a.example' }, [], { body: { webhook_url: 'https://b.example' } }),
    ).toContain('given twice');
  });

  it('of a GET have their flags in the query, even if configuration puts them into the body', () => {
    const gaps: Gaps = { ...DEFAULT_GAPS, callbackFlag: { name: 'send_callback', in: 'body', true: true } };
    const lawyer = operationOf('listLawyerCases');
    const args = { params: EXAMPLES.listLawyerCases, flags: ['callback'] } as const;
    expect(buildRequest(lawyer, args, gaps)).toEqual({
      operation: 'listLawyerCases',
      method: 'GET',
      target: '/v1/advogados/processos?oab_numero=123456&oab_estado=SP&page=1&send_callback=true',
    });
  });

  it.each<[OperationId, Parameters, string]>([
    ['getCase', { cnj: '1000001-15.2026.8.26.0100' }, 'wrong check digits (51 expected)'],
    ['listCasesByDocument', { cpf_cnpj: '529.982.247-26' }, 'is a CPF with wrong check digits'],
    ['listCasesByDocument', { cpf_cnpj: 52998224725 }, 'as a string'],
    ['listCasesByDocument', {}, 'params.cpf_cnpj is missing'],
    ['listNotices', { oabs: [] }, '1 to 500 entries'],
    ['createNoticeMonitor', { oabs: [] }, '1 to 500 entries'],
    ['createNoticeMonitor', { oabs: Array<string>(501).fill('SP:1') }, '1 to 500 entries'],
    ['listNotices', { oabs: ['SP:1', 'XX:2'] }, 'entry 2 names no Brazilian state'],
    ['listNotices', { oabs: ['SP:1-E'] }, 'UF:number only'],
    ['listNotices', { oabs: ['SP:1'], desde: '01/11/2026' }, 'yyyy-MM-dd'],
    ['listNotices', { oabs: ['SP:1'], desde: '2026-02-30' }, 'yyyy-MM-dd'],
    ['searchTerm', { q: '  ' }, 'must be text that is not empty'],
    ['searchTerm', { q: 'a\u0000b' }, 'control characters'],
    ['searchTerm', { q: '\ud800' }, 'control characters'],
    ['searchTerm', { q: 'x', qo: 'z' }, 'must be one of: t, d'],
    ['searchTerm', { q: 'x', ano_publicacao: '26' }, 'must be a year'],
    ['listMovements', { cnj: CNJ, page: '1e3' }, 'positive integer'],
    ['listMovements', { cnj: CNJ, page: -1 }, 'positive integer'],
    ['getPublication', { diarioId: '..' }, 'must be an id'],
    ['getPublication', { diarioId: '' }, 'must be an id'],
    ['createNoticeMonitor', { webhook_url: 'https://h.example' }, 'needs oabs, or oab_numero and oab_estado'],
    ['createNoticeMonitor', { oabs: ['SP:1'], webhook_url: 'https://u:p@h.example/' }, 'https URL'],
    ['listLawyerCases', { oab_numero: '12345678', oab_estado: 'SP' }, '1 to 7 digits'],
    ['listLawyerCases', { oab_numero: '1', oab_estado: 'São Paulo' }, 'two letters'],
    ['searchElectoralBoard', { from: '2026-09-01' }, 'gaps.filters.searchElectoralBoard.from'],
    ['listCourtSystems', { toString: 'x' }, 'params.toString is not a parameter'],
  ])('of %s with %j are refused: %s', (id, params, problem) => {
    expect(argumentsProblem(operationOf(id), params, [])).toContain(problem);
    expect(() => build(id, params)).toThrow('tramita: ');
  });

  it.each<[OperationId, Parameters, string]>([
    ['getCase', { cnj: '1000001-15.2026.8.26.0100' }, 'seen: "1000001-15.2026.8.26.0100"'],
    ['getCase', { cnj: 5 }, 'seen: 5'],
    ['searchTerm', { q: 'x', ano_publicacao: '26' }, 'seen: "26"'],
    ['listMovements', { cnj: CNJ, page: -1 }, 'seen: -1'],
    ['getPublication', { diarioId: '..' }, 'seen: 2 characters'],
    ['listNotices', { oabs: ['SP:1', 'XX:2'] }, 'seen: a list of 2'],
    ['listCasesByDocument', { cpf_cnpj: '529.982.247-26' }, 'seen: 14 characters'],
  ])('of %s with %j are refused with what was seen, or its length: %s', (id, params, seen) => {
    expect(argumentsProblem(operationOf(id), params, [])).toContain(seen);
  });

  it('are refused without a personal number in the problem', () => {
    expect(argumentsProblem(operationOf('listCasesByDocument'), { cpf_cnpj: '52998224726' }, [])).not.toContain('5299');
    expect(argumentsProblem(operationOf('getCase'), { cnj: CNJ, '52998224725': 'x' }, [])).toContain(
      'params.52…5 is not',
    );
  });
});

describe('gap names', () => {
  const gaps: Gaps = {
    ...DEFAULT_GAPS,
    oabNumberParam: 'numero',
    oabStateParam: 'uf',
    termPageParam: 'pagina',
    summaryPath: '/v1/resumos/{cnj}',
    updateMonitorOabIn: 'body',
    filters: { searchElectoralBoard: { from: 'de', to: 'ate', courts: 'tribunais', zone: 'zona' } },
  };

  it('rename and move parameters, and set the path', () => {
    expect(build('listLawyerCases', { numero: '1', uf: 'SP' }, gaps).target).toBe(
      '/v1/advogados/processos?numero=1&uf=SP',
    );
    expect(build('searchTerm', { q: 'x', pagina: 3 }, gaps).target).toBe('/v1/busca/termo?q=x&pagina=3');
    expect(build('getSummary', { cnj: CNJ }, gaps).target).toBe(`/v1/resumos/${CNJ}`);
    expect(build('updateNoticeMonitor', { numero: '1', uf: 'SP' }, gaps)).toMatchObject({
      target: '/v1/intimacoes/oab',
      body: '{"numero":"1","uf":"SP"}',
    });
    expect(build('createNoticeMonitor', { numero: '1', uf: 'SP' }, gaps).body).toBe('{"numero":"1","uf":"SP"}');
    expect(
      argumentsProblem(operationOf('listLawyerCases'), { oab_numero: '1', oab_estado: 'SP' }, [], { gaps }),
    ).toContain('it takes: numero, uf, page, limit');
  });

  it('make filters usable by our name or that of the service', () => {
    const target = '/v1/mural-eleitoral/publicacoes?de=2026-09-01&tribunais=TSE,TRE-SP&zona=1';
    expect(
      build('searchElectoralBoard', { from: '2026-09-01', courts: ['TSE', 'TRE-SP'], zone: '1' }, gaps).target,
    ).toBe(target);
    expect(
      build('searchElectoralBoard', { de: '2026-09-01', tribunais: ['TSE', 'TRE-SP'], zona: '1' }, gaps).target,
    ).toBe(target);
    const both = argumentsProblem(operationOf('searchElectoralBoard'), { de: '2026-09-01', from: '2026-09-01' }, [], {
      gaps,
    });
    expect(both).toContain('given twice');
    expect(argumentsProblem(operationOf('searchElectoralBoard'), { from: 'x' }, [], { gaps })).toContain('yyyy-MM-dd');
  });

  it('are named by what refuses a parameter that may be one of the filters without a name', () => {
    const problem = (id: OperationId, more: Gaps = gaps) =>
      argumentsProblem(operationOf(id), id === 'getCase' ? { cnj: CNJ, uf: 'SP' } : { uf: 'SP' }, [], { gaps: more });
    const cure = 'name them in the configuration file as gaps.filters.listPrecatorios';
    expect(problem('listPrecatorios')).toMatch(/ordenar\).*does not show: cnj, court, state, .*page, limit; /);
    expect(problem('listPrecatorios')).toContain(cure);
    const named = { ...gaps, filters: { listPrecatorios: { court: 'tribunal', page: 'pagina' } } };
    expect(problem('listPrecatorios', named)).toMatch(
      /ordenar, tribunal, pagina\).*: cnj, state, .*completeness.* limit; /,
    );
    expect(problem('listPrecatorios', named)).not.toMatch(/does not show.*(court|page)/);
    expect(problem('getCase')).toBe('params.uf is not a parameter of getCase (it takes: cnj)');
  });

  it('decide which parameter selects a page', () => {
    const page = (id: OperationId, more: Gaps = gaps) => pageParameterOf(applyGaps(operationOf(id), more));
    expect(page('listPublicDocuments')).toBe('page');
    expect(page('searchTerm')).toBe('pagina');
    expect(page('listPrecatorios')).toBeUndefined();
    expect(page('listPrecatorios', { ...gaps, filters: { listPrecatorios: { page: 'p' } } })).toBe('p');
    expect(page('getCase')).toBeUndefined();
  });

  it('can be applied twice without a further change', () => {
    for (const operation of OPERATIONS) {
      const once = applyGaps(operation, gaps);
      expect(applyGaps(once, gaps)).toEqual(once);
    }
  });

  it('and spellings are normalised in canonical parameters, so that equal calls are equal', () => {
    const canonical = (params: Parameters) => canonicalParameters(operationOf('searchElectoralBoard'), params, gaps);
    expect(canonical({ from: '2026-09-01' })).toEqual(canonical({ de: ' 2026-09-01 ' }));
    expect(canonicalParameters(operationOf('getCase'), { cnj: '1000001-51.2026.8.26.0100' }, gaps)).toEqual({
      cnj: CNJ,
    });
  });
});

describe('operations added by configuration', () => {
  const warrants: ExtraOperation = {
    id: 'searchWarrants',
    method: 'GET',
    path: '/v1/mandados/{cnj}',
    charge: 'per call',
    eligible202: true,
  };
  const nup: ExtraOperation = {
    id: 'createNup',
    method: 'POST',
    path: '/v1/nup',
    charge: 'per call',
    eligible202: true,
  };

  it('are in the catalogue beside the built-in ones', () => {
    const catalogue = withExtraOperations(OPERATIONS, [warrants, nup]);
    expect(catalogue.operations).toHaveLength(OPERATIONS.length + 2);
    expect(catalogue.has('searchWarrants') && catalogue.has('getCase')).toBe(true);
    expect(() => catalogue.operationOf('other')).toThrow('"other" is not in the catalogue');
  });

  it('accept any query and any body, but check the path parameters', () => {
    const catalogue = withExtraOperations(OPERATIONS, [warrants, nup]);
    const operation = catalogue.operationOf('searchWarrants');
    const params = { cnj: CNJ, nome: 'á b', lista: ['1', '2'], ativo: true, outro: false };
    expect(buildRequest(operation, { params, flags: [] }, DEFAULT_GAPS).target).toBe(
      `/v1/mandados/${CNJ}?nome=%C3%A1%20b&lista=1,2&ativo=true&outro=false`,
    );
    expect(argumentsProblem(operation, { cnj: 'x' }, [])).toContain('params.cnj');
    const body = { nup: '08000.123456/2026-04', ok: true };
    expect(buildRequest(catalogue.operationOf('createNup'), { params: {}, flags: [], body }, DEFAULT_GAPS)).toEqual({
      operation: 'createNup',
      method: 'POST',
      target: '/v1/nup',
      body: JSON.stringify(body),
    });
  });

  it.each([
    ['a built-in id', [{ ...warrants, id: 'getCase' }], '"getCase" exists already'],
    ['an id twice', [warrants, { ...warrants, path: '/v1/x' }], '"searchWarrants" exists already'],
    ['a built-in path', [{ ...warrants, path: '/v1/processos/cnj/{numero}' }], 'which is "getCase" already'],
  ])('are refused with %s', (_what, extra, problem) => {
    expect(() => withExtraOperations(OPERATIONS, extra)).toThrow(problem);
  });
});
