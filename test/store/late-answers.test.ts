/** An answer that is stored late, or again, does not undo what a later answer has changed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { readCase, readNotices, type CivilDate } from '../../src/contract/index.js';
import { CASES, caseRow, createFacts, createMonitors, createNotices, createRecords } from '../../src/records/index.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { token } from '../support/plant-subject.js';

const CNJ = '10000015120268260100';
const CONFIRMED = newCase();
const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 10, 20, 12);
const LATER = FIRST + DAY;
const NOW = FIRST + 2 * DAY;

describe('an answer that is stored after a later one', () => {
  const { database, account } = { database: withDatabase(), account: 'default' };
  const onlyRow = async (table: string): Promise<Record<string, unknown> | undefined> => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(`tramita.${table}`)}`.execute(
      database.db,
    );
    expect(rows).toHaveLength(1);
    return rows[0];
  };
  const saveCover = (record: object, nowMs: number) => {
    const read = readCase({ data: { numeroCnj: CNJ, ...record } });
    const row = read && caseRow(read, { origin: 'cover' });
    const pages = [{ table: CASES, rows: row === undefined ? [] : [row] }];
    return createFacts({ db: database.db }).save({ account, operation: 'getCase', pages, drift: [], nowMs });
  };

  it('leaves the cover of a case as the later one has it, but seals it', async () => {
    await saveCover({ situacao: 'Arquivado' }, LATER);
    expect(await saveCover({ situacao: 'Em andamento' }, FIRST)).toBe(0);
    expect(await onlyRow('legal_case')).toMatchObject({ status: 'Arquivado', changed_at: LATER });
    await saveCover({ situacao: 'Em andamento', segredoJustica: true }, FIRST);
    const sealed = { sensitivity: 'SEALED', status: 'Arquivado', data: { situacao: 'Arquivado' } };
    expect(await onlyRow('legal_case')).toMatchObject({ ...sealed, changed_at: LATER });
    await saveCover({ situacao: 'Em andamento' }, NOW);
    expect(await onlyRow('legal_case')).toMatchObject({ sensitivity: 'SEALED', status: 'Em andamento' });
  });

  it('leaves the cover of a case as a later one has confirmed it, within a week too', async () => {
    const save = (status: string, nowMs: number) => saveCover({ numeroCnj: CONFIRMED, situacao: status }, nowMs);
    await save('Arquivado', FIRST);
    for (const confirmed of [LATER, LATER + 8 * DAY]) {
      await save('Arquivado', confirmed);
      expect(await save('Em andamento', confirmed - DAY / 2)).toBe(0);
    }
    expect(await save('Em andamento', LATER + 9 * DAY)).toBe(1);
    await sql`delete from tramita.legal_case where cnj = ${CONFIRMED}`.execute(database.db);
  });

  it('writes large content once, however often it comes', async () => {
    const cnj = newCase();
    const large = randomBytes(100_000).toString('base64');
    const save = (nowMs: number) => saveCover({ numeroCnj: cnj, large }, nowMs);
    const parts = async (): Promise<unknown> => {
      const { rows } = await sql<{ readonly name: string }>`
        select reltoastrelid::regclass::text as name from pg_class where oid = 'tramita.legal_case'::regclass`.execute(
        database.db,
      );
      return (await sql`select distinct chunk_id from ${sql.raw(rows[0]?.name ?? '')}`.execute(database.db)).rows;
    };
    expect(await save(FIRST)).toBe(1);
    const written = await parts();
    expect(written).toHaveLength(1);
    expect(await save(LATER)).toBe(1);
    expect(await parts()).toEqual(written);
    await sql`delete from tramita.legal_case where cnj = ${cnj}`.execute(database.db);
  });

  it('leaves a document as the later page has it, but seals it', async () => {
    const records = createRecords({ db: database.db });
    const cnj = newCase();
    const save = (title: string, listedAtMs: number, data = {}) =>
      records.saveDocuments({ account, cnj, listedAtMs, documents: [{ id: 'd1', title, data }] });
    await save('Sentença retificada', LATER);
    expect(await save('Sentença', FIRST)).toBe(0);
    expect(await onlyRow('public_document')).toMatchObject({ title: 'Sentença retificada', listed_at: LATER });
    await save('Sentença', FIRST, { nivel_sigilo: 1 });
    const sealed = { sensitivity: 'SEALED', listed_at: LATER };
    expect(await onlyRow('public_document')).toMatchObject({ ...sealed, title: 'Sentença retificada', data: {} });
    await save('Sentença', NOW);
    expect(await onlyRow('public_document')).toMatchObject({ sensitivity: 'SEALED', title: 'Sentença' });
  });

  it('leaves a notice as it is since it was cancelled, and only adds its registration', async () => {
    const notices = createNotices({ db: database.db, token });
    const save = (oab: string, askedAtMs: number, notice: object) =>
      notices.save({
        account,
        oabs: [oab],
        notices: readNotices({ data: { items: [{ id: 'n1', oab, ...notice }] } })?.records ?? [],
        today: '2026-11-22' as CivilDate,
        askedAtMs,
        nowMs: askedAtMs === LATER ? LATER : NOW,
      });
    const asFirst = { ativo: true, conteudo: 'Intime-se' };
    await save('SP:1', LATER, { ativo: false, dataCancelamento: '2026-11-21', conteudo: 'Cancelada' });
    await save('SP:1', FIRST, asFirst);
    const cancelled = { active: false, data: { conteudo: 'Cancelada' } };
    expect(await onlyRow('notice')).toMatchObject({ ...cancelled, changed_at: LATER });
    await save('SP:2', FIRST, asFirst);
    expect(await onlyRow('notice')).toMatchObject({ ...cancelled, oabs: ['SP:1', 'SP:2'], changed_at: NOW });
    await save('SP:1', NOW, asFirst);
    expect(await onlyRow('notice')).toMatchObject({ active: true, data: asFirst });
  });

  it('leaves a monitor as it is since it was switched off', async () => {
    const monitors = createMonitors({ db: database.db });
    const monitor = { account, kind: 'radar' as const, id: 'r1', status: 'ATIVO' };
    const save = (nowMs: number) =>
      monitors.save({ ...monitor, reference: 'acme', active: true, intentId: randomUUID(), data: {}, nowMs });
    await save(FIRST);
    await monitors.deactivate({ ...monitor, status: 'INATIVO', nowMs: LATER });
    await save(FIRST);
    expect(await onlyRow('monitor')).toMatchObject({ active: false, status: 'INATIVO', changed_at: LATER });
    await save(NOW);
    await monitors.deactivate({ ...monitor, status: 'INATIVO', nowMs: LATER });
    expect(await onlyRow('monitor')).toMatchObject({ active: true, changed_at: NOW });
  });
});
