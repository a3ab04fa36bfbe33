import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  DEFAULT_GAPS,
  present,
  readCase,
  readLawyerCases,
  readMovements,
  readNotices,
  readPrecatorios,
  readSearch,
  type CivilDate,
  type OabKey,
} from '../../src/contract/index.js';
import {
  CASES,
  HITS,
  MOVEMENTS,
  PRECATORIOS,
  caseRow,
  createFacts,
  createLawyerCollections,
  createMonitors,
  createNotices,
  createPortfolios,
  hitRow,
  movementRows,
  precatorioRow,
  type FactRow,
  type FactTable,
} from '../../src/records/index.js';
import { withDatabase } from '../support/database.js';
import { token } from '../support/plant-subject.js';

const CNJ = '10000015120268260100';
const T0 = Date.UTC(2026, 10, 20);
const source = { account: 'default', operation: 'getCase' };

const concurrentDatabase = withDatabase();

describe('facts:', () => {
  const database = withDatabase();
  const save = (table: FactTable, rows: readonly FactRow[], nowMs = T0) =>
    createFacts({ db: database.db }).save({ ...source, pages: [{ table, rows }], drift: [], nowMs });
  const movements = (...items: object[]): readonly FactRow[] =>
    movementRows(CNJ, readMovements({ data: { movimentacoes: items } })?.records ?? []);
  const cover = (record: object): readonly FactRow[] => {
    const read = readCase({ data: { numeroCnj: CNJ, ...record } });
    const row = read && caseRow(read, { origin: 'cover' });
    return row === undefined ? [] : [row];
  };
  const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
    (await sql<Record<string, unknown>>`select * from ${sql.table(`tramita.${table}`)}`.execute(database.db)).rows;
  /** The day up to which a registration counts as read, after an empty list on `today`. */
  const readUntil = async (oab: string, today: string, list: object) => {
    const read = { today: today as CivilDate, askedAtMs: Date.parse(`${today}T15:00:00Z`), nowMs: T0, ...list };
    const notices = createNotices({ db: database.db, token });
    return (await notices.save({ account: 'default', oabs: [oab], notices: [], ...read })).readUntil;
  };

  it('a row is written only when its content differs', async () => {
    const page = movements(
      { data: '2026-01-02', conteudo: 'Distribuído' },
      { data: '2026-01-02', conteudo: 'Concluso' },
    );
    expect(await save(MOVEMENTS, page)).toBe(2);
    expect(await save(MOVEMENTS, page, T0 + 1)).toBe(0);
    expect(await rowsOf('movement')).toHaveLength(2);
  });

  it('equal records of one list are separate rows, and a record with odd fields is stored', async () => {
    const same = { data: '2026-03-04', conteudo: 'Juntada' };
    expect(await save(MOVEMENTS, movements(same, same))).toBe(2);
    expect(await save(MOVEMENTS, movements({ data: 'ontem', conteudo: 'sem data\u0000 nem \ud800' }))).toBe(1);
  });

  it('a case is stored without its raw copy, with its value as an integer and its CNJ number', async () => {
    await save(CASES, cover({ raw: { big: true }, capa: { valorCausa: '50000.0000' }, tribunal: 'TJSP' }));
    const [row] = await rowsOf('legal_case');
    expect(row).toMatchObject({
      cnj: CNJ,
      origin: 'cover',
      court: 'TJSP',
      value: 500_000_000,
      sensitivity: 'PERSONAL',
    });
    expect(row?.['data']).not.toHaveProperty('raw');
  });

  it('a sealed row stays sealed, and a case that becomes sealed seals its movements', async () => {
    await save(CASES, cover({ nivelSigilo: 1 }));
    expect(new Set((await rowsOf('movement')).map((row) => row['sensitivity']))).toEqual(new Set(['SEALED']));
    await save(CASES, cover({ nivelSigilo: 0, classe: 'Outra' }));
    expect((await rowsOf('legal_case'))[0]).toMatchObject({ sensitivity: 'SEALED', case_class: 'Outra' });
    await save(MOVEMENTS, movements({ data: '2026-05-06', conteudo: 'Depois do sigilo' }));
    expect(new Set((await rowsOf('movement')).map((row) => row['sensitivity']))).toEqual(new Set(['SEALED']));
  });

  it('list entries and notices of a sealed case are sealed, also when they come later', async () => {
    await save(CASES, cover({ nivelSigilo: 1 }));
    const notices = readNotices({ data: { items: [{ id: '1', numeroProcesso: CNJ, oab: 'SP:1' }] } })?.records ?? [];
    expect(notices.map(({ cnj }) => cnj)).toEqual([CNJ]);
    const page = {
      account: 'default',
      oabs: ['SP:1'],
      today: '2026-11-20' as CivilDate,
      askedAtMs: T0,
      nowMs: T0,
      notices,
    };
    await createNotices({ db: database.db, token }).save(page);
    expect((await rowsOf('notice')).map((row) => row['sensitivity'])).toEqual(['SEALED']);

    const listed = readLawyerCases({ data: { processos: [{ numeroCnj: CNJ }] } }, DEFAULT_GAPS)?.records ?? [];
    const lawyers = createLawyerCollections({ db: database.db, token });
    await lawyers.saveProvisional({ account: 'default', oab: 'SP:1', setId: randomUUID(), nowMs: T0, records: listed });
    expect(await rowsOf('lawyer_case_feed')).toMatchObject([{ cnj: CNJ, sensitivity: 'SEALED' }]);
  });

  it('notices of one publication share its text, which is bought once and sealed for a sealed case', async () => {
    const notices = createNotices({ db: database.db, token });
    const save = (account: string, oab: string, items: readonly object[]) =>
      notices.save({
        account,
        oabs: [oab],
        today: '2026-11-20' as CivilDate,
        askedAtMs: T0,
        nowMs: T0,
        notices: readNotices({ data: { items: items.map((item) => ({ oab, ...item })) } })?.records ?? [],
      });
    const missing = (account: string, oab: string) => notices.withoutText(account, [oab], 10);
    const other = '10000015120268260101';
    await save('default', 'SP:11', [
      { id: 'n1', diarioId: 77 },
      { id: 'n2', diarioId: 78, numeroProcesso: CNJ },
    ]);
    expect(await missing('default', 'SP:11')).toEqual(['77', '78']);
    await notices.saveText({ account: 'default', publicationId: '77', data: { conteudo: 'x' }, nowMs: T0 });
    await notices.saveText({ account: 'default', publicationId: '78', data: null, nowMs: T0 });
    await save('default', 'SP:12', [
      { id: 'n3', diarioId: 77 },
      { id: 'n4', diarioId: 78, numeroProcesso: other },
      { id: 'n5', diarioId: 79 },
    ]);
    expect(await missing('default', 'SP:12')).toEqual(['79']);
    await save('second', 'SP:11', [{ id: 'n1', diarioId: 77 }]);
    expect(await missing('second', 'SP:11')).toEqual(['77']);
    const rows = await rowsOf('notice');
    const row = (id: string) => rows.find((each) => each['notice_id'] === id);
    expect(row('n3')).toMatchObject({ full_text: { conteudo: 'x' }, full_text_at: T0, sensitivity: 'SENSITIVE' });
    // The case of publication 78 is sealed.
    expect(row('n4')).toMatchObject({ sensitivity: 'SEALED' });
  });

  it('notices stored by an earlier attempt of the same read count as new again, older ones do not', async () => {
    const notices = createNotices({ db: database.db, token });
    const save = async (ids: readonly string[], nowMs: number, firstTriedAtMs?: number) => {
      const records = readNotices({ data: { items: ids.map((id) => ({ id, oab: 'SP:61' })) } })?.records ?? [];
      const query = { account: 'tries', oabs: ['SP:61'], today: '2026-11-20' as CivilDate, askedAtMs: T0 };
      const page = { ...query, notices: records, nowMs, ...(firstTriedAtMs === undefined ? {} : { firstTriedAtMs }) };
      return (await notices.save(page)).added;
    };
    expect(await save(['t1'], T0)).toBe(1);
    expect(await save(['t1', 't2', 't3'], T0 + 5_000)).toBe(2);
    expect(await save(['t1', 't2', 't3'], T0 + 9_000, T0 + 4_000)).toBe(2);
    expect(await save(['t1', 't2', 't3', 't4'], T0 + 9_000, T0 + 4_000)).toBe(3);
    expect(await save(['t1', 't2', 't3', 't4'], T0 + 90_000)).toBe(0);
    // The clock of this worker is behind.
    expect(await save(['t5'], T0 + 1_000, T0 + 50_000)).toBe(1);
  });

  it('a notice of two registrations is found by both, whether it came in one list or in two', async () => {
    const notices = createNotices({ db: database.db, token });
    const save = (oabs: readonly string[], items: readonly object[], nowMs = T0) =>
      notices.save({
        account: 'default',
        oabs,
        today: '2026-11-20' as CivilDate,
        askedAtMs: T0,
        nowMs,
        notices: readNotices({ data: { items } })?.records ?? [],
      });
    const noticesOf = async (oab: string) =>
      (
        await sql<{ readonly id: string }>`select notice_id as id from tramita.notice
          where oab = ${oab} or oabs @> array[${oab}]::text[] order by 1`.execute(database.db)
      ).rows.map(({ id }) => id);
    const shared = { id: 'n7', diarioId: 81 };
    await save(['SP:21'], [{ ...shared, oab: 'SP:21' }]);
    await save(['SP:22'], [{ ...shared, oab: 'SP:22' }], T0 + 1);
    await save(
      ['SP:21', 'SP:22', 'SP:23'],
      [
        { id: 'n8', diarioId: 82, oab: 'SP:21' },
        { id: 'n8', diarioId: 82, oab: 'SP:22' },
        { id: 'n9', diarioId: 83, oab: 'SP:23' },
      ],
      T0 + 2,
    );
    // A later list of one registration does not remove the other.
    await save(['SP:21'], [{ ...shared, oab: 'SP:21' }], T0 + 3);
    expect([await noticesOf('SP:21'), await noticesOf('SP:22'), await noticesOf('SP:23')]).toEqual([
      ['n7', 'n8'],
      ['n7', 'n8'],
      ['n9'],
    ]);
    const rows = await rowsOf('notice');
    const oabsOf = (id: string) => rows.find((row) => row['notice_id'] === id)?.['oabs'];
    expect([oabsOf('n7'), oabsOf('n8'), oabsOf('n9')]).toEqual([['SP:21', 'SP:22'], ['SP:21', 'SP:22'], null]);
    expect(await notices.withoutText('default', ['SP:21'], 10)).toEqual(['81', '82']);
    expect(await notices.withoutText('default', ['SP:22'], 10)).toEqual(['81', '82']);
  });

  it('a notice that lists the lawyers it is addressed to belongs to those that were asked for', async () => {
    const lawyer = (numero: string) => ({ advogado: { nome: 'FICTÍCIO', numero_oab: numero, uf_oab: 'SP' } });
    const destinatarioadvogados = ['7000001', '27', '26'].map(lawyer);
    const notices = readNotices({ data: { items: [{ id: 'n12', destinatarioadvogados }] } })?.records ?? [];
    const query = { account: 'default', oabs: ['SP:26', 'SP:27', 'SP:28'], today: '2026-11-20' as CivilDate };
    await createNotices({ db: database.db, token }).save({ ...query, notices, askedAtMs: T0, nowMs: T0 });
    const row = (await rowsOf('notice')).find((each) => each['notice_id'] === 'n12');
    expect(row).toMatchObject({ oab: 'SP:27', oabs: ['SP:26', 'SP:27'], asked_for: null });
  });

  it('a known notice gets another registration, also when nothing else is new', async () => {
    const notices = createNotices({ db: database.db, token });
    const page = { account: 'default', today: '2026-11-20' as CivilDate, askedAtMs: T0 };
    const list = readNotices({ data: { items: [{ id: 'n10' }] } })?.records ?? [];
    for (const [at, oab] of ['SP:24', 'SP:25', 'SP:24'].entries()) {
      await notices.save({
        ...page,
        oabs: [oab],
        notices: list.map((notice) => ({ ...notice, oab: oab as OabKey })),
        nowMs: T0 + at,
      });
    }
    const row = (await rowsOf('notice')).find((each) => each['notice_id'] === 'n10');
    // The third list brought nothing new.
    expect(row).toMatchObject({ oabs: ['SP:24', 'SP:25'], changed_at: T0 + 1 });
  });

  it('a known notice gets its publication, also when nothing else is new', async () => {
    const notices = createNotices({ db: database.db, token });
    const page = { account: 'default', oabs: ['SP:13'], today: '2026-11-20' as CivilDate, askedAtMs: T0, nowMs: T0 };
    const list = readNotices({ data: { items: [{ id: 'n6', oab: 'SP:13', url: '/publicacoes/80' }] } })?.records ?? [];
    await notices.save({ ...page, notices: list.map((notice) => ({ ...notice, publicationId: null })) });
    expect(await notices.withoutText('default', ['SP:13'], 10)).toEqual([]);
    expect(await notices.save({ ...page, notices: list })).toMatchObject({ added: 0 });
    expect(await notices.withoutText('default', ['SP:13'], 10)).toEqual(['80']);
  });

  it('a cut list leaves the watermark where it is, or moves it as far as the list is complete', async () => {
    const save = (today: string, cut?: { readonly wholeUntil: string | null; readonly reach: string }) =>
      readUntil('SP:14', today, present({ cut }));
    expect(await save('2026-11-10', { wholeUntil: null, reach: '2026-10-11' })).toBe('2026-10-11');
    expect(await save('2026-11-11', { wholeUntil: null, reach: '2026-10-12' })).toBe('2026-10-11');
    expect(await save('2026-11-12', { wholeUntil: '2026-11-02', reach: '2026-10-13' })).toBe('2026-11-02');
    expect(await save('2026-11-13', { wholeUntil: '2026-11-01', reach: '2026-10-14' })).toBe('2026-11-02');
    expect(await save('2026-11-14')).toBe('2026-11-14');
    expect(await save('2026-11-15', { wholeUntil: '2026-12-01', reach: '2026-10-16' })).toBe('2026-11-15');
  });

  it('a list that starts after the watermark leaves it, because the days between were not read', async () => {
    const save = (today: string, from?: string) => readUntil('SP:15', today, present({ from }));
    expect(await save('2026-11-01', '2026-10-20')).toBe('2026-11-01');
    expect(await save('2026-11-12', '2026-11-10')).toBe('2026-11-01');
    expect(await save('2026-11-12', '2026-11-03')).toBe('2026-11-01');
    expect(await save('2026-11-12', '2026-11-02')).toBe('2026-11-12');
    expect(await save('2026-11-13')).toBe('2026-11-13');
  });

  it('a page that repeats a record has its row once, and a record needs no id', async () => {
    const list = readPrecatorios({ data: { items: [{ id: 7, uf: 'SP' }, { id: 7, uf: 'RJ' }, { uf: 'MG' }] } });
    const rows = list?.records.map((item) => precatorioRow(item, 'PRECATORIO_BUDGET')) ?? [];
    expect(await save(PRECATORIOS, rows)).toBe(2);
    const hits = readSearch({ items: [{ numeroCnj: CNJ }, { numeroCnj: CNJ }] })?.records.map(hitRow) ?? [];
    expect(await save(HITS, hits)).toBe(1);
  });

  it('writers that save the same cases in opposite order do not deadlock', async () => {
    const cases = Array.from(
      { length: 100 },
      (_none, index) => `${String(3_000_000 + index).padStart(13, '0')}8260100`,
    );
    const drift = Array.from({ length: 12 }, (_none, index) => ({ member: `m${index}`, problem: 'unknown' as const }));
    const facts = createFacts({ db: concurrentDatabase.connect({ max: 8 }) });
    const saveAll = async (writer: number): Promise<void> => {
      const inOrder = <T>(all: readonly T[]): readonly T[] => (writer % 2 === 0 ? all : [...all].reverse());
      for (let round = 0; round < 10; round += 1) {
        const data = { writer, round };
        const rows = inOrder(cases).map((cnj) => ({
          columns: { cnj, origin: 'list' },
          sensitivity: 'PUBLIC' as const,
          data,
        }));
        await facts.save({
          ...source,
          operation: 'listCases',
          pages: [{ table: CASES, rows }],
          drift: inOrder(drift),
          nowMs: T0,
        });
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(saveAll));
  });

  it('records are stored without characters that PostgreSQL does not accept', async () => {
    const page = { account: 'default', oabs: ['SP:1'], today: '2026-11-20' as CivilDate, askedAtMs: T0, nowMs: T0 };
    const notices =
      readNotices({ data: { items: [{ id: 'a\u0000b', numeroProcesso: CNJ, oab: 'SP:1' }] } })?.records ?? [];
    expect(await createNotices({ db: database.db, token }).save({ ...page, notices })).toMatchObject({ seen: 1 });
    const records =
      readLawyerCases({ data: { processos: [{ numeroCnj: CNJ, tribunal: 'TJ\u0000SP' }] } }, DEFAULT_GAPS)?.records ??
      [];
    const lawyers = createLawyerCollections({ db: database.db, token });
    await lawyers.saveProvisional({ account: 'default', oab: 'SP:2', setId: randomUUID(), nowMs: T0, records });
    const setId = randomUUID();
    await lawyers.stage(setId, { targetHash: 'page 1', page: 1, records });
    const end = { start: 'mine', restarts: 0, paidChecks: 1 };
    const order = { account: 'default', oab: 'SP:2', setId, version: '2026-11\u0000\ud800', end, nowMs: T0 };
    expect(await lawyers.commit(order)).toBe(1);
    const monitor = {
      account: 'default',
      kind: 'case' as const,
      id: 'm\u00001',
      reference: 'a\u0000',
      active: true,
      status: '\u0000',
    };
    await createMonitors({ db: database.db }).save({ ...monitor, intentId: randomUUID(), data: {}, nowMs: T0 });
    expect(await createMonitors({ db: database.db }).list('default')).toMatchObject([
      { id: 'm1', reference: 'a', status: '' },
    ]);
    const off = { account: 'default', kind: 'case' as const, id: 'm\u00001', status: 'INATIVO\u0000', nowMs: T0 };
    await createMonitors({ db: database.db }).deactivate(off);
    expect(await createMonitors({ db: database.db }).list('default')).toMatchObject([{ id: 'm1', status: 'INATIVO' }]);
  });

  it('a page with a null record is stored', async () => {
    const page = readMovements({ data: { movimentacoes: [{ data: '2026-04-05', conteudo: 'Citação' }, null] } });
    expect(await save(MOVEMENTS, movementRows(CNJ, page?.records ?? []))).toBe(2);

    const notices = readNotices({ data: { intimacoes: [{ id: 'n0', oab: 'SP:10' }, null] } })?.records ?? [];
    const query = { account: 'default', oabs: ['SP:10'], today: '2026-11-20' as CivilDate, askedAtMs: T0, nowMs: T0 };
    const repository = createNotices({ db: database.db, token });
    expect(await repository.save({ ...query, notices })).toMatchObject({ added: 2 });
    expect(await repository.save({ ...query, notices })).toMatchObject({ added: 0 });

    const records = readLawyerCases({ data: { processos: [{ numeroCnj: CNJ }, null] } }, DEFAULT_GAPS)?.records ?? [];
    const staged = { targetHash: 'page 1', page: 1, records };
    const lawyers = createLawyerCollections({ db: database.db, token });
    expect(await lawyers.stage(randomUUID(), staged)).toEqual({ kind: 'staged', withoutNumber: 1 });
  });

  it('members that could not be mapped are counted', async () => {
    const facts = createFacts({ db: database.db });
    const input = { ...source, pages: [], drift: [{ member: 'a.b', problem: 'unknown' }] } as const;
    await facts.save({ ...input, nowMs: T0 });
    await facts.save({ ...input, nowMs: T0 + 1 });
    expect(await rowsOf('record_drift')).toEqual([
      expect.objectContaining({ member: 'a.b', problem: 'unknown', count: 2 }),
    ]);
  });
});

test('a portfolio list that is saved twice at once is one of the two', async () => {
  const lists = createPortfolios({ db: concurrentDatabase.connect({ max: 4 }) });
  const halves = [0, 1].map((half) =>
    Array.from({ length: 300 }, (_none, index) => `${String(half * 300 + index).padStart(13, '0')}8260100`),
  );
  for (let round = 0; round < 10; round += 1) {
    const name = `list ${round}`;
    await Promise.all(halves.map((cases) => lists.saveList({ account: 'default', name, cases: cases as never })));
    expect(await lists.casesOf('default', name)).toHaveLength(300);
  }
});
