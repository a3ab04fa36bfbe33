/** An answer goes to disk and ledger at once. When a worker dies before the ledger has it, another settles it with its records. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { settleWholeSpool, type ActivityDeps } from '../../src/activities/index.js';
import { storeSpooledAnswer } from '../../src/activities/charged/settle-from-spool.js';
import { rememberFacts, rememberForFlows, smallFactsOf } from '../../src/activities/remember/remember-answer.js';
import type { Intent } from '../../src/ledger/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { charge, look, newCall, resolveUnknown, type Call } from './calls.js';
import { withActivities } from './with-activities.js';

const readOf = (cnj = newCase()): Call => newCall('getCase', { params: { cnj }, view: 'record' });

describe('an answer that is slow to reach the disk', () => {
  const world = withActivities();

  it('is in the ledger first, and its call ends only when the disk has it too', async () => {
    const deps = world.deps();
    const [notified, attemptToken] = [jest.fn(), randomUUID()];
    let reached = (): void => undefined;
    const disk = new Promise<void>((resolve) => (reached = resolve));
    const slow: ActivityDeps = {
      ...deps,
      spool: { ...deps.spool, write: (...given) => disk.then(() => deps.spool.write(...given)) },
      wake: () => Promise.resolve(notified()).then(() => undefined),
    };
    const call = charge(slow, readOf(), attemptToken);
    void call.then(notified);
    const settled = async (): Promise<boolean> => (await deps.ledger.find(attemptToken))?.state === 'done';
    await until(async () => (await settled()) || undefined, { what: 'the row to be settled' });
    expect(notified).not.toHaveBeenCalled();
    reached();
    expect(await call).toMatchObject({ outcome: 'DONE', settled: true });
    expect(await deps.spool.list()).toEqual([]);
    expect(await deps.spool.readKept(attemptToken, Date.now())).toMatchObject({ kind: 'found' });
  });
});

describe('facts of an answer', () => {
  const world = withActivities();

  const callWith = async (deps: Partial<ActivityDeps>, cnj = newCase()): Promise<{ cnj: string; intentId: string }> => {
    const intentId = randomUUID();
    const result = await charge({ ...world.deps(), ...deps }, readOf(cnj), intentId);
    expect(result).toMatchObject({ outcome: 'DONE', settled: true });
    expect((await world.deps().ledger.find(intentId))?.state).toBe('done');
    return { cnj, intentId };
  };

  async function writtenWith(cnj: string, intentId: string): Promise<unknown> {
    const { rows } = await sql<{ same: boolean }>`
      select intent.xmin = legal_case.xmin as same from tramita.intent, tramita.legal_case
      where intent_id = ${intentId}::uuid and cnj = ${cnj}`.execute(world.database.db);
    return rows;
  }

  it('are written by the transaction that settles it', async () => {
    const save = jest.fn();
    const { cnj, intentId } = await callWith({ facts: { ...world.deps().facts, save } });
    expect(await writtenWith(cnj, intentId)).toEqual([{ same: true }]);
    expect(save).not.toHaveBeenCalled();
  });

  it.each<[string, () => ReturnType<ActivityDeps['facts']['writesOf']>]>([
    ['are refused by the database', () => [sql`insert into tramita.legal_case (account) values (null)`]],
    [
      'cannot be made',
      () => {
        throw new Error('no');
      },
    ],
  ])('are written after it when they %s in its transaction', async (_why, writesOf) => {
    const { cnj, intentId } = await callWith({ facts: { ...world.deps().facts, writesOf } });
    expect(await writtenWith(cnj, intentId)).toEqual([{ same: false }]);
  });

  it.each([
    ['few and plain', {}, 1, true],
    ['of a case that is sealed', { segredo_justica: true }, undefined, true],
    ['of a record with drift', { quantidade_movimentacoes: 'many' }, undefined, true],
    ['of an answer that may have many facts', { assunto: 'x'.repeat(70_000) }, undefined, false],
  ])('that are %s are part of its transaction only if they do not delay it', (_what, more, statements, isRead) => {
    const cnj = newCase();
    const intent = { account: 'default', operation: 'getCase' } as Intent;
    const body = Buffer.from(JSON.stringify({ data: { numero_cnj: cnj, ...more } }));
    const facts = smallFactsOf(world.deps(), { intent, params: { cnj }, body });
    expect([facts.beside?.length, facts.read !== undefined]).toEqual([statements, isRead]);
  });

  it('are left out of its settlement at once when they are refused', async () => {
    const { ledger, facts } = world.deps();
    const writesOf = () => [sql`select 1 / 0`];
    const settle = jest.fn(ledger.settle);
    const waits = jest.spyOn(global, 'setTimeout');
    await callWith({ ledger: { ...ledger, settle }, facts: { ...facts, writesOf } });
    expect(settle.mock.calls.map(([, , by]) => by?.beside?.length)).toEqual([1, undefined]);
    expect(waits.mock.calls.filter(([, ms]) => ms === 500)).toEqual([]);
    waits.mockRestore();
  });

  it('that are written after its settlement are those that were read before it', async () => {
    const { facts } = world.deps();
    const prepared: unknown[] = [];
    const saved = jest.fn(facts.save);
    const writesOf: typeof facts.writesOf = (read) => {
      prepared.push(read);
      return [sql`select 1 / 0`];
    };
    await callWith({ facts: { save: saved, writesOf } });
    expect(saved.mock.calls.map(([read]) => read === prepared[0])).toEqual([true]);
  });

  it('do not delay its settlement when another transaction holds their rows', async () => {
    const { cnj } = await callWith({});
    const intentId = randomUUID();
    let call: Promise<unknown> = Promise.resolve();
    await world.database.db.transaction().execute(async (trx) => {
      await sql`update tramita.legal_case set data_hash = 'other' where cnj = ${cnj}`.execute(trx);
      call = charge(world.deps(), readOf(cnj), intentId);
      const settled = async (): Promise<boolean> => (await world.deps().ledger.find(intentId))?.state === 'done';
      await until(async () => (await settled()) || undefined, { what: 'the row to be settled', withinMs: 20_000 });
    });
    expect(await call).toMatchObject({ outcome: 'DONE', settled: true });
    expect(await writtenWith(cnj, intentId)).toEqual([{ same: false }]);
  });

  it('that cannot be written are logged, and change neither the row nor the result of the call', async () => {
    const warn = jest.fn();
    const no = (): never => {
      throw new Error('no');
    };
    const deps = world.deps();
    const { intentId } = await callWith({
      log: { ...deps.log, warn },
      facts: { save: () => Promise.resolve().then(no), writesOf: no },
    });
    expect(warn.mock.calls).toEqual([
      [{ intentId, error: 'Error' }, 'answer not recorded; the answer itself is stored'],
    ]);
  });
});

describe('the record of a refresh', () => {
  const world = withActivities({ sandbox: { refreshMs: 20, pollAfterMs: 10 } });

  /** A refresh that is polled to its end by a worker with `more`. */
  async function refresh(more: Partial<ActivityDeps> = {}): Promise<unknown> {
    const [deps, cnj, intentId] = [{ ...world.deps(), ...more }, newCase(), randomUUID()];
    const call = newCall('requestRefresh', { params: { cnj }, view: 'record' });
    const sent = await charge(deps, call, intentId);
    const end = await until(() => look(deps, call, sent), { what: 'the end of the refresh' });
    expect(end).toMatchObject({ call: { outcome: 'DONE' } });
    const { rows } = await sql`
      select case_refresh.state, case_refresh.raw_status, intent.xmin = case_refresh.xmin as same
      from tramita.intent join tramita.case_refresh using (intent_id)
      where intent_id = ${intentId}::uuid and case_refresh.cnj = ${cnj} and intent.state = 'done'`.execute(
      world.database.db,
    );
    return rows;
  }

  it('is written by the transaction that ends the refresh', async () => {
    expect(await refresh()).toEqual([{ state: 'done', raw_status: 'SUCESSO', same: true }]);
  });

  it('is written after that transaction when the database refuses it there', async () => {
    const { records } = world.deps();
    const writeOfRefresh = () => sql`insert into tramita.case_refresh (account) values (null)`;
    expect(await refresh({ records: { ...records, writeOfRefresh } })).toMatchObject([{ state: 'done', same: false }]);
  });
});

describe('records of public documents', () => {
  const world = withActivities();

  it('are sealed where the list says so, and have no links', async () => {
    const [deps, cnj] = [world.deps(), newCase()];
    const item = { id: 'd1', titulo: 'Laudo', sigiloso: true, nivelSigilo: 5 };
    const links = { downloadUrl: 'https://files.example/a.pdf?sig=secret', nota: 'https://files.example/?sig=secret' };
    const body = Buffer.from(JSON.stringify({ data: { documentos: [{ ...item, ...links }, { id: 'd2' }] } }));
    const intent = { account: 'default', operation: 'listPublicDocuments', state: 'done', flags: [] };
    await rememberForFlows(deps, { intent: intent as unknown as Intent, params: { cnj }, body });
    const { rows } = await sql`select sensitivity, data from tramita.public_document where cnj = ${cnj}
      order by document_id`.execute(world.database.db);
    expect(rows).toEqual([
      { sensitivity: 'SEALED', data: item },
      { sensitivity: 'PERSONAL', data: { id: 'd2' } },
    ]);
  });
});

describe('records of an answer that waited in a spool', () => {
  const world = withActivities();
  const OPENED = Date.UTC(2026, 10, 20, 12);
  const HOUR = 3_600_000;

  const remember = async (cnj: string, status: string, row: Partial<Intent>): Promise<unknown> => {
    const body = Buffer.from(JSON.stringify({ data: { numeroCnj: cnj, situacao: status } }));
    const intent = { account: 'default', operation: 'getCase', requestId: null, evidence: null, ...row } as Intent;
    await rememberFacts(world.deps(), { intent, params: { cnj }, body });
    const { rows } = await sql`select status from tramita.legal_case where cnj = ${cnj}`.execute(world.database.db);
    return rows;
  };

  it('count from its call: what came between the call and its settlement is later', async () => {
    const cnj = newCase();
    await remember(cnj, 'Arquivado', { openedAtMs: OPENED + HOUR, settledAtMs: OPENED + HOUR + 1_000 });
    const spooled = { openedAtMs: OPENED, settledAtMs: OPENED + 2 * HOUR };
    expect(await remember(cnj, 'Em andamento', spooled)).toEqual([{ status: 'Arquivado' }]);
  });

  it.each<[string, Partial<Intent>]>([
    ['was polled', { requestId: randomUUID() }],
    ['was found by evidence', { evidence: { proof: 'listing' } }],
  ])('count from its settlement if it %s', async (_how, row) => {
    const cnj = newCase();
    await remember(cnj, 'Arquivado', { openedAtMs: OPENED + HOUR, settledAtMs: OPENED + HOUR + 1_000 });
    const later = { openedAtMs: OPENED, settledAtMs: OPENED + 2 * HOUR, ...row };
    expect(await remember(cnj, 'Em andamento', later)).toEqual([{ status: 'Em andamento' }]);
  });
});

describe('records of an answer that another worker settles', () => {
  const world = withActivities();

  /** Makes a call whose worker dies once the answer is in the spool. Returns the row's id. */
  async function dieAfterSpool(call: Call): Promise<string> {
    const deps = world.deps();
    const never = (): Promise<never> => new Promise(() => undefined);
    const dying: ActivityDeps = {
      ...deps,
      ledger: { ...deps.ledger, settle: never },
      facts: { ...deps.facts, save: never },
    };
    const ended = charge(dying, call);
    const spooled = until(async () => (await deps.spool.list())[0], { what: 'the answer in the spool' });
    return Promise.race([
      spooled,
      ended.then((result) => {
        throw new Error(`the call was not to return: ${JSON.stringify(result)}`);
      }),
    ]);
  }

  /** The janitor, some time after the answer came. */
  const janitor = (ageMs: number): Promise<number> => {
    const { clock, ...deps } = world.deps();
    return settleWholeSpool({ ...deps, clock: { ...clock, nowMs: () => clock.nowMs() + ageMs } });
  };

  async function recorded({ params: { cnj } }: Call): Promise<number> {
    const { rows } = await sql`select 1 from tramita.legal_case where cnj = ${cnj}`.execute(world.database.db);
    return rows.length;
  }

  it('are written by the flow that asks for the spooled answer', async () => {
    const call = readOf();
    const intentId = await dieAfterSpool(call);
    expect(await recorded(call)).toBe(0);
    // The own call may still settle so young an answer.
    expect(await janitor(5_000)).toBe(0);
    expect(await janitor(16_000)).toBe(1);
    expect(await storeSpooledAnswer(world.deps(), { ...call, intentId })).toMatchObject({ outcome: 'DONE' });
    expect(await recorded(call)).toBe(1);
  });

  it('are not counted as settled if the spooled answer is damaged', async () => {
    const { clock, spool, ...deps } = world.deps();
    await dieAfterSpool(readOf());
    const damaged: ActivityDeps['spool'] = {
      ...spool,
      read: () => Promise.resolve({ kind: 'corrupt', setAside: 'damaged' }),
    };
    const later = { ...clock, nowMs: () => clock.nowMs() + 16_000 };
    expect(await settleWholeSpool({ ...deps, spool: damaged, clock: later })).toBe(0);
    expect(await janitor(16_000)).toBe(1);
  });

  it('do not wait for a clock that was turned back', async () => {
    await dieAfterSpool(readOf());
    expect(await janitor(-5_000)).toBe(0);
    expect(await janitor(-86_400_000)).toBe(1);
  });

  it('are written by the resolver when the activity died without reporting its row', async () => {
    const call = readOf();
    await dieAfterSpool(call);
    await janitor(16_000);
    expect(await resolveUnknown(world.deps(), call)).toMatchObject({ outcome: 'DONE' });
    expect(await recorded(call)).toBe(1);
  });
});
