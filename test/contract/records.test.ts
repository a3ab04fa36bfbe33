import fc from 'fast-check';
import { readingOf } from '../../src/activities/readings/index.js';
import { readRecordItself } from '../../src/activities/readings/record.js';
import {
  DEFAULT_GAPS,
  buildMovementKeys,
  countDrift,
  decideSensitivity,
  operationOf,
  readCase,
  readDocumentCases,
  readGazettes,
  readLawyerCases,
  readMovements,
  readPrecatorios,
  readNotices,
  readSearchMeta,
  readRadars,
  readSummary,
} from '../../src/contract/index.js';

const CNJ = '10000015120268260100';
const caseOf = (data: object) => readCase({ data: { numeroCnj: CNJ, ...data } });

describe('the sensitivity of a record', () => {
  it.each([
    [{ nivel_sigilo: 1 }],
    [{ nivelSigilo: '5' }],
    [{ nivel_sigilo: 'absoluto' }],
    [{ secrecy_level: 2 }],
    [{ segredo_justica: true }],
    [{ segredoJustica: 1 }],
    [{ fontes: [{}, { segredo_justica: 'S' }] }],
    [{ a: { b: { c: [{ nome: 'PARTE/PROCESSO SIGILOSO' }] } } }],
    [{ titulo_polo_ativo: 'Em segredo de justiça' }],
    [{ poloPassivo: '******' }],
  ])('is SEALED for a sign of secrecy at any depth: %j', (record) => {
    expect(decideSensitivity(record, 'PUBLIC')).toBe('SEALED');
  });

  it.each([
    [{ nivel_sigilo: 0 }],
    [{ nivel_sigilo: null }],
    [{ segredo_justica: false }],
    [{ segredo_justica: 'false' }],
    [{ nome: 'SIGISMUNDO' }],
    [{}],
    [null],
  ])('is that of its kind without a sign of secrecy: %j', (record) => {
    expect(decideSensitivity(record, 'SENSITIVE')).toBe('SENSITIVE');
    expect(decideSensitivity(record, 'PUBLIC')).toBe('PUBLIC');
  });

  it('is SEALED if the record is too large to search', () => {
    expect(
      decideSensitivity(
        Array.from({ length: 50_001 }, () => ({})),
        'PERSONAL',
      ),
    ).toBe('SEALED');
  });

  it('is decided for records of any depth', () => {
    let deep: object = { segredo_justica: true };
    for (let level = 0; level < 20_000; level += 1) deep = { a: deep };
    expect(decideSensitivity(deep, 'PERSONAL')).toBe('SEALED');
  });
});

describe('the columns of a record', () => {
  it.each([
    [50_000, 500_000_000],
    ['50000.0000', 500_000_000],
    ['R$ 50.000,00', 500_000_000],
    ['R$\u00a01.234.567,89', 12_345_678_900],
    ['1.234,5', 12_345_000],
    [{ valor: '0.01', moeda: 'BRL' }, 100],
    ['0,00', 0],
    ['-R$ 10,50', -105_000],
    ['R$ 50.000', 500_000_000],
    [{ valor: null, valor_formatado: 'R$ 0.500' }, 5_000],
  ])('read the value %j as %d ten-thousandths', (value, units) => {
    expect(caseOf({ valor_causa: value })?.record.value).toBe(units);
  });

  it('read a value in linear time', () => {
    expect(caseOf({ valor_causa: ' '.repeat(1_000_000) + 'x' })?.record.value).toBeNull();
  });

  it.each(['muito', '1.23.4', '1,234', {}, [], true])(
    'read the value %j as unknown, not zero, and as drift',
    (value) => {
      expect(caseOf({ valor_causa: value })?.record).toMatchObject({
        value: null,
        drift: [{ member: 'value', problem: 'unreadable' }],
      });
    },
  );

  it('read a case number in a JSON number as unknown and as drift, because its last digits are lost', () => {
    const reading = readCase({ data: { numeroCnj: Number(CNJ) } });
    expect(reading?.record).toMatchObject({ cnj: null, drift: [{ member: 'cnj', problem: 'unreadable' }] });
  });

  it('keep a case number with a wrong check digit', () => {
    expect(readCase({ data: { numeroCnj: '1000001-15.2026.8.26.0100' } })?.record.cnj).toBe('10000011520268260100');
  });

  it('read a cover inside `processo`, with its sources, and keep it as it came', () => {
    const data = { processo: { numeroCnj: CNJ, dataInicio: '2025-06-15', fontes: [{ sigla: 'TJSP' }] }, status: null };
    const reading = readCase({ data });
    expect(reading?.record).toMatchObject({ cnj: CNJ, startedOn: '2025-06-15', data });
    expect(reading?.sources).toMatchObject([{ acronym: 'TJSP' }]);
    const other = { numeroCnj: CNJ, tituloPoloAtivo: 'A', processo: { numeroCnj: CNJ, dataInicio: '1999-01-01' } };
    expect(readCase({ data: other })?.record).toMatchObject({ activeParty: 'A', startedOn: null });
  });

  it('count unknown members by name, without their content', () => {
    const reading = caseOf({ novoCampo: 'segredo', 'a b<c>': 1, '529.982.247-25': 1 });
    expect(reading?.record.drift).toEqual([
      { member: 'novoCampo', problem: 'unknown' },
      { member: '?', problem: 'unknown' },
      { member: '?', problem: 'unknown' },
    ]);
    expect(countDrift([...(reading?.record.drift ?? []), { member: 'novoCampo', problem: 'unknown' }])).toEqual({
      'novoCampo unknown': 2,
      '? unknown': 2,
    });
  });

  it('report spellings of one member that disagree as a conflict, but not members at other places', () => {
    const drift = (data: object) => caseOf(data)?.record.drift;
    expect(drift({ anoInicio: 2026, ano_inicio: '2026' })).toEqual([]);
    expect(drift({ anoInicio: 2026, ano_inicio: 2025 })).toEqual([{ member: 'startYear', problem: 'conflict' }]);
    expect(drift({ classe: 'A', capa: { classe: 'B' } })).toEqual([]);
  });
});

describe('a list of records', () => {
  it('in an unknown member is found if it is the only list, and is reported as drift', () => {
    const list = readDocumentCases({ data: { casos: [{ numeroCnj: CNJ }], nota: 'x' } });
    expect(list).toMatchObject({ cases: [{ record: { cnj: CNJ } }], drift: [{ member: 'casos', problem: 'unknown' }] });
    expect(readDocumentCases({ data: { a: [], b: [] } })).toBeUndefined();
    expect(readDocumentCases({ data: { a: [{}], b: [{}] } })).toBeUndefined();
  });

  it('in an unknown member is distinguished from other lists beside it', () => {
    const publicacoes = [{ id: '1' }, { id: '2' }];
    const board = (data: object) => readPrecatorios({ data })?.records.map(({ id }) => id);
    expect(board({ registros: publicacoes, tribunais: ['TSE', 'TRE-SP'] })).toEqual(['1', '2']);
    expect(board({ registros: [], tribunais: ['TSE'] })).toEqual([]);
    expect(board({ registros: publicacoes, erros: [{ codigo: 1 }] })).toEqual(['1', '2']);
    expect(board({ registros: [], avisos: [{ texto: 'x' }] })).toEqual([]);
    expect(board({ total: 0, avisos: ['nada'] })).toEqual([]);
    expect(board({ avisos: ['nada'] })).toBeUndefined();
  });

  it('that is null, or absent beside a count of zero, is empty, unless a count says otherwise', () => {
    const none = { total: 0, links: { next: null } };
    expect(readNotices({ data: { intimacoes: null, missingMonitorings: ['SP:1'], ...none } })?.records).toEqual([]);
    expect(readDocumentCases({ data: { processos: null, ...none } })?.cases).toEqual([]);
    expect(readMovements({ movimentacoes: null })?.records).toEqual([]);
    const lawyer = { processos: null, items: null, quantidadeProcessos: 0, cobertura: {} };
    expect(readLawyerCases({ data: lawyer }, DEFAULT_GAPS)?.records).toEqual([]);
    expect(readLawyerCases({ data: { ...lawyer, quantidadeProcessos: 3 } }, DEFAULT_GAPS)).toBeUndefined();
    expect(readDocumentCases({ data: { processos: null, total: 3 } })).toBeUndefined();
    expect(readDocumentCases({ data: { processos: null, casos: [{}], total: 1 } })?.cases).toHaveLength(1);
    const elsewhere = { processos: null, mandados: [{ id: '1' }] };
    expect(readDocumentCases({ data: elsewhere })?.cases).toHaveLength(1);
    expect(readMovements({ data: none })?.records).toEqual([]);
    expect(
      readNotices({ data: { missingMonitorings: ['SP:1'] }, meta: {}, pagination: { total: 0 } })?.records,
    ).toEqual([]);
    expect(readLawyerCases({ data: { quantidadeProcessos: 0, cobertura: {} } }, DEFAULT_GAPS)?.records).toEqual([]);
    expect(readMovements({ data: { ...none, total: 3 } })).toBeUndefined();
    const inSnake = { processos: null, total_disponivel: 3, quantidade_processos: 3, cobertura: {} };
    expect(readLawyerCases({ data: inSnake }, DEFAULT_GAPS)).toBeUndefined();
    expect(readLawyerCases({ data: { ...inSnake, processos: [{}] } }, DEFAULT_GAPS)?.counts).toEqual({
      cases: 3,
      available: 3,
    });
    expect(readMovements({ data: { links: { next: null } } })).toBeUndefined();
  });

  it('keeps items that are not records', () => {
    expect(readNotices({ data: { intimacoes: [null, 'x', 5, [1]] } })?.records.map(({ data }) => data)).toEqual([
      null,
      'x',
      5,
      [1],
    ]);
  });

  it('is required in an answer', () => {
    for (const body of [undefined, null, 'x', {}, { data: null }, { data: { message: 'ok' } }]) {
      expect(readMovements(body)).toBeUndefined();
      expect(readLawyerCases(body, DEFAULT_GAPS)).toBeUndefined();
    }
  });
});

describe('the gazettes of a lawyer', () => {
  it('are not hidden by an empty list beside them', () => {
    const gazettes = readGazettes({ data: { publicacoes: [], processos: [{ id: '1' }, { id: '2' }] } });
    expect(gazettes?.records).toHaveLength(2);
    expect(readGazettes({ data: { publicacoes: [], processos: [] } })?.records).toEqual([]);
  });
});

describe("the lawyer's list", () => {
  it('has the classification in the configured field', () => {
    const body = { data: { items: [{ numeroCnj: CNJ, situacaoLista: { tipo: 'RECENTE' } }], cobertura: {} } };
    const read = (classificationField: readonly string[]) =>
      readLawyerCases(body, { classificationField })?.records[0]?.classification;
    expect(read(['classificacao'])).toBeNull();
    expect(read(['classificacao', 'situacaoLista.tipo'])).toBe('RECENTE');
  });

  it('reports missing coverage as drift', () => {
    expect(readLawyerCases({ data: [] }, DEFAULT_GAPS)).toMatchObject({
      records: [],
      coverage: { partial: null, complete: null, version: null },
      drift: [{ member: 'cobertura', problem: 'missing' }],
    });
  });
});

describe('a single record', () => {
  const record = (body: unknown) => readRecordItself({ body });

  it('is `data`, or the body without that member; an empty answer is an empty record', () => {
    expect(record({ data: { a: 1, raw: 'copy' }, meta: {} })).toEqual({ record: { a: 1 } });
    expect(record({ a: 1 })).toEqual({ record: { a: 1 } });
    expect(record({ data: null, meta: { requestId: 'x' } })).toEqual({ record: {} });
    expect(record({ data: {}, meta: { requestId: 'x' } })).toEqual({ record: {} });
    expect(record([])).toBeUndefined();
  });
});

describe('a summary', () => {
  const answer = { params: { cnj: CNJ }, gaps: DEFAULT_GAPS, bytes: 0, sha256: '' };
  const read = (data: unknown, operation: 'getSummary' | 'requestSummary' = 'getSummary') =>
    readingOf('summary', { ...answer, operation: operationOf(operation), body: { data, meta: {} } });
  const state = (data: object) => read({ numeroCnj: CNJ, atualizadoEm: '2026-11-20 12:00', ...data });

  it.each([
    { conteudo: 'Resumo do caso.' },
    { conteudo: 'Resumo.', status: 'PROCESSANDO' },
    { resumo: { texto: 'Resumo do caso.' } },
    { summary: { content: 'Resumo.' }, state: 'novo' },
    { resumo: { topicos: ['O autor pede danos.'] } },
    { sintese: 'O autor pede danos.' },
    { status: 'SUCESSO' },
    { status: 'SUCESSO', conteudo: null, secoes: [{ titulo: 'Partes' }] },
  ])('is ready in %j', (data) => {
    expect(state(data)).toMatchObject({ ready: true });
  });

  it.each([
    {},
    { requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', tribunal: { nome: 'Tribunal de Justiça' } },
    { conteudo: null, resumo: {}, cached: false, url: 'https://api.example/x' },
    { status: 'PROCESSANDO', sintese: 'O resumo está sendo feito.' },
    { status: 'ERRO', sintese: 'Não foi possível.' },
    { status: 'na fila', sintese: 'Logo mais.' },
    { mensagem: 'O resumo ainda não está pronto.', situacao: 'em andamento' },
  ])('is not ready in %j', (data) => {
    expect(state(data)).toMatchObject({ ready: false });
  });

  it.each(['getSummary', 'requestSummary'] as const)('is running, not lost, in an empty answer of %s', (operation) => {
    expect(read(null, operation)).toMatchObject({ ready: false, state: 'running', rawStatus: null });
  });

  it.each([['O autor pede danos.'], [[{ texto: 'O autor pede danos.' }]]])('may be the whole data: %j', (data) => {
    expect(read(data)).toMatchObject({ ready: true, record: { data } });
    expect(readRecordItself({ body: { data, meta: {} } })).toEqual({ record: { data } });
  });

  it('in an object is read as its text', () => {
    expect(readSummary({ data: { resumo: { texto: 'Resumo.' } } })).toMatchObject({ text: 'Resumo.', drift: [] });
  });
});

describe('a created monitor', () => {
  it.each(['monitor', 'monitoramento', 'radar', 'novoMonitoramento', 'registro'])('is found in %s', (name) => {
    const record = { id: 7, status: 'ATIVO', webhook: { id: 9 } };
    const data = { [name]: record, billing: { id: 1 }, callback: { enabled: true, mode: 'resource' } };
    expect(readRadars({ data })).toMatchObject({
      monitors: [{ id: '7', status: 'ATIVO' }],
      callback: { enabled: true, mode: 'resource' },
    });
  });
});

it.each([
  [{ id: 7, ativo: true }, 'active'],
  [{ id: 7, ativo: false }, 'inactive'],
  [{ id: 7, ativo: true, status: 'ATIVO' }, 'ATIVO'],
  [{ id: 7 }, null],
])('readingOf gives for the monitor %j the status %s', (data, status) => {
  const answer = { operation: operationOf('createRadar'), params: {}, gaps: DEFAULT_GAPS, bytes: 0, sha256: '' };
  expect(readingOf('monitor', { ...answer, body: { data } })).toMatchObject({ monitors: [{ id: '7', status }] });
});

test('readingOf shortens the texts of a monitor, so that a result stays small', () => {
  const endless = 'x'.repeat(3_000_000);
  const answer = { params: {}, gaps: DEFAULT_GAPS, bytes: 0, sha256: '', operation: operationOf('createRadar') };
  const body = { data: { id: endless, status: endless, callback: { enabled: true, mode: endless } } };
  expect(JSON.stringify(readingOf('monitor', { ...answer, body })).length).toBeLessThan(5_000);
});

describe('a list of notices', () => {
  const items = [{ id: '1' }, { id: '2' }];
  it.each([
    [{}, false],
    [{ total: 2 }, false],
    [{ total: 2, links: { next: null } }, false],
    [{ pagination: { total: 2, limit: 100, totalPages: 1 } }, false],
    [{ total: 3 }, true],
    [{ total: '3', links: { next: null } }, true],
    [{ pagination: { total: 120 } }, true],
    [{ links: { next: { href: '/v1/intimacoes?page=2' } } }, true],
    [{ links: { next: 'https://elsewhere.example/x?page=2' } }, true],
    [{ pagination: { totalPages: 2 } }, true],
    [{ cursor: 'x' }, true],
  ])('with %j is cut: %p', (beside, cut) => {
    expect(readNotices({ data: { intimacoes: items, ...beside } })).toMatchObject({ cut });
  });
});

describe('the publication of a notice', () => {
  const idOf = (notice: object) =>
    readNotices({ data: { items: [{ id: '1', ...notice }] } })?.records[0]?.publicationId;

  it.each([
    { link: '/v1/intimacoes/publicacoes/77/' },
    { link: { href: 'https://api.example/v1/intimacoes/publicacoes/77?x=1' } },
    { links: { publicacao: { href: '/publicacoes/77' } } },
    {
      links: [
        { rel: 'self', href: '/v1/intimacoes/1' },
        { rel: 'publicacao', href: '/publicacoes/77/?x=1' },
      ],
    },
    { url: '/publicacoes/77' },
    { linkPublicacao: 'https://api.example/publicacoes/77' },
    { link: 'https://court.example/consulta', links: { publicacao: '/publicacoes/77' } },
    { links: { publicacao: '/publicacoes/77' }, url: '/publicacoes/78' },
    { url: '/publicacoes/77', outras: [{ url: '/publicacoes/77/' }] },
  ])('is found in %j', (notice) => {
    expect(idOf(notice)).toBe('77');
  });

  it.each([
    { url: '/publicacoes/77', outra: '/publicacoes/78' },
    { url: '/v1/dje-eleitoral/publicacoes/77' },
    { url: '/publicacoes/77/pdf' },
    { url: '/publicacoes/' },
    { url: '/publicacoes/%E0%A4%A' },
    { conteudo: 'veja em https://court.example/publicacoes/77' },
    { a: { b: { c: { d: { url: '/publicacoes/77' } } } } },
    { url: `/${'x'.repeat(3_000)}/publicacoes/77` },
  ])('is not guessed from %.80j', (notice) => {
    expect(idOf(notice)).toBeNull();
  });
});

describe('the keys of movements', () => {
  const movements = (items: readonly object[]) => readMovements({ data: { movimentacoes: items } })?.records ?? [];
  const keys = (items: readonly object[]) => buildMovementKeys(CNJ, movements(items));
  const BASE = { data: '2026-11-19', conteudo: '<p>Conclusos  para DECISÃO</p>', fonte: { sigla: 'TJSP', grau: 1 } };

  it('are equal for every spelling of date, markup, accents and blanks', () => {
    const same = { data: '19/11/2026', conteudo: ' conclusos para decisao', fonte: { sigla: 'TJSP', grau: '1' } };
    expect(keys([BASE])).toEqual(keys([same]));
  });

  it('are built in linear time from a text with many opening brackets', () => {
    const conteudo = `${BASE.conteudo}${'<'.repeat(1_000_000)}`;
    expect(keys([{ ...BASE, conteudo }])).toHaveLength(1);
  });

  it.each([
    ['day', { data: '2026-11-20' }],
    ['text', { conteudo: 'Outra' }],
    ['source', { fonte: { sigla: 'TRF3', grau: 1 } }],
    ['degree', { fonte: { sigla: 'TJSP', grau: 2 } }],
  ])('differ by %s', (_what, change) => {
    expect(keys([BASE])).not.toEqual(keys([{ ...BASE, ...change }]));
    expect(buildMovementKeys('50007771420258130024', movements([BASE]))).not.toEqual(keys([BASE]));
  });

  it('distinguish repeated movements by an ordinal, or by their id', () => {
    const [first, second, third] = keys([BASE, BASE, { ...BASE, id: 7 }]);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(keys([{ ...BASE, id: 7 }])).toEqual(keys([{ ...BASE, id: 7, conteudo: 'corrigido' }]));
  });
});

describe('the metadata of a search', () => {
  it('is read member by member', () => {
    const search = { mode: 'PRECATORIO_BUDGET', partial: 'x', totalExact: false, warnings: ['a', 'b'] };
    expect(readSearchMeta({ data: [], meta: { search } })).toEqual({
      mode: 'PRECATORIO_BUDGET',
      partial: null,
      totalExact: false,
      cacheHit: null,
      warnings: 2,
      data: search,
    });
    expect(readSearchMeta({ items: [] })).toBeUndefined();
  });
});

it('readers never throw on any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      for (const body of [value, { data: value }, { data: { items: [value], links: value } }]) {
        readCase(body);
        readDocumentCases(body);
        readLawyerCases(body, DEFAULT_GAPS);
        readMovements(body);
        readNotices(body);
        readSearchMeta(body);
      }
    }),
    { numRuns: 500 },
  );
});
