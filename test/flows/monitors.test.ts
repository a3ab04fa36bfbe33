import { sql } from 'kysely';
import {
  startAuditMonitors,
  startCallOperation,
  startCreateCaseMonitor,
  startCreateRadar,
  startDeactivateMonitor,
  startEnsureNoticeMonitor,
  settleCharge,
} from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows } from './with-flows.js';

describe('monitors', () => {
  const flows = withFlows({ env: { TRAMITA_WEBHOOK_URL_HOSTS: 'hooks.example.com' } });
  const charged = async (operation: string): Promise<number> =>
    (await flows.charges()).filter((charge) => charge.operation === operation && charge.reason !== 'recurring').length;
  const requested = async (operation: string): Promise<number> => (await flows.requests(operation)).length;

  it('ensureNoticeMonitor creates a monitor, leaves an equal one unchanged and updates a different one', async () => {
    const oabs = ['SP:222333'];
    const created = await (await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Acme'] })).result();
    expect(created).toMatchObject({ action: 'created', monitor: { id: expect.any(String) as string } });
    expect(await requested('createNoticeMonitor')).toBe(1);

    const again = await (await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Acme'] })).result();
    expect(again).toMatchObject({ action: 'unchanged', monitor: { id: created.monitor.id }, spent: { known: '0' } });
    expect([await requested('createNoticeMonitor'), await requested('updateNoticeMonitor')]).toEqual([1, 0]);

    const webhookUrl = 'https://hooks.example.com/notices';
    const changed = await (
      await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Acme', 'Beta'], webhookUrl })
    ).result();
    expect(changed).toMatchObject({ action: 'updated', monitor: { id: created.monitor.id } });
    expect(await requested('updateNoticeMonitor')).toBe(1);
    const emptied = await (await startEnsureNoticeMonitor(flows.deps, { oabs, terms: [] })).result();
    expect(emptied).toMatchObject({ action: 'updated', monitor: { id: created.monitor.id } });
    const empty = await (await startEnsureNoticeMonitor(flows.deps, { oabs, terms: [], origins: [] })).result();
    expect(empty).toMatchObject({ action: 'unchanged' });
  });

  it('ensureNoticeMonitor finds the created monitor in the listing when the answer does not name it', async () => {
    const oabs = ['SE:77'];
    await flows.post('intimacoes/oab', { oabs });
    const answers = {
      listNoticeMonitors: { data: { items: [], total: 0 }, meta: { creditsCharged: 0 } },
      createNoticeMonitor: { data: { callback: { enabled: false } }, meta: { creditsCharged: 1.5 } },
    };
    for (const [operation, body] of Object.entries(answers)) {
      await flows.fault({ operation, fault: 'status', status: 200, body });
    }
    const made = await (await startEnsureNoticeMonitor(flows.deps, { oabs })).result();
    expect(made).toMatchObject({ action: 'created', monitor: { callback: { enabled: false } } });
    const { id } = made.monitor;
    expect(id).toEqual(expect.any(String));
    expect(made.monitors).toBeUndefined();
    const { orphans } = await (await startAuditMonitors(flows.deps)).result();
    expect(orphans.map((orphan) => orphan.id)).not.toContain(id);
  });

  it('ensureNoticeMonitor pays only for the remaining changes when started again under the same `once`', async () => {
    const oabs = ['AL:31', 'AL:32'];
    await (await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Acme'] })).result();
    const input = { oabs, terms: ['Beta'], once: 'beta' };
    await flows.fault({ operation: 'updateNoticeMonitor', fault: 'status', status: 422, after: 1, times: 1 });
    const before = await requested('updateNoticeMonitor');
    expect((await failureOf(await startEnsureNoticeMonitor(flows.deps, input))).type).toBe('Rejected');
    const rest = await (await startEnsureNoticeMonitor(flows.deps, input)).result();
    expect(rest).toMatchObject({ action: 'updated', receipts: [{ step: 'updateNoticeMonitor/2' }] });
    expect(rest.monitors).toHaveLength(2);
    const again = await (await startEnsureNoticeMonitor(flows.deps, input)).result();
    expect(again).toMatchObject({ action: 'unchanged', spent: { known: '0' } });
    expect(await requested('updateNoticeMonitor')).toBe(before + 3);
  });

  it('ensureNoticeMonitor leaves out what was created elsewhere after a refusal under the same `once`', async () => {
    const input = { oabs: ['AL:35', 'AL:36'], once: 'both' };
    await flows.fault({ operation: 'createNoticeMonitor', fault: 'status', status: 422, times: 1 });
    expect((await failureOf(await startEnsureNoticeMonitor(flows.deps, input))).type).toBe('Rejected');
    await (await startEnsureNoticeMonitor(flows.deps, { oabs: ['AL:35'] })).result();
    const made = await (await startEnsureNoticeMonitor(flows.deps, input)).result();
    expect(made).toMatchObject({ action: 'created' });
    expect(made.monitors).toHaveLength(2);
  });

  it('ensureNoticeMonitor repeats neither a paid nor a refused change after a reset', async () => {
    const oabs = ['AL:33', 'AL:34'];
    await (await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Acme'] })).result();
    await flows.fault({ operation: 'updateNoticeMonitor', fault: 'status', status: 422, after: 1, times: 1 });
    const before = await requested('updateNoticeMonitor');
    const handle = await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Beta'] });
    expect((await failureOf(handle)).type).toBe('Rejected');
    // The new run gets the same refusal from the row of the refused change.
    expect(await failureOf(await flows.resetToFirstTask(handle))).toMatchObject({ type: 'Rejected' });
    expect(await requested('updateNoticeMonitor')).toBe(before + 2);
  });

  it('ensureNoticeMonitor returns the same result and receipts after a reset', async () => {
    const oabs = ['MT:61', 'MT:62'];
    await (await startEnsureNoticeMonitor(flows.deps, { oabs: ['MT:61'], terms: ['Acme'] })).result();
    const before = [await requested('createNoticeMonitor'), await requested('updateNoticeMonitor')];
    const handle = await startEnsureNoticeMonitor(flows.deps, { oabs, terms: ['Beta'] });
    const made = await handle.result();
    expect(made).toMatchObject({ action: 'created', receipts: [{ outcome: 'DONE' }, { outcome: 'DONE' }] });
    const again: unknown = await (await flows.resetToFirstTask(handle)).result();
    expect(again).toEqual(made);
    const after = [await requested('createNoticeMonitor'), await requested('updateNoticeMonitor')];
    expect(after).toEqual(before.map((count) => count + 1));
  });

  it('ensureNoticeMonitor returns every monitor once, including unchanged ones', async () => {
    const first = await (await startEnsureNoticeMonitor(flows.deps, { oabs: ['AP:41'], terms: ['Acme'] })).result();
    const input = { oabs: ['AP:41', 'AP:42'], terms: ['Acme'] };
    const both = await (await startEnsureNoticeMonitor(flows.deps, input)).result();
    expect(both.action).toBe('created');
    expect(both.monitors).toHaveLength(2);
    expect(both.monitors?.[1]?.id).toBe(first.monitor.id);
    const changed = await (await startEnsureNoticeMonitor(flows.deps, { ...input, terms: ['Beta'] })).result();
    expect(new Set(changed.monitors?.map(({ id }) => id))).toEqual(new Set(both.monitors?.map(({ id }) => id)));
    expect(changed.monitors).toHaveLength(2);
  });

  it('ensureNoticeMonitor keeps the types of gazette ids', async () => {
    const input = { oabs: ['AM:51'], origins: [7, 'dje', 30, 7] };
    await (await startEnsureNoticeMonitor(flows.deps, input)).result();
    const listing = await fetch(`${flows.sandbox.url}/v1/intimacoes/oab?page=1&limit=100`, {
      headers: { 'x-api-key': 'sandbox-key' },
    });
    expect(await listing.text()).toContain('"origens_ids":[30,7,"dje"]');
    expect(await (await startEnsureNoticeMonitor(flows.deps, input)).result()).toMatchObject({ action: 'unchanged' });
  });

  it('ensureNoticeMonitor accepts more than 200 registrations', async () => {
    const oabs = Array.from({ length: 201 }, (_, index) => `AC:${index + 1}`);
    expect(await (await startEnsureNoticeMonitor(flows.deps, { oabs })).result()).toMatchObject({ action: 'created' });
  });

  it('createRadar creates one radar under a reference, however often it is started', async () => {
    const input = { reference: 'acme', definition: { termo: 'Acme Ltda' } };
    const first = await (await startCreateRadar(flows.deps, input)).result();
    expect(first).toMatchObject({ action: 'created', monitor: { id: expect.any(String) as string } });
    const second = await (await startCreateRadar(flows.deps, input)).result();
    expect(second).toMatchObject({ action: 'unchanged', monitor: { id: first.monitor.id }, spent: { known: '0' } });
    expect(await charged('createRadar')).toBe(1);
    const other = await failureOf(await startCreateRadar(flows.deps, { ...input, definition: { termo: 'Beta' } }));
    expect(other).toMatchObject({ type: 'InvalidInput' });
    expect(await charged('createRadar')).toBe(1);
  });

  it('createCaseMonitor creates one monitor under a reference, however often it is started', async () => {
    const input = { reference: 'case-1', definition: { numero_cnj: newCase(), frequencia: 'DIARIA' } };
    const first = await (await startCreateCaseMonitor(flows.deps, input)).result();
    await (await startCreateCaseMonitor(flows.deps, input)).result();
    expect(first.action).toBe('created');
    expect(await charged('createCaseMonitor')).toBe(1);
  });

  it('a monitor whose paid answer is lost ends as ChargedLost, which warns of a second one, also after a reset', async () => {
    await flows.fault({ operation: 'createCaseMonitor', fault: 'F4' });
    const definition = { numero_cnj: newCase(), frequencia: 'DIARIA' };
    const handle = await startCreateCaseMonitor(flows.deps, { reference: 'lost-answer', definition });
    await flows.parked(handle.workflowId);
    const decision = { step: 'createCaseMonitor', decision: 'charged', by: 'ana' } as const;
    await settleCharge(flows.client, handle.workflowId, decision);
    const failures = [await failureOf(handle), await failureOf(await flows.resetToFirstTask(handle))];
    for (const [index, decided] of ['decided by ana', 'as a person decided'].entries()) {
      expect(failures[index]).toMatchObject({
        type: 'ChargedLost',
        message: expect.stringContaining(
          `its answer is lost, ${decided}. The monitor probably exists at the service, and it bills until it is switched off`,
        ) as string,
      });
    }
  });

  it.each([
    [402, 'InsufficientBalance', 1],
    [429, 'Throttled', 5],
  ])('auditMonitors whose listing is answered %i fails as %s', async (status, type, times) => {
    const fault = {
      operation: 'listNoticeMonitors',
      fault: 'status',
      status,
      body: { error: { code: 'NOT_NOW', message: 'no' } },
      times,
    };
    await flows.fault(fault);
    const details = { status, errorCode: 'NOT_NOW' };
    expect(await failureOf(await startAuditMonitors(flows.deps))).toMatchObject({ type, details });
  });

  it('auditMonitors names the monitors that we did not create and the kinds that it cannot audit', async () => {
    const reference = 'audited';
    const own = await (await startCreateRadar(flows.deps, { reference, definition: { termo: 'Own' } })).result();
    // The radar of another program, on the same account.
    await flows.post('monitoramentos/novos-processos', { termo: 'Foreign' });
    const before = await flows.charges();
    const audit = await (await startAuditMonitors(flows.deps)).result();
    expect(audit.orphans).toHaveLength(1);
    expect(audit.orphans[0]).toMatchObject({ kind: 'radar' });
    expect(audit.orphans[0]?.id).not.toBe(own.monitor.id);
    expect(audit).toMatchObject({
      missing: [],
      notAuditable: ['case', 'administrative'],
      spent: { known: '0', unknown: 0 },
    });
    expect(audit.known).toBeGreaterThan(0);
    expect(await flows.charges()).toEqual(before);
  });

  it('deactivateMonitor refuses a kind without an operation for it', async () => {
    const failure = await failureOf(await startDeactivateMonitor(flows.deps, { kind: 'radar', id: '1' }));
    expect(failure).toMatchObject({ type: 'InvalidInput' });
    expect(failure.message).toContain('input.kind "radar" needs the operation deactivateRadar');
  });

  it.each([
    ['createRadar', { reference: 'x' }, 'input.definition'],
    [
      'createRadar',
      { reference: 'foreign', definition: { termo: 'x' }, webhookUrl: 'https://evil.test/x' },
      'input.webhookUrl names a host',
    ],
    [
      'ensureNoticeMonitor',
      { oabs: ['SP:222333'], webhookUrl: 'https://evil.test/x' },
      'input.webhookUrl names a host',
    ],
    ['createRadar', { reference: 'two words', definition: { termo: 'x' } }, 'input.reference'],
    ['createRadar', { reference: 'x', definition: {} }, 'input.definition is empty'],
    ['createRadar', { reference: 'h', definition: { termo: 'x' }, webhookUrl: 'http://a.b/c' }, 'input.webhookUrl'],
    ['createRadar', { reference: 'h', definition: { termo: 'x' }, webhookUrl: 'https://evil.example/c' }, 'webhook'],
    [
      'createCaseMonitor',
      { reference: 'i', definition: { numero_cnj: '1000001-15.2026.8.26.0100' } },
      'input.definition.numero_cnj',
    ],
    ['ensureNoticeMonitor', { oabs: [] }, 'input.oabs'],
    ['deactivateMonitor', { kind: 'all', id: '1' }, 'input.kind'],
    ['auditMonitors', { all: true }, 'unknown member'],
  ])('%s refuses %j before anything is spent', async (type, input, problem) => {
    const before = await flows.charges();
    const failure = await failureOf(await flows.startPlain(type, input));
    expect(failure).toMatchObject({ type: 'InvalidInput' });
    expect(failure.message).toContain(problem);
    expect(await flows.charges()).toEqual(before);
  });
});

describe('deactivateMonitor at a service that answers a DELETE with 204', () => {
  const flows = withFlows({ sandbox: { dialect: { deactivation: 'no-content' } } });

  it('ends with an inactive monitor after one request', async () => {
    const { id } = await flows.control<{ readonly id: string }>('/monitors', { nup: '08000.000123/2026-04' });
    const result = await (await startDeactivateMonitor(flows.deps, { kind: 'administrative', id })).result();
    expect(result).toMatchObject({ status: 'inactive' });
    const calls = await flows.requests('deactivateAdminMonitor');
    expect(calls).toHaveLength(1);
  });
});

describe('deactivateMonitor whose DELETE finds nothing', () => {
  const flows = withFlows();
  const notFound = (status: number) => ({
    operation: 'deactivateAdminMonitor',
    fault: 'status',
    status,
    body: { error: { code: 'MONITOR_NOT_FOUND' } },
  });

  it.each([404, 410])(
    'ends with an inactive monitor when the answer of an earlier DELETE was lost (%d)',
    async (status) => {
      const { id } = await flows.control<{ readonly id: string }>('/monitors', { nup: '08000.000123/2026-04' });
      await flows.fault({ operation: 'deactivateAdminMonitor', fault: 'F4' });
      await flows.fault({ ...notFound(status), after: 1 });
      const handle = await startDeactivateMonitor(flows.deps, { kind: 'administrative', id });
      const done = {
        status: 'inactive',
        receipts: [{ outcome: 'UNKNOWN', amount: null }, { outcome: 'DONE' }],
        // The first attempt was sent and may have been charged, so the ledger keeps its reserve.
        spent: { known: '0', unknown: 1 },
      };
      expect(await handle.result()).toMatchObject(done);
      expect(await (await flows.resetToFirstTask(handle)).result()).toMatchObject(done);
    },
  );

  it.each([404, 410])('fails as NotFound when it is the first DELETE (%d)', async (status) => {
    await flows.fault(notFound(status));
    const failure = await failureOf(await startDeactivateMonitor(flows.deps, { kind: 'administrative', id: 'no-one' }));
    expect(failure).toMatchObject({ type: 'NotFound' });
  });
});

describe('ensureNoticeMonitor whose listing shows neither terms nor address', () => {
  const flows = withFlows({ env: { TRAMITA_WEBHOOK_URL_HOSTS: 'hooks.example.com' } });
  const webhookUrl = 'https://hooks.example.com/notices';
  const updates = async (): Promise<number> => (await flows.requests('updateNoticeMonitor')).length;
  const ensure = async (input: Readonly<Record<string, unknown>>) =>
    (await startEnsureNoticeMonitor(flows.deps, { oabs: ['SP:4321'], webhookUrl, ...input })).result();
  let id: string | null;
  const shortenListing = async (): Promise<void> => {
    const record = { id, estado: 'SP', numero: '4321', status: 'ACTIVE', callbackEnabled: true };
    const body = { data: { monitoramentos: [record], total: 1 }, meta: { creditsCharged: 0 } };
    await flows.fault({ operation: 'listNoticeMonitors', fault: 'status', status: 200, body, times: 1_000 });
  };

  it('takes the state of the monitor from our last call and does not pay for it again', async () => {
    id = (await ensure({ terms: ['Acme'] })).monitor.id;
    await shortenListing();
    expect(await ensure({ terms: ['Acme'] })).toMatchObject({ action: 'unchanged', monitor: { id } });
    expect(await ensure({ terms: ['Beta'] })).toMatchObject({ action: 'updated' });
    expect(await ensure({ terms: ['Beta'] })).toMatchObject({ action: 'unchanged', spent: { known: '0' } });
    expect(await updates()).toBe(1);
  });

  it('removes terms that the listing does not show, and pays for it once', async () => {
    const removed = { terms: [], webhookUrl: undefined };
    expect(await ensure(removed)).toMatchObject({ action: 'updated', monitor: { id } });
    expect(await ensure(removed)).toMatchObject({ action: 'unchanged', spent: { known: '0' } });
  });

  it('does not take the state of the monitor from an earlier call', async () => {
    expect(await ensure({ terms: ['Acme'] })).toMatchObject({ action: 'updated' });
    // The change comes from another flow, and its answer does not name the monitor.
    await flows.fault({
      operation: 'updateNoticeMonitor',
      fault: 'status',
      status: 200,
      times: 1,
      body: { data: { ok: true }, meta: { creditsCharged: 1 } },
    });
    const params = { oab_numero: '4321', oab_estado: 'SP' };
    const body = { termos_auxiliares: ['Gamma'], webhook_url: webhookUrl };
    await (await startCallOperation(flows.deps, { operation: 'updateNoticeMonitor', params, body })).result();
    // However many calls about other monitors came after it.
    await sql`
      insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation, subject,
        flags, state, reserved, webhook_expected, opened_at, settled_at, waiter_keys, locks)
      select gen_random_uuid(), 'default', 'many', 'run', 'callOperation', 'call', n, 'updateNoticeMonitor', n::text,
        '{}', 'rejected', 0, false, now(), now(), '{}', '{}' from generate_series(1, 1001) as n`.execute(
      flows.database.db,
    );
    expect(await ensure({ terms: ['Acme'] })).toMatchObject({ action: 'updated' });
    expect(await ensure({ terms: ['Acme'] })).toMatchObject({ action: 'unchanged' });
  });
});
