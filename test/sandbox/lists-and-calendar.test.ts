/** Calendar, corpora, and the lists whose rules the interface gives: movements, notices, precatórios, board, searches. */
import { deadlineStart, isWorkingDay, nextWorkingDay } from '../../sandbox/civil/calendar.js';
import { cnjAt, CORPUS_SIZE, cnjOfOwner, isInCorpus } from '../../sandbox/cases/corpus.js';
import { companyOf, personOf, readOab, readTaxId } from '../../sandbox/cases/people.js';
import { movementCount } from '../../sandbox/cases/movements.js';
import { TAX_IDS } from '../../sandbox/index.js';
import { parseCnj, parseCpfCnpj } from '../../src/contract/index.js';
import { dataOf } from './support/calls.js';
import { closeSandboxes, HAPPY, start, type Caller, type Reply } from './support/client.js';

afterEach(closeSandboxes);

const searchOf = (reply: Reply) => (reply.json as unknown as { meta: { search: Record<string, unknown> } }).meta.search;
const itemsOf = (reply: Reply) => (dataOf(reply) as { items: Record<string, unknown>[] }).items;

test.each([
  ['2026-10-09', '2026-10-13', '2026-10-14'],
  ['2026-11-19', '2026-11-23', '2026-11-24'],
  ['2026-12-10', '2026-12-11', '2026-12-14'],
  ['2026-12-18', '2027-01-07', '2027-01-21'],
  ['2027-02-05', '2027-02-10', '2027-02-11'],
  ['2027-03-22', '2027-03-23', '2027-03-29'],
])('a notice made available on %s is published on %s, and its deadline starts on %s', (available, published, first) => {
  expect(nextWorkingDay(available)).toBe(published);
  expect(deadlineStart(published)).toBe(first);
});

test('holidays, weekends and the court recess are not working days', () => {
  for (const day of [
    '2026-11-20',
    '2026-08-11',
    '2027-02-08',
    '2027-03-25',
    '2026-12-20',
    '2027-01-06',
    '2026-11-21',
  ]) {
    expect([day, isWorkingDay(day)]).toEqual([day, false]);
  }
});

describe('corpora', () => {
  test('every index gives a distinct valid number of a known court, and only numbers of a corpus belong to it', () => {
    const numbers = Array.from({ length: 3_000 }, (_, index) => cnjAt('s', index * 333));
    expect(new Set(numbers).size).toBe(3_000);
    for (const number of numbers) expect(parseCnj(number)).toMatchObject({ ok: true, courtKnown: true });
    expect(new Set(numbers.map((number) => number.slice(13, 16))).size).toBeGreaterThan(80);
    expect(isInCorpus({ seed: 's', corpus: 'tiny' }, cnjAt('s', 49))).toBe(true);
    expect(isInCorpus({ seed: 's', corpus: 'tiny' }, cnjAt('s', 50))).toBe(false);
    expect(isInCorpus({ seed: 'other', corpus: 'firm' }, cnjAt('s', 77))).toBe(cnjAt('other', 77) === cnjAt('s', 77));
  });

  test.each(['tiny', 'firm', 'mass'] as const)('the cases of one owner in %s are all different', (corpus) => {
    const count = Math.min(CORPUS_SIZE[corpus], 10_000);
    const cases = Array.from({ length: count }, (_, place) => cnjOfOwner({ seed: 's', corpus }, 'SP:1', place));
    expect(new Set(cases).size).toBe(count);
  });

  test('tiny has only its fifty cases and the personas, and a reset can change the corpus', async () => {
    const sandbox = await start({ corpus: 'tiny' });
    const status = async (cnj: string) => (await sandbox.get(`/v1/processos/cnj/${cnj}`)).status;
    const [inside, outside] = [cnjAt('tramita', 7), cnjAt('tramita', 7_000)];
    expect([await status(inside), await status(HAPPY), await status(outside)]).toEqual([200, 200, 404]);
    await sandbox.control('/reset', { corpus: 'firm' });
    expect(await status(outside)).toBe(200);
  });

  test('the numbers of movements follow those of the national stock of cases', () => {
    const counts = Array.from({ length: 4_000 }, (_, index) => movementCount('s', cnjAt('s', index), 0)).sort(
      (a, b) => a - b,
    );
    expect(counts[2_000]).toBeLessThanOrEqual(27);
    expect(counts[3_800]).toBeLessThanOrEqual(152);
    expect(counts.at(-1)).toBeGreaterThan(600);
  });

  test('people and companies are fictional with valid tax ids, and half of the company ids have letters', () => {
    const people = Array.from({ length: 500 }, (_, n) => [personOf('s', n), companyOf('s', n)] as const).flat();
    for (const { nome, documento } of people) {
      expect(nome).toMatch(/FICTÍCI/);
      expect(parseCpfCnpj(documento).ok).toBe(true);
      expect(readTaxId(documento)).toBe(documento);
    }
    const letters = people.filter(({ documento }) => /[A-Z]/.test(documento)).length;
    expect(letters).toBeGreaterThan(180);
    expect(letters).toBeLessThan(320);
    for (const { taxId } of TAX_IDS) expect(parseCpfCnpj(taxId).ok).toBe(true);
  });

  test('a lawyer’s registration is read in each of its spellings, and other text is refused', () => {
    for (const text of ['SP:123456', '123456/SP', 'SP123456', 'OAB/SP 123456', 'sp:0123456', 'SP:123456-A']) {
      expect(readOab(text)).toEqual({ uf: 'SP', numero: '123456' });
    }
    for (const text of ['XX:1', 'SP:', 'SP:0', 'SP:12345678', '', 'SP 1 2']) expect(readOab(text)).toBeUndefined();
  });
});

test('movements are the same complete list at any page size, and the last page has no next link', async () => {
  const sandbox = await start();
  const path = `/v1/processos/cnj/${cnjAt('tramita', 3)}/movimentacoes`;
  const walk = async (first: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (let at: string | undefined = first; at !== undefined;) {
      const data = dataOf(await sandbox.get(at)) as {
        movimentacoes: { conteudo: string }[];
        links: { next: { href: string } | null };
      };
      found.push(...data.movimentacoes.map(({ conteudo }) => conteudo));
      at = data.links.next?.href.slice(sandbox.url.length);
    }
    return found;
  };
  const [byDefault, bySmall] = [await walk(path), await walk(`${path}?limit=7`)];
  expect(bySmall).toEqual(byDefault);
  const { total } = dataOf(await sandbox.get(path)) as { total: number };
  expect([byDefault.length, new Set(byDefault).size]).toEqual([total, total]);
});

describe('cases by tax id', () => {
  const list = (sandbox: Caller, taxId: string, more = '') => sandbox.get(`/v1/processos?cpf_cnpj=${taxId}${more}`);
  test('are priced per result: 27 cases cost 3.8988', async () => {
    const sandbox = await start();
    const reply = await list(sandbox, '90000000175');
    expect(reply.json.meta).toMatchObject({ creditsCharged: 3.8988, creditsRemaining: 996.1012 });
    expect((await list(sandbox, '90000000175', '&limit=20&page=2')).json.meta.creditsCharged).toBe(7 * 0.1444);
  });
  test('cost nothing when a tax id with letters is refused or not found upstream', async () => {
    const sandbox = await start();
    const replies = [
      await list(sandbox, 'SANDBOX1000170'),
      await list(sandbox, 'SA.NDB.OX2/0001-14'),
      await list(sandbox, '529.982.247-26'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([422, 200, 422]);
    expect(await sandbox.charges()).toEqual([]);
  });
});

describe('precatórios', () => {
  const get = (sandbox: Caller, query: string) => sandbox.get(`/v1/precatorios?${query}`);
  test.each([
    ['', 'PRECATORIO_PROCESS_INDEX'],
    ['ano_orcamentario=2027', 'PRECATORIO_BUDGET'],
    ['ano_orcamentario_inicio=2026&ano_orcamentario_fim=2027&tribunal=TRF3', 'PRECATORIO_BUDGET'],
    ['ano_orcamentario=2027&tribunal=TJSP', 'PRECATORIO_PROCESS_INDEX'],
    ['ano_orcamentario=2027&tribunal=TRE-SP', 'PRECATORIO_PROCESS_INDEX'],
    ['ano_orcamentario=2027&uf=SP', 'PRECATORIO_PROCESS_INDEX'],
  ])('query "%s" is answered in mode %s', async (query, mode) => {
    const sandbox = await start();
    expect(searchOf(await get(sandbox, query))['mode']).toBe(mode);
  });
  test('budget rows may lack a case number, show no beneficiary, and were presented before the cut-off', async () => {
    const sandbox = await start();
    const rows = itemsOf(await get(sandbox, 'ano_orcamentario=2028&limit=100'));
    expect(rows.some((row) => row['numeroCnj'] === null)).toBe(true);
    expect(rows.every((row) => row['beneficiario'] === null && row['anoOrcamentario'] === 2028)).toBe(true);
    for (const row of rows) {
      expect(row['dataApresentacao']! >= '2026-02-02' && row['dataApresentacao']! <= '2027-02-01').toBe(true);
    }
  });
  test('analise_desc sorts complete records before partial ones', async () => {
    const sandbox = await start();
    const pages = [1, 2, 3].map((page) => get(sandbox, `ordenar=analise_desc&limit=100&page=${page}`));
    const completeness = (await Promise.all(pages))
      .flatMap(itemsOf)
      .map((row) => row['beneficiario'] !== null && row['valorAtualizado'] !== null);
    expect(completeness.length).toBe(300);
    expect(completeness[0]).toBe(true);
    expect(completeness.at(-1)).toBe(false);
    expect(completeness.indexOf(false)).toBe(completeness.lastIndexOf(true) + 1);
  });
  test('a reversed range of years is refused', async () => {
    const sandbox = await start();
    expect((await get(sandbox, 'ano_orcamentario_inicio=2027&ano_orcamentario_fim=2026')).status).toBe(422);
  });
});

describe('the electoral board (Mural)', () => {
  const get = (sandbox: Caller, query: string) => sandbox.get(`/v1/mural-eleitoral/publicacoes?${query}`);
  test.each([
    ['data_inicio=2026-09-01&data_fim=2026-09-07', 200],
    ['data_inicio=2026-09-01&data_fim=2026-09-08', 422],
    ['data_inicio=2026-09-02&data_fim=2026-09-01', 422],
    ['data_inicio=2026-09-01&data_fim=2026-09-01&tribunais=TSE,TRE-SP,TRE-RJ,TRE-MG,TRE-BA,TRE-PR', 200],
    ['data_inicio=2026-09-01&data_fim=2026-09-01&tribunais=TRE-SP,TRE-RJ,TRE-MG,TRE-BA,TRE-PR,TRE-SC', 422],
    ['tribunais=TJSP', 422],
  ])('query %s answers %i', async (query, status) => {
    const sandbox = await start();
    expect((await get(sandbox, query)).status).toBe(status);
    expect(await sandbox.charges()).toHaveLength(status === 200 ? 1 : 0);
  });
  test('has rows from 15 August to 19 December of even years only', async () => {
    const sandbox = await start();
    const count = async (from: string, to: string) =>
      itemsOf(await get(sandbox, `data_inicio=${from}&data_fim=${to}&tribunais=TSE,TRE-SP,TRE-RJ`)).length;
    expect(await count('2026-08-15', '2026-08-21')).toBeGreaterThan(0);
    expect([await count('2026-08-08', '2026-08-14'), await count('2025-09-01', '2025-09-07')]).toEqual([0, 0]);
  });
});

describe('searches', () => {
  test.each([
    ['q=empresa', 'LOCAL_INDEX'],
    ['q=empresa&data_publicacao_inicio=2026-10-01&data_publicacao_fim=2026-10-31&qo=t', 'OFFICIAL_COMMUNICATIONS'],
    ['q=empresa&ano_publicacao=2026&qo=d&tribunal=TJSP', 'OFFICIAL_COMMUNICATIONS'],
    [`q=${encodeURIComponent('precatório')}&ano_orcamentario=2027`, 'BUDGET_RECORDS'],
  ])('query %s is answered in mode %s, and every page is charged', async (query, mode) => {
    const sandbox = await start();
    const reply = await sandbox.get(`/v1/busca/termo?${query}`);
    expect([reply.status, searchOf(reply)['mode']]).toEqual([200, mode]);
    for (const name of [
      'mode',
      'period',
      'filters',
      'quality',
      'capabilities',
      'totalExact',
      'warnings',
      'partial',
      'cacheHit',
    ]) {
      expect(searchOf(reply)).toHaveProperty(name);
    }
    await sandbox.get(`/v1/busca/termo?${query}&page=2`);
    expect(await sandbox.charges()).toHaveLength(2);
  });

  test('the legacy search has no envelope, figures in headers, plain-text errors and a limit of 30 a minute per key', async () => {
    const sandbox = await start();
    const replies = [];
    for (let n = 0; n < 32; n += 1) replies.push(await sandbox.get('/v1/busca?q=empresa'));
    const [first, late] = [replies[0]!, replies[31]!];
    expect(first.json).toMatchObject({ paginator: { current_page: 1 } });
    expect(first.json).not.toHaveProperty('data');
    expect(first.headers).toMatchObject({ 'x-service-credits-charged': '0.2', 'x-service-credits-remaining': '999.8' });
    expect(replies.map(({ status }) => status)).toEqual([...Array.from({ length: 30 }, () => 200), 429, 429]);
    expect([typeof late.json.error, Number(late.headers['retry-after']) > 0]).toEqual(['string', true]);
    expect((await sandbox.get('/v1/busca?q=empresa', { 'x-api-key': 'empty-key' })).status).toBe(402);
    expect((await sandbox.get('/v1/conta/saldo')).status).toBe(200);
    await sandbox.control('/clock', { advanceMs: 60_000 });
    expect((await sandbox.get('/v1/busca?q=empresa')).status).toBe(200);
    expect(await sandbox.charges()).toHaveLength(31);
  });
});

test.each(['seconds', 'date', 'none'] as const)(
  'other operations have a limit per minute, with Retry-After as %s',
  async (retryAfter) => {
    const sandbox = await start({ rateLimits: { perMinute: 60 }, dialect: { retryAfter } });
    const replies = await Promise.all(Array.from({ length: 63 }, () => sandbox.get('/v1/conta/saldo')));
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(3);
    const value = limited[0]!.headers['retry-after'];
    expect(
      value === undefined ? 'none' : /^\d+$/.test(value) ? 'seconds' : Number.isNaN(Date.parse(value)) ? value : 'date',
    ).toBe(retryAfter);
  },
);

test('notices fall on working days, have distinct ids, may be cancelled, and are priced per registration', async () => {
  const sandbox = await start();
  await sandbox.control('/clock', { advanceMs: 20 * 86_400_000 });
  const now = (await sandbox.control('/clock')).json.now;
  const desde = new Date(Date.parse(now) - 25 * 86_400_000).toISOString().slice(0, 10);
  const lawyers = Array.from({ length: 20 }, (_, n) => `SP:${1_000 + n}`);
  const reply = await sandbox.get(`/v1/intimacoes?oabs=${lawyers.join(',')}&desde=${desde}`);
  expect(reply.json.meta.creditsCharged).toBe(2);
  const { intimacoes, missingMonitorings } = dataOf(reply) as {
    intimacoes: { id: string; diarioId: string; link: string; dataDisponibilizacao: string; conteudo: string }[];
    missingMonitorings: string[];
  };
  expect(missingMonitorings).toEqual(lawyers);
  expect(new Set(intimacoes.map(({ id }) => id)).size).toBe(intimacoes.length);
  expect(intimacoes.every(({ dataDisponibilizacao }) => isWorkingDay(dataDisponibilizacao))).toBe(true);
  const cancelled = intimacoes.filter(({ conteudo }) => conteudo === 'Publicação cancelada');
  expect(cancelled.length).toBeGreaterThan(0);
  const text = dataOf(await sandbox.get(new URL(cancelled[0]!.link).pathname));
  expect(text).toMatchObject({ ativo: false, motivo_cancelamento: 'Duplicidade' });
  for (const wrong of ['202610092500012340', '20261009250001234', '2099010125000123401', 'x']) {
    expect((await sandbox.get(`/v1/intimacoes/publicacoes/${wrong}`)).status).toBe(404);
  }
});
