/** Erasing a person, a lawyer and a case from every table, interrupted after every step and begun again. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { formatCnj, formatCpf } from '../../src/contract/index.js';
import { createFiles, type Files } from '../../src/files/index.js';
import {
  checkLedger,
  createJournal,
  createSpool,
  isAnswerDropped,
  type Intent,
  type OpenIntent,
} from '../../src/ledger/index.js';
import {
  eraseSubject,
  held,
  honourErasures,
  openOwnDisk,
  parseSubject,
  seekNumber,
  seekToken,
  tokenOfSubject,
  type Holdings,
  type SubjectKind,
} from '../../src/privacy/index.js';
import { newCase } from '../support/case-number.js';
import { land, newDirectory } from '../files/support.js';
import { withDatabase } from '../support/database.js';
import { NO_FLOWS, dumpOf, plant, token, type Planted } from '../support/plant-subject.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { amount, elsewhere, intentOf, jsonBody, makeLedger, refreshRequest } from './support.js';

/** The first test erases some twenty times, which is slow. This limit is only for a test that hangs. */
jest.setTimeout(120_000);

const LUCIA: Planted = {
  cnj: newCase(),
  cpf: '93541134780',
  nome: 'Lúcia Moraes Fictício',
  oab: 'SP:123456',
  lawyer: 'Rui Dias Fictício',
};
const OTHER: Planted = {
  cnj: newCase(),
  cpf: '52998224725',
  nome: 'Otávio Prado Fictício',
  oab: 'RJ:765432',
  lawyer: 'Iara Lopes Fictício',
};

const TRACES: Readonly<Record<SubjectKind, (who: Planted) => readonly string[]>> = {
  cnj: ({ cnj }) => [cnj, formatCnj(cnj)],
  cpf: ({ cpf, nome }) => [cpf, formatCpf(cpf), nome, nome.toUpperCase()],
  cnpj: () => [],
  oab: ({ oab, lawyer }) => [oab, oab.replace(':', ' '), `${oab.slice(3)}/${oab.slice(0, 2)}`, lawyer],
};

function tracesIn(dump: Readonly<Record<string, string>>, traces: readonly string[]): readonly string[] {
  return Object.entries(dump).flatMap(([table, text]) =>
    traces.filter((trace) => text.includes(trace)).map((trace) => `${table}: ${trace}`),
  );
}

describe.each([
  ['cnj', LUCIA.cnj],
  ['cpf', LUCIA.cpf],
  ['oab', LUCIA.oab],
] as const)('erasing a %s that is in every table', (kind, value) => {
  const database = withDatabase();
  const filesDir = temporaryFolder('subject');
  const read = parseSubject(kind, value);
  if (!read.ok) throw new Error(read.problem);
  const sought = seekNumber(token, read.subject);
  const mark = tokenOfSubject(token, read.subject);
  const holdings = (): Holdings => ({
    db: database.db,
    token,
    disk: openOwnDisk(filesDir),
    files: createFiles({ filesDir }),
    flows: NO_FLOWS,
  });
  const order = { kind, token: mark, by: 'ana', reason: 'asked', sought, cancel: false, clock: Date.now };
  const count = async (): Promise<Record<string, number>> => {
    const places: Record<string, number> = {};
    for await (const { place } of held(holdings(), sought)) places[place] = (places[place] ?? 0) + 1;
    return places;
  };
  const moneyOf = async (): Promise<unknown> =>
    (
      await sql`select intent_id, account, operation, subject, state, charged, amount_source, reserved, opened_at, settled_at
        from tramita.intent_all order by intent_id`.execute(database.db)
    ).rows;

  it('removes it everywhere, interrupted after each step, and leaves the money and other subjects', async () => {
    await plant(database.db, [LUCIA, OTHER]);
    const spool = createSpool(join(filesDir, 'spool'));
    const intentId = randomUUID();
    const bytes = Buffer.from(
      JSON.stringify({
        itens: [{ nome: LUCIA.nome, cpf: LUCIA.cpf, advogado: `OAB ${LUCIA.oab}` }, { caso: LUCIA.cnj }],
      }),
    );
    await spool.write(intentId, { state: 'done', charged: null } as never, bytes);
    await spool.keep(intentId);
    await spool.close();
    const journal = createJournal(join(filesDir, 'journal'));
    const call = {
      intentId,
      account: 'default',
      operation: 'getCase',
      subject: 's',
      workflowId: `case.default.${LUCIA.cnj}`,
    } as never;
    await journal.append({
      ...(call as object),
      waiterKeys: [`cnj:${LUCIA.cnj}`, `oab:${LUCIA.oab}`],
      reserved: 5,
      openedAtMs: 1,
    } as never);
    await journal.close();

    const before = await count();
    const money = await moneyOf();
    const others = tracesIn(await dumpOf(database.db), TRACES[kind](OTHER)).length;
    expect(before).toMatchObject({
      answers: 1,
      events: expect.any(Number) as number,
      cases: expect.any(Number) as number,
      ledger: expect.any(Number) as number,
    });

    let steps = 0;
    for (let stopAfter = 1; ; stopAfter += 1) {
      let left = stopAfter;
      const onStep = (): void => {
        steps += 1;
        left -= 1;
        if (left === 0) throw new Error('killed');
      };
      const erased = await eraseSubject(holdings(), { ...order, onStep }).catch((error: unknown) => error);
      if (erased instanceof Error) {
        expect(erased.message).toBe('killed');
        continue;
      }
      expect(erased).toMatchObject({ kind: 'erased', waitsFor: [] });
      break;
    }
    expect(steps).toBeGreaterThan(10);
    expect(await count()).toEqual({});
    const dump = await dumpOf(database.db);
    expect(tracesIn(dump, TRACES[kind](LUCIA))).toEqual([]);
    expect(tracesIn(dump, TRACES[kind](OTHER))).toHaveLength(others);
    expect(await moneyOf()).toEqual(money);
    const [check] = await checkLedger(database.db, {
      accounts: ['default'],
      sinceMs: 0,
      nowMs: Date.now(),
      openAtMostMs: 60_000,
    });
    expect(check).toMatchObject({ lostBodies: [], lostOriginals: [], droppedBodies: expect.any(Number) as number });

    const keptAnswer = await spool.readKept(intentId, Date.now());
    expect(keptAnswer.kind).toBe('found');
    expect(JSON.stringify(keptAnswer)).not.toContain(value);
    const entries = [];
    for await (const entry of createJournal(join(filesDir, 'journal')).entries()) entries.push(entry);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain(kind === 'cpf' ? LUCIA.cpf : value);
    const { rows } =
      await sql`select kind, token, by_whom, learned, done_at is not null as done from tramita.erasure`.execute(
        database.db,
      );
    expect(rows).toEqual([{ kind, token: mark, by_whom: 'ana', learned: null, done: true }]);
  });

  it('removes it by its token alone after a restore has brought it back', async () => {
    const again = kind === 'cnj' ? LUCIA : { ...LUCIA, cnj: newCase() };
    await plant(database.db, [again]);
    expect(await openOwnDisk(filesDir).remembered()).toEqual([{ kind, token: mark }]);
    const erased = await eraseSubject(holdings(), { ...order, sought: seekToken(token, kind, mark) });
    expect(erased.kind).toBe('erased');
    expect(tracesIn(await dumpOf(database.db), TRACES[kind](LUCIA))).toEqual([]);
  });

  it('drops its stored answer, and equal bytes that are bought again are given out', async () => {
    const { ledger } = makeLedger(database.db);
    const request = refreshRequest({ account: 'other', operation: 'getCase', once: 'mine' });
    const body = jsonBody({ texto: `sobre ${value}.` });
    const buy = async (asked: OpenIntent): Promise<Intent> => {
      const { intentId } = intentOf(await ledger.openIntent(asked));
      return (await ledger.settle(intentId, { state: 'done', charged: amount(5), httpStatus: 200, body })).intent;
    };
    const paid = await buy(request);
    expect(await ledger.openIntent(elsewhere(request, { once: 'a', maxAgeMs: 60_000 }))).toMatchObject({
      kind: 'stored',
    });
    expect(await eraseSubject(holdings(), order)).toMatchObject({ kind: 'erased', counts: { answers: 1 } });

    const asked = elsewhere(request, { once: 'b', maxAgeMs: 60_000 });
    expect((await ledger.openIntent(asked)).kind).toBe('send');
    // Under the key that has paid, nothing is sent, and the row says that its answer was dropped.
    const again = await ledger.openIntent(elsewhere(request));
    expect(again).toMatchObject({ kind: 'stored', intent: { joined: paid.intentId } });
    expect(isAnswerDropped((await ledger.find(paid.intentId)) ?? paid)).toBe(true);

    const { intentId } = intentOf(await ledger.openIntent(asked));
    await ledger.settle(intentId, { state: 'done', charged: amount(5), httpStatus: 200, body });
    expect((await ledger.answerBytes(intentId))?.bytes.equals(body.bytes)).toBe(true);
    await eraseSubject(holdings(), order);
  });

  it('is complete when every worker has cleaned its disk', async () => {
    const elsewhere = temporaryFolder('elsewhere');
    const journal = createJournal(join(elsewhere, 'journal'));
    const spool = createSpool(join(elsewhere, 'spool'));
    try {
      const { journalId } = await journal.state();
      const intentId = randomUUID();
      await spool.write(
        intentId,
        { state: 'done', charged: null } as never,
        Buffer.from(JSON.stringify({ a: `x ${value} y` })),
      );
      await sql`insert into tramita.ledger_journal (journal_id, label) values (${journalId}::uuid, 'elsewhere')`.execute(
        database.db,
      );
      expect(await eraseSubject(holdings(), order)).toMatchObject({ waitsFor: ['elsewhere'] });
      const disk = openOwnDisk(elsewhere, { spool, journal });
      const files = createFiles({ filesDir: elsewhere });
      expect(await honourErasures({ db: database.db, token, disk, files })).toBe(1);
      expect(await honourErasures({ db: database.db, token, disk, files })).toBe(0);
      expect(JSON.stringify(await spool.read(intentId))).toContain(
        Buffer.from(JSON.stringify({ a: `x erased:${mark} y` }))
          .toJSON()
          .data.join(','),
      );
      const { rows } = await sql`select from tramita.erasure where done_at is null or learned is not null`.execute(
        database.db,
      );
      expect(rows).toEqual([]);
    } finally {
      await spool.close();
      await journal.close();
      await sql`delete from tramita.ledger_journal`.execute(database.db);
    }
  });

  it('removes it again after it came again, also under a name that was erased before', async () => {
    const name = `night of ${value}`;
    for (let time = 0; time < 3; time += 1) {
      await sql`insert into tramita.spend_budget (budget_key, lane, spent) values (${name}, 0, 1)`.execute(database.db);
      await sql`insert into tramita.event (account, event_key, event_id, event, body_sha256, conflict, keys, received_at)
        values ('default', ${name}, ${name}, 'x', '', false, '{}', now())`.execute(database.db);
      const nome = 'Otavio\u0000 Prado';
      const body = Buffer.from(JSON.stringify({ pessoa: { cpf: LUCIA.cpf, nome }, caso: LUCIA.cnj, oab: LUCIA.oab }));
      await sql`insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, received_at)
        values ('default', ${`body ${time}`}, ${`body ${time}`}, 'x', ${body}, '', false, '{}', now())`.execute(
        database.db,
      );
      expect(await eraseSubject(holdings(), order)).toMatchObject({ kind: 'erased' });
      const { rows } = await sql<{ readonly spent: number }>`
        select sum(spent)::int as spent from tramita.spend_budget where budget_key like 'night of erased%'`.execute(
        database.db,
      );
      expect(rows[0]?.spent).toBe(time + 1);
    }
    expect(await count()).toEqual({});
  });
});

describe('erasing files that several workers share', () => {
  const database = withDatabase();

  it('leaves a file that was bought again before the last worker hears of the erasure', async () => {
    const [shared, one, two] = [newDirectory(), newDirectory(), newDirectory()];
    const filesOf = (filesDir: string): Files =>
      createFiles({ filesDir, fileStore: { kind: 'directory', path: shared } });
    const [filesOfOne, filesOfTwo] = [filesOf(one), filesOf(two)];
    const cnj = newCase();
    const buy = async (): Promise<string> => {
      const { sha256, stored, bytes } = await land(filesOfOne, Buffer.from(`%PDF of ${cnj}`));
      await filesOfOne.keep(sha256);
      await sql`
        insert into tramita.public_document
          (account, cnj, document_id, sha256, stored, bytes, downloaded_at, listed_at, sensitivity, data, data_hash)
        values ('default', ${cnj}, ${randomUUID()}, ${sha256}, ${stored}, ${bytes}, now(), now(), 'PERSONAL', '{}', 'x')`.execute(
        database.db,
      );
      return sha256;
    };
    const { journalId } = await createJournal(join(two, 'journal')).state();
    await sql`insert into tramita.ledger_journal (journal_id, label) values (${journalId}::uuid, 'two')`.execute(
      database.db,
    );
    const stored = filesOfTwo.nameOf(await buy());
    const parsed = parseSubject('cnj', cnj);
    if (!parsed.ok) throw new Error(parsed.problem);
    const erased = await eraseSubject(
      { db: database.db, token, disk: openOwnDisk(one), files: filesOfOne, flows: NO_FLOWS },
      {
        kind: 'cnj',
        token: tokenOfSubject(token, parsed.subject),
        sought: seekNumber(token, parsed.subject),
        by: 'ana',
        reason: 'r',
        cancel: false,
        clock: Date.now,
      },
    );
    expect(erased).toMatchObject({ kind: 'erased', waitsFor: ['two'] });
    expect(await filesOfTwo.open(stored)).toBeUndefined();
    await buy();
    expect(await honourErasures({ db: database.db, token, disk: openOwnDisk(two), files: filesOfTwo })).toBe(1);
    const again = await filesOfOne.open(stored);
    expect(again).toBeDefined();
    again?.destroy();
  });
});
