import { sql } from 'kysely';
import { startSyncNotices } from '../../src/starters/index.js';
import { decideBatches, peekNotices, planNotices } from '../../src/activities/notices/plan-notices.js';
import { saveNoticeText, saveNotices } from '../../src/activities/notices/save-notices.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

/** A day in São Paulo, far enough back for working days: the recess of the courts lasts 18 days. */
const SINCE = new Date(Date.now() - 3 * 3_600_000 - 20 * 86_400_000).toISOString().slice(0, 10);

describe('syncNotices', () => {
  const flows = withFlows({ account: { requestsPerMinute: 60_000 } });
  const start = (input: Parameters<typeof startSyncNotices>[1]) => startSyncNotices(flows.deps, input);
  const callsOf = async (operation: string): Promise<number> => (await flows.charges({ operation })).length;

  it('reads from its watermark on, counts a notice as new only once, and buys texts only with fullText', async () => {
    const oabs = ['SP:123456', 'RJ:54321'];
    const handle = await start({ oabs, since: SINCE });
    expect(handle.workflowId).toMatch(/^notices\.default\.[\w-]+$/);
    expect(handle.workflowId).not.toContain('123456');
    const first = await handle.result();
    expect(first.seen).toBeGreaterThan(0);
    expect(first).toMatchObject({ new: first.seen, fullTexts: 0 });
    expect(first.watermark).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect([await callsOf('listNotices'), await callsOf('getPublication')]).toEqual([1, 0]);

    const again = await (await start({ oabs })).result();
    expect(again).toMatchObject({ new: 0, watermark: first.watermark });
    expect(await callsOf('listNotices')).toBe(2);

    const withTexts = await start({ oabs, fullText: true });
    const texts = await withTexts.result();
    expect(texts.fullTexts).toBeGreaterThan(0);
    expect(await callsOf('getPublication')).toBe(texts.fullTexts);
    const { fullTexts, spent } = texts;
    expect(await (await flows.resetToFirstTask(withTexts)).result()).toMatchObject({ fullTexts, spent });
    // Stored texts are not bought again.
    expect(await (await start({ oabs, fullText: true })).result()).toMatchObject({ fullTexts: 0 });
    expect(await callsOf('getPublication')).toBe(texts.fullTexts);

    const { rows } = await sql`
      select count(*)::int as notices, count(full_text)::int as texts, count(distinct notice_id)::int as ids
      from tramita.notice`.execute(flows.database.db);
    expect(rows).toEqual([{ notices: first.seen, texts: first.seen, ids: first.seen }]);
  });

  it('follows the first plan when started again under the same `once`, and pays no query twice', async () => {
    const [fresh, known] = ['AC:1111', 'SP:2222'];
    await (await start({ oabs: [known] })).result();
    const input = { oabs: [known, fresh], once: 'sync-1' };
    const before = await callsOf('listNotices');
    await flows.fault({ operation: 'listNotices', fault: 'status', status: 422, after: 1, times: 1 });
    // The first query, for the fresh registration, is paid and gives it a watermark. The second query is refused.
    expect(await failureOf(await start(input))).toMatchObject({ type: 'Rejected' });
    expect(await callsOf('listNotices')).toBe(before + 1);
    const rest = await (await start(input)).result();
    expect(rest.receipts.map(({ amount }) => amount === '0')).toEqual([true, false]);
    const again = await (await start(input)).result();
    expect(again).toMatchObject({ seen: rest.seen, new: 0, watermark: rest.watermark, spent: { known: '0' } });
    expect(await callsOf('listNotices')).toBe(before + 2);
    expect(await failureOf(await start({ ...input, oabs: [known] }))).toMatchObject({ type: 'InvalidInput' });
    expect(await callsOf('listNotices')).toBe(before + 2);
  });

  it('follows the first plan after a reset, and pays nothing again', async () => {
    const [fresh, known] = ['AC:1112', 'SP:2223'];
    await (await start({ oabs: [known] })).result();
    const handle = await start({ oabs: [known, fresh] });
    const first = await handle.result();
    const before = await callsOf('listNotices');
    const again: unknown = await (await flows.resetToFirstTask(handle)).result();
    expect(again).toMatchObject({ seen: first.seen, new: 0, spent: first.spent });
    expect(await callsOf('listNotices')).toBe(before);
  });

  it('buys the text of a notice that names no registration', async () => {
    const body = { data: { intimacoes: [{ id: 'n1', link: '/v1/intimacoes/publicacoes/d1' }] }, meta: {} };
    await flows.fault({ operation: 'listNotices', fault: 'status', status: 200, body, times: 1 });
    await start({ oabs: ['BA:7777'], fullText: true }).then((handle) => handle.result());
    const textRequests = await flows.requests('getPublication');
    expect(textRequests.some(({ target }) => target.endsWith('/d1'))).toBe(true);
  });

  it('buys the text of a notice that names none of several registrations only when all of them are requested', async () => {
    const list = (intimacoes: readonly object[]): Promise<void> => {
      const body = { data: { intimacoes }, meta: {} };
      return flows.fault({ operation: 'listNotices', fault: 'status', status: 200, body, times: 1 });
    };
    const texts = async (): Promise<readonly string[]> =>
      (await flows.requests()).flatMap(({ target }) => /publicacoes\/(x\d)$/.exec(target)?.[1] ?? []).sort();
    const oabs = ['BA:7778', 'BA:7779'];
    const link = (id: string) => ({ link: `/v1/intimacoes/publicacoes/${id}` });
    await list([
      { id: 'several-1', ...link('x1') },
      { id: 'several-2', ...link('x2'), oab: '7778-A/BA' },
    ]);
    await (await start({ oabs })).result();
    await list([]);
    await (await start({ oabs: ['BA:7779'], fullText: true })).result();
    expect(await texts()).toEqual([]);
    await list([]);
    await (await start({ oabs, fullText: true })).result();
    expect(await texts()).toEqual(['x1', 'x2']);
  });

  it('restores a lost text from an answer within maxAge without payment', async () => {
    const input = { oabs: ['TO:8642'], since: SINCE, fullText: true };
    const { fullTexts } = await (await start(input)).result();
    expect(fullTexts).toBeGreaterThan(0);
    await sql`update tramita.notice set full_text = null where oab = 'TO:8642'`.execute(flows.database.db);
    const paid = await callsOf('getPublication');
    expect(await (await start({ ...input, maxAge: '1d' })).result()).toMatchObject({
      fullTexts,
      spent: { known: '0' },
    });
    expect(await callsOf('getPublication')).toBe(paid);
  });

  it('keeps a text that was being bought when the sync was cancelled, and does not buy it again', async () => {
    const input = { oabs: ['PI:9753'], since: SINCE, fullText: true };
    const paid = await callsOf('getPublication');
    // The answer drips for seconds, so that the cancellation comes before its end, also when this process pauses.
    await flows.fault({ operation: 'getPublication', fault: 'F8', everyMs: 300, bytes: 40 });
    const first = await start(input);
    await until(async () => (await callsOf('getPublication')) > paid, { everyMs: 10, what: 'the charge' });
    await flows.client.workflow.getHandle(first.workflowId).cancel();
    await expect(first.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const bought = (await callsOf('getPublication')) - paid;
    const { seen, fullTexts } = await (await start(input)).result();
    expect(fullTexts).toBe(seen - bought);
    expect(await callsOf('getPublication')).toBe(paid + seen);
  });

  it('takes the service’s 404 for an empty query when it has searched or other queries are paid, else fails as NotFound', async () => {
    const [fresh, known] = ['AC:1113', 'SP:2224'];
    const { watermark: today } = await (await start({ oabs: [known], since: SINCE })).result();
    const missing = (meta: object, after = 0): Promise<void> => {
      const body = { error: { code: 'NO_NOTICES', message: 'Nenhuma intimação encontrada' }, meta };
      return flows.fault({ operation: 'listNotices', fault: 'status', status: 404, body, after, times: 1 });
    };
    // Synced three days ago.
    await sql`update tramita.notice_watermark set read_until = read_until - 3 where oab = ${known}`.execute(
      flows.database.db,
    );
    await missing({}, 1);
    const unsure = await (await start({ oabs: [fresh, known] })).result();
    expect(unsure).toMatchObject({ unread: [known], unmonitored: [fresh] });
    expect(unsure.seen).toBeGreaterThan(0);
    expect(Date.parse(today) - Date.parse(unsure.watermark)).toBe(3 * 86_400_000);

    await missing({ creditsCharged: 0, searchLogId: 'log-404' });
    const searched = await (await start({ oabs: [fresh] })).result();
    expect(searched).toMatchObject({ seen: 0, new: 0, watermark: today });
    expect([searched.unread, searched.unmonitored]).toEqual([undefined, undefined]);
    // A flow that has paid nothing fails on a 404 without a search. A gateway's 404 says nothing about notices.
    await missing({});
    expect(await failureOf(await start({ oabs: [fresh] }))).toMatchObject({ type: 'NotFound' });
    const body = { message: 'no Route matched with those values' };
    await flows.fault({ operation: 'listNotices', fault: 'status', status: 404, body, times: 1 });
    expect(await failureOf(await start({ oabs: [fresh] }))).toMatchObject({ type: 'NotFound' });
  });

  it('moves no watermark when `since` leaves days out, and the next sync reads these days', async () => {
    const oabs = ['GO:4322'];
    const { watermark: today } = await (await start({ oabs, since: SINCE })).result();
    await sql`update tramita.notice_watermark set read_until = read_until - 12 where oab = 'GO:4322'`.execute(
      flows.database.db,
    );
    const look = await (await start({ oabs, since: today })).result();
    expect(Date.parse(today) - Date.parse(look.watermark)).toBe(12 * 86_400_000);
    expect(await (await start({ oabs })).result()).toMatchObject({ watermark: today });
  });

  it('moves the watermark to the day of a reused answer, not to today', async () => {
    const input = { oabs: ['MG:4321'], since: SINCE };
    const { watermark: today } = await (await start(input)).result();
    const ago = sql`interval '20 days'`;
    await sql`update tramita.intent set opened_at = opened_at - ${ago}, settled_at = settled_at - ${ago}`.execute(
      flows.database.db,
    );
    await sql`delete from tramita.notice_watermark where oab = 'MG:4321'`.execute(flows.database.db);
    const queries = await callsOf('listNotices');
    const reused = await (await start({ ...input, maxAge: '30d' })).result();
    expect(await callsOf('listNotices')).toBe(queries);
    expect(Date.parse(today) - Date.parse(reused.watermark)).toBe(20 * 86_400_000);
    const { rows } = await sql`
      select to_char(read_until, 'YYYY-MM-DD') as "readUntil" from tramita.notice_watermark where oab = 'MG:4321'`.execute(
      flows.database.db,
    );
    expect(rows).toEqual([{ readUntil: reused.watermark }]);
  });

  it.each([
    [422, ['PR:5432', 'BA:9876']],
    // A gateway that lost its routes answers so to all of them.
    [404, ['CE:6543', 'PE:8765']],
  ])(
    'buys the other texts when one is answered %i, and requests it again only if no later text was bought',
    async (status, oabs) => {
      const input = { oabs, since: SINCE };
      const { seen } = await (await start(input)).result();
      expect(seen).toBeGreaterThan(2);
      const refuse = (times: number, after = 0): Promise<void> =>
        flows.fault({ operation: 'getPublication', fault: 'status', status, times, after });
      const textRequests = async (): Promise<number> => (await flows.requests('getPublication')).length;

      await refuse(seen);
      const none = await (await start({ ...input, fullText: true })).result();
      expect(none).toMatchObject({ fullTexts: 0, textsLeft: seen });
      await refuse(seen - 1, 1);
      const one = await (await start({ ...input, fullText: true })).result();
      expect(one).toMatchObject({ fullTexts: 1, textsLeft: seen - 1 });
      await refuse(1);
      const rest = await (await start({ ...input, fullText: true })).result();
      expect(rest).toMatchObject({ fullTexts: seen - 2 });
      expect(rest.textsLeft).toBeUndefined();
      const before = await textRequests();
      expect(await (await start({ ...input, fullText: true })).result()).toMatchObject({ fullTexts: 0 });
      expect(await textRequests()).toBe(before);
    },
  );

  it.each([['DF:1357'], ['DF:2468']])('refuses a `since` in the future, uncharged, for %s', async (oab) => {
    if (oab === 'DF:2468') await (await start({ oabs: [oab], since: SINCE })).result();
    const charges = await flows.charges();
    const failure = await failureOf(await start({ oabs: [oab], since: '2999-01-01' }));
    expect(failure).toMatchObject({ type: 'InvalidInput', details: { spent: { known: '0', unknown: 0 } } });
    expect(failure.message).toContain('input.since 2999-01-01 is later than today');
    expect(await flows.charges()).toEqual(charges);
  });

  it.each([
    [{}, 'input.oabs must be a list of 1 to 500 registrations'],
    [{ oabs: ['SP 12'], since: '2026-02-30' }, 'input.since must be a day that exists'],
    [{ oabs: ['XX:777777'] }, 'input.oabs[0]'],
  ])('refuses %j before anything is spent', async (input, problem) => {
    const failure = await failureOf(await flows.startPlain('syncNotices', input));
    expect(failure).toMatchObject({ type: 'InvalidInput', details: { spent: { known: '0', unknown: 0 } } });
    expect(failure.message).toContain(problem);
    expect(failure.message).not.toContain('777777');
  });
});

describe('saveNoticeText', () => {
  it.each([
    [{ data: { texto: 'its text' } }, { texto: 'its text' }, 0],
    [{ data: 'its text' }, 'its text', 1],
    [{ data: null }, null, 1],
    [{ data: [] }, null, 1],
  ])('stores the text of the answer %j as %j, so that it is not bought again', async (answer, data, warnings) => {
    const saved: unknown[] = [];
    const warned: unknown[] = [];
    const deps = {
      ledger: { answerBytes: () => Promise.resolve({ bytes: Buffer.from(JSON.stringify(answer)), openedAtMs: 1 }) },
      notices: { saveText: (text: unknown) => Promise.resolve(saved.push(text)) },
      clock: { nowMs: () => 2 },
      log: { warn: (fields: object) => warned.push(fields) },
    };
    const publication = { account: 'default', publicationId: 'p1' };
    await saveNoticeText(deps as never, { ...publication, intentId: 'i1' });
    expect(saved).toEqual([{ ...publication, data, nowMs: 2 }]);
    expect(warned).toHaveLength(warnings);
  });
});

describe('the queries of a sync', () => {
  const today = '2026-03-31' as never;
  const day = (text: string) => text as never;

  it('overlap by five days, are separate for new registrations, and are split for long lists', () => {
    const oabs = [...Array.from({ length: 21 }, (_, index) => `SP:${index + 1}`), 'RJ:9'];
    const known = new Map(oabs.slice(0, 21).map((oab) => [oab, day('2026-03-30')]));
    const { batches, gap } = decideBatches({ oabs, today, known });
    expect(batches.map(({ oabs: some, desde }) => [some.length, desde])).toEqual([
      [20, '2026-03-25'],
      [1, '2026-03-25'],
      [1, null],
    ]);
    expect(gap).toBeNull();
  });

  it.each([
    ['oldest first, of one registration', ['SP:1'], ['2026-03-01', '2026-03-05', '2026-03-05'], '2026-03-05'],
    ['oldest first, of two', ['SP:1', 'SP:2'], ['2026-03-01', '2026-03-05'], null],
    ['newest first', ['SP:1'], ['2026-03-05', '2026-03-01'], null],
    ['in no order', ['SP:1'], ['2026-03-01', '2026-03-05', '2026-03-04'], null],
    ['of one day', ['SP:1'], ['2026-03-01', '2026-03-01'], null],
    ['with a notice without a day', ['SP:1'], ['2026-03-01', null, '2026-03-05'], null],
    ['that is empty', ['SP:1'], [], null],
  ])('record up to which day a cut list is complete: %s', async (_how, oabs, days, wholeUntil) => {
    const items = days.map((dataDisponibilizacao, id) => ({ id, dataDisponibilizacao }));
    const recorded: unknown[] = [];
    const save = async (body: object): Promise<void> => {
      const bytes = Buffer.from(JSON.stringify(body));
      await saveNotices(
        {
          ledger: { answerBytes: () => Promise.resolve({ bytes, openedAtMs: 0 }) },
          notices: {
            save: ({ cut }: { readonly cut?: object }) =>
              Promise.resolve(recorded.push(cut ?? 'whole') && { readUntil: today }),
          },
          clock: { nowMs: () => 0 },
          log: { warn: (facts: object) => recorded.push(facts) },
        } as never,
        { account: 'default', oabs, today, intentId: 'i' },
        { attempt: 1, scheduledAtMs: 0 },
      );
    };
    await save({ data: { intimacoes: items, total: items.length } });
    expect(recorded).toEqual(['whole']);
    await save({ data: { intimacoes: items, total: 120 } });
    expect(recorded.slice(1)).toEqual([
      { wholeUntil, reach: '2026-03-01' },
      expect.objectContaining({ given: items.length, total: 120, registrations: oabs.length }),
    ]);
  });

  it('are those of the first start under `once`, with the gap of now or else of then', async () => {
    const first = { today: day('2026-03-01'), readUntil: [day('2026-01-15'), null] };
    const deps = {
      notices: {
        today: () => Promise.resolve(today),
        watermarks: () => Promise.resolve([{ oab: 'SP:1', readUntil: day('2026-03-01') }]),
        keepFirst: () => Promise.resolve(first),
        peekFirst: () => Promise.resolve(undefined),
      },
      clock: { nowMs: () => 0 },
    };
    const input = { account: 'default', oabs: ['SP:1', 'SP:2'], once: 'x' };
    expect(await planNotices(deps, input)).toEqual({
      today,
      batches: [
        { oabs: ['SP:1'], desde: '2026-01-10' },
        { oabs: ['SP:2'], desde: null },
      ],
      gap: { from: '2026-01-15', to: '2026-01-29', days: 15 },
    });
    const since = '2026-03-20';
    expect((await planNotices(deps, { ...input, since })).batches).toEqual([{ oabs: input.oabs, desde: since }]);
    expect((await peekNotices(deps, input)).batches[0]).toEqual({ oabs: ['SP:1'], desde: '2026-02-24' });
  });

  it('report a gap when the last success is longer ago than a query reaches back', () => {
    const known = new Map([['SP:1', day('2026-01-15')]]);
    expect(decideBatches({ oabs: ['SP:1'], today, known }).gap).toEqual({
      from: '2026-01-15',
      to: '2026-02-28',
      days: 45,
    });
  });
});
