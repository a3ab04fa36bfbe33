import { sql } from 'kysely';
import { createInbox, oabKey } from '../../src/inbox/index.js';
import { startImportLawyerCases } from '../../src/starters/index.js';
import { earliestRecheckMs, recheckAfterMs } from '../../src/workflows/parts/decide-recheck.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { incomingEvent } from '../store/support.js';
import { startShortWorker } from './short-waits.js';
import { withFlows, type Flows } from './with-flows.js';

const start = (flows: Flows, input: Parameters<typeof startImportLawyerCases>[1]) =>
  startImportLawyerCases(flows.deps, input);
const paidPages = async (flows: Flows): Promise<number> =>
  (await flows.charges({ operation: 'listLawyerCases' })).length;
const rowsOf = async (flows: Flows, oab: string) =>
  (
    await sql<{ readonly cnj: string; readonly provisional: boolean; readonly version: string | null }>`
      select cnj, provisional, version from tramita.lawyer_case_feed where oab = ${oab}`.execute(flows.database.db)
  ).rows;

describe('importLawyerCases after its end', () => {
  const flows = withFlows({ sandbox: { coverageMs: 0 } });

  it('returns the same result after a reset behind page 1, also when another import has replaced it since', async () => {
    const input = { oab: 'SP:220012', pageSize: 10 };
    const handle = await start(flows, input);
    const first = await handle.result();
    await (await start(flows, input)).result();
    const paid = await paidPages(flows);
    expect(await (await flows.resetToTask(handle, -2)).result()).toEqual(first);
    expect(await paidPages(flows)).toBe(paid);
  });

  it('buys nothing on a reset or a start under the same `once`, also when the list has changed since', async () => {
    const input = { oab: 'SP:220010', pageSize: 10, once: 'one import' };
    const { spent: _spent, receipts: _receipts, ...ended } = await (await start(flows, input)).result();
    const handle = await start(flows, { oab: 'SP:220011', pageSize: 10 });
    const first = await handle.result();
    const reads = async (): Promise<number> => (await flows.requests('listLawyerCases')).length;
    const before = await reads();
    await flows.fault({ operation: 'listLawyerCases', fault: 'F17', variant: 'version', times: 2 });
    expect(await (await start(flows, input)).result()).toMatchObject({ ...ended, spent: { known: '0' } });
    expect(await (await flows.resetToFirstTask(handle)).result()).toEqual(first);
    expect(await reads()).toBe(before);
  });
});

describe('importLawyerCases of a complete list', () => {
  const flows = withFlows({ sandbox: { coverageMs: 0 } });

  it('buys page 1 once, reads the other pages free and makes all cases visible at once', async () => {
    const handle = await start(flows, { oab: 'SP:123456', pageSize: 10 });
    expect(handle.workflowId).toMatch(/^import\.default\.[\w-]+$/);
    expect(handle.workflowId).not.toContain('123456');
    const result = await handle.result();
    expect(result).toMatchObject({ restarts: 0, paidChecks: 1, spent: { unknown: 0 } });
    expect(result.cases).toBeGreaterThan(10);
    expect(result.pages).toBe(Math.ceil(result.cases / 10));
    expect(await paidPages(flows)).toBe(1);
    const rows = await rowsOf(flows, 'SP:123456');
    expect(rows).toHaveLength(result.cases);
    expect(new Set(rows.map(({ cnj }) => cnj)).size).toBe(result.cases);
    expect(rows.every(({ provisional, version }) => !provisional && version === result.version)).toBe(true);

    // A second import replaces the old version by a new one with the same rows.
    const again = await (await start(flows, { oab: 'SP:123456', pageSize: 10 })).result();
    expect(again.cases).toBe(result.cases);
    expect(await rowsOf(flows, 'SP:123456')).toHaveLength(result.cases);
  });

  it('reports how many cases are missing when the list ends short of the announced total', async () => {
    const data = {
      items: [{ numeroCnj: newCase() }, { numeroCnj: newCase() }],
      totalDisponivel: 5,
      cobertura: { parcial: false, completa: true, atualizadoEm: '2026-03-01T10:00:00Z' },
      links: { next: null },
    };
    const body = { data, meta: { creditsCharged: 0.5 } };
    await flows.fault({ operation: 'listLawyerCases', fault: 'status', status: 200, body, times: 1 });
    const result = await (await start(flows, { oab: 'SP:220009' })).result();
    expect(result).toMatchObject({ cases: 2, missing: 3 });
    expect((await start(flows, { oab: 'SP:220009' }).then((handle) => handle.result())).missing).toBeUndefined();
  });

  it('commits no list with a gap when the page size grows during the read, and buys page 1 once more', async () => {
    const oab = 'SP:220019';
    const pageOf = (items: number, next: string | null) => ({
      items: Array.from({ length: items }, () => ({ numeroCnj: newCase() })),
      totalDisponivel: 9,
      cobertura: { parcial: false, completa: true, atualizadoEm: '2026-03-01T10:00:00Z' },
      links: { next: next === null ? null : { href: next } },
    });
    const fault = { operation: 'listLawyerCases', fault: 'status', status: 200, times: 1 } as const;
    const next = '/v1/advogados/processos?oab_numero=220019&oab_estado=SP&page=2';
    await flows.fault({ ...fault, body: { data: pageOf(2, next), meta: { creditsCharged: 0.5 } } });
    await flows.fault({ ...fault, after: 1, body: { data: pageOf(4, null) } });
    const { workflowId } = await start(flows, { oab });
    const progress = await until(
      async () => {
        const seen = await flows.progress(workflowId);
        return seen.state === 'waiting' && seen.waitingFor?.includes('changed') === true ? seen : undefined;
      },
      { what: 'the import to wait' },
    );
    expect(progress.waitingFor).toContain('the next check buys page 1 again (2 of at most 5)');
    expect(await rowsOf(flows, oab)).toEqual([]);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it('goes on after a page that states no version', async () => {
    const data = { items: [{ numeroCnj: newCase() }], links: { next: null } };
    await flows.fault({
      operation: 'listLawyerCases',
      fault: 'status',
      status: 200,
      body: { data },
      times: 1,
      after: 1,
    });
    const result = await (await start(flows, { oab: 'SP:220012', pageSize: 10 })).result();
    expect(result).toMatchObject({ cases: 11, pages: 2, restarts: 0, paidChecks: 1 });
  });

  it('waits as for partial coverage before it buys page 1 again when the version changes during the read', async () => {
    const before = await paidPages(flows);
    await flows.fault({ operation: 'listLawyerCases', fault: 'F17', variant: 'version', times: 1, after: 1 });
    const { workflowId } = await start(flows, { oab: 'SP:220003', pageSize: 10 });
    const progress = await until(
      async () => {
        const seen = await flows.progress(workflowId);
        return seen.state === 'waiting' && seen.waitingFor?.includes('changed') === true ? seen : undefined;
      },
      { what: 'the import to wait' },
    );
    expect(Date.parse(progress.nextCheckAt ?? '') - Date.now()).toBeGreaterThan(9 * 60_000);
    expect(progress.waitingFor).toContain('the next check buys page 1 again (2 of at most 5)');
    expect((await paidPages(flows)) - before).toBe(1);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it.each([401, 403])(
    'parks as credentials when a free page refuses the key (%d), and goes on when resumed',
    async (status) => {
      await flows.fault({ operation: 'listLawyerCases', fault: 'status', status, times: 1, after: 1, body: 'no' });
      const { workflowId, ...handle } = await start(flows, { oab: 'SP:550401', pageSize: 10 });
      const progress = await flows.parked(workflowId);
      expect(progress).toMatchObject({ attention: 'credentials', nextCheckAt: expect.any(String) as string });
      await flows.client.workflow.getHandle(workflowId).executeUpdate('resume', { args: [{ by: 'ana' }] });
      expect(await handle.result()).toMatchObject({ restarts: 0, paidChecks: 1 });
    },
  );

  it('parks when the list loops, and buys page 1 once more when resumed', async () => {
    await flows.fault({ operation: 'listLawyerCases', fault: 'F17', variant: 'first', times: 1, after: 1 });
    const handle = await start(flows, { oab: 'SP:330003', pageSize: 10, maxPaidChecks: 1 });
    const progress = await flows.parked(handle.workflowId);
    expect(progress).toMatchObject({ attention: 'stalled' });
    expect(await rowsOf(flows, 'SP:330003')).toHaveLength(0);
    await flows.client.workflow.getHandle(handle.workflowId).executeUpdate('resume', { args: [{ by: 'ana' }] });
    expect(await handle.result()).toMatchObject({ restarts: 1, paidChecks: 2 });
  });

  it('says why page 1 leads to no page 2', async () => {
    await flows.fault({ operation: 'listLawyerCases', fault: 'F16', to: 'http://127.0.0.1:9', times: 1 });
    const handle = await start(flows, { oab: 'SP:330003', pageSize: 10, maxPaidChecks: 1 });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'stalled' });
    const run = flows.client.workflow.getHandle(handle.workflowId);
    const { currentDetails } = await run.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('page 1 leads to no page 2: the next link points to another origin');
    await run.terminate('seen');
  });

  it('does not buy a later page again whose version has moved: it buys page 1 once more when resumed', async () => {
    const cobertura = { parcial: false, completa: true, atualizadoEm: '2026-03-01T10:00:00Z' };
    const body = {
      data: { items: [{ numeroCnj: newCase() }], cobertura, links: { next: null } },
      meta: { creditsCharged: 0.05, requestId: 'meta-1' },
    };
    await flows.fault({ operation: 'listLawyerCases', fault: 'status', status: 200, body, times: 1, after: 1 });
    const handle = await start(flows, { oab: 'SP:330005', pageSize: 10, maxPaidChecks: 1 });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'stalled' });
    const run = flows.client.workflow.getHandle(handle.workflowId);
    const { currentDetails } = await run.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('was charged 0.05, and the list cannot be read on from it');
    expect(currentDetails).toContain('page 1 is bought once more');
    await run.executeUpdate('resume', { args: [{ by: 'ana' }] });
    const result = await handle.result();
    expect(result).toMatchObject({ restarts: 1, paidChecks: 2 });
    expect(result.receipts.filter(({ step }) => step === 'free/listLawyerCases')).toMatchObject([{ amount: '0.05' }]);
  });

  it('buys nothing again when a worker stops midway', async () => {
    const before = await paidPages(flows);
    await flows.fault({ operation: 'listLawyerCases', fault: 'F8', everyMs: 30, bytes: 400, times: 6, after: 1 });
    const worker = await flows.startWorker();
    const handle = await start(flows, { oab: 'SP:440004', pageSize: 5 });
    await until(async () => (await paidPages(flows)) > before, { what: 'page 1' });
    worker.shutdown();
    const result = await handle.result();
    expect(result.paidChecks).toBe(1);
    expect((await paidPages(flows)) - before).toBe(1);
    expect(await rowsOf(flows, 'SP:440004')).toHaveLength(result.cases);
    // A call that is handed to a worker at the moment it stops is lost for a minute.
  }, 300_000);

  it.each([
    [{}, 'input.oab'],
    [{ oab: 'ZZ:1' }, 'input.oab'],
    [{ oab: 'SP:123456', maxPaidChecks: 0 }, 'input.maxPaidChecks'],
    [{ oab: 'SP:123456', pageSize: 'ten' }, 'input.pageSize'],
  ])('refuses %j before anything is spent', async (input, problem) => {
    const before = await paidPages(flows);
    const failure = await failureOf(await flows.startPlain('importLawyerCases', input));
    expect(failure).toMatchObject({ type: 'InvalidInput' });
    expect(failure.message).toContain(problem);
    expect(await paidPages(flows)).toBe(before);
  });
});

describe('importLawyerCases of a list that changes', () => {
  const flows = withFlows({ worker: false, sandbox: { coverageMs: 0 } });
  beforeAll(() => startShortWorker(flows, { './decide-recheck.js': 'short-rechecks.ts' }));

  it('starts over with a paid page 1 when the version changes during the read', async () => {
    const before = await paidPages(flows);
    await flows.fault({ operation: 'listLawyerCases', fault: 'F17', variant: 'version', times: 1, after: 1 });
    const result = await (await start(flows, { oab: 'SP:220002', pageSize: 10 })).result();
    expect(result).toMatchObject({ restarts: 1, paidChecks: 2 });
    expect((await paidPages(flows)) - before).toBe(2);
    expect(await rowsOf(flows, 'SP:220002')).toHaveLength(result.cases);
  });

  it('parks with the number of restarts when they have used up its purchases', async () => {
    await flows.fault({ operation: 'listLawyerCases', fault: 'F17', variant: 'version', times: 1, after: 1 });
    const { workflowId } = await start(flows, { oab: 'SP:220004', pageSize: 10, maxPaidChecks: 1 });
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'stalled' });
    const run = flows.client.workflow.getHandle(workflowId);
    const { currentDetails } = await run.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('the list was started again (restarts: 1)');
    await run.terminate('seen');
  });
});

describe('importLawyerCases whose page 1 is answered 202', () => {
  const flows = withFlows({ sandbox: { dialect: { pending: ['listLawyerCases'] }, queryMs: 600_000, coverageMs: 0 } });

  it('also waits for the event of its lawyer', async () => {
    const { workflowId } = await start(flows, { oab: 'SP:660006', pageSize: 10 });
    await flows.waiting(workflowId);
    const inbox = createInbox({ db: flows.database.db, clock: Date.now });
    const event = incomingEvent({ event: 'resultado_busca_oab_async', keys: [oabKey('SP:660006')] });
    expect((await inbox.record(event)).wakes).toMatchObject([{ workflowId }]);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });
});

describe('importLawyerCases of a growing list', () => {
  const flows = withFlows({ sandbox: { coverageMs: 3_600_000 } });

  it('keeps the cases as provisional, and parks when page 1 was bought as often as allowed', async () => {
    const handle = await start(flows, { oab: 'SP:123457', pageSize: 10, maxPaidChecks: 1 });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'stalled', counts: { paidChecks: 1 } });
    const rows = await rowsOf(flows, 'SP:123457');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ provisional }) => provisional)).toBe(true);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('does not buy page 1 again within ten minutes, whatever events come', async () => {
    const before = await paidPages(flows);
    const handle = await start(flows, { oab: 'SP:123458', pageSize: 10 });
    const waiting = await until(
      async () => {
        const progress = await flows.progress(handle.workflowId);
        return progress.state === 'waiting' ? progress : undefined;
      },
      { what: 'the import to wait' },
    );
    expect(waiting.counts).toMatchObject({ paidChecks: 1, restarts: 0 });
    const run = flows.client.workflow.getHandle(handle.workflowId);
    for (const event of ['resultado_busca_oab_async', 'nova_movimentacao']) await run.signal('wake', { event });
    await until(
      async () => {
        const { events } = await run.fetchHistory();
        return (events ?? []).filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes).length >= 2
          ? true
          : undefined;
      },
      { what: 'the second timer' },
    );
    expect((await paidPages(flows)) - before).toBe(1);
    await run.terminate('seen');
  });

  it('keeps an event that comes while page 1 is being stored', async () => {
    // Page 1 cannot be stored while the test holds this lock.
    const run = await flows.database.holding(sql`lock table tramita.lawyer_collection in share mode`, async () => {
      const { workflowId } = await start(flows, { oab: 'SP:123459', pageSize: 10 });
      await until(async () => (await flows.progress(workflowId)).steps[0]?.outcome === 'DONE' || undefined, {
        what: 'page 1',
      });
      const growing = flows.client.workflow.getHandle(workflowId);
      await growing.signal('wake', { event: 'resultado_busca_oab_async' });
      return growing;
    });
    const timers = async (): Promise<number> =>
      ((await run.fetchHistory()).events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer).length;
    await until(async () => (await timers()) === 1 || undefined, { what: 'the wait for ten minutes' });
    // The event was kept: another one changes nothing.
    await run.signal('wake', { event: 'resultado_busca_oab_async' });
    await flows.progress(run.workflowId);
    expect(await timers()).toBe(1);
    await run.terminate('seen');
  });
});

describe('the next purchase of a growing list', () => {
  const minutes = (ms: number): number => ms / 60_000;

  it('comes after ten minutes, then at growing intervals of at most six hours', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 50].map((paid) => minutes(recheckAfterMs(paid)))).toEqual([
      10, 20, 40, 80, 160, 320, 360, 360,
    ]);
  });

  it('never comes sooner than ten minutes after the last purchase', () => {
    expect(minutes(earliestRecheckMs(0))).toBe(10);
  });
});
