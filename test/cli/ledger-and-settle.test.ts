/** Commands on the whole ledger: settle many charges at once, check and export; and the metrics of a worker. */
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { settleMany } from '../../src/cli/settle/settle-many.js';
import { startSummarizeCase, type FlowHandle } from '../../src/starters/index.js';
import { instant, takeTurn } from '../../src/store/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from '../flows/with-flows.js';
import type { TramitaWorker } from '../../src/workers/index.js';
import { runCommand, type CommandRun } from './run-command.js';

describe('commands on the whole ledger', () => {
  const flows = withFlows({ worker: false });
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);
  const NOT_CHARGED = ['--decision', 'not-charged', '--by', 'ana'] as const;

  let worker: TramitaWorker;
  beforeAll(async () => {
    worker = await flows.startWorker();
  });

  /** Starts a refresh whose charge is unknown, and that was never charged. */
  async function parkRefresh(): Promise<{ readonly cnj: string; readonly workflowId: string }> {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
    const { workflowId } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    return { cnj, workflowId };
  }

  describe('settle --where', () => {
    it('decides with --yes only, through a parked flow, or in the ledger if the flow has ended', async () => {
      const parked = await parkRefresh();
      const ended = await parkRefresh();
      await flows.client.workflow.getHandle(ended.workflowId).terminate();
      // An equal call waits for the charge of the ended flow.
      const heir = await flows.refresh({ cnj: ended.cnj });
      await flows.parked(heir.workflowId);
      const where = ['--where', 'operation=requestRefresh', 'state=unknown', 'reason=http 502', 'older-than=0s'];

      const dry = await tramita('settle', ...where, ...NOT_CHARGED, '--json');
      expect(dry.exitCode).toBe(0);
      expect(dry.json()).toMatchObject({ dryRun: true, count: 2, decision: 'not-charged' });
      const text = await tramita('settle', ...where, ...NOT_CHARGED);
      expect(text.out).toMatch(/2 charges, reserved 0?\.?\d+.*Nothing was done: add --yes/);
      expect((await flows.progress(parked.workflowId)).state).toBe('parked');

      const done = await tramita('settle', ...where, ...NOT_CHARGED, '--yes', '--json');
      expect(done.exitCode).toBe(0);
      expect(done.json()).toMatchObject({ dryRun: false, count: 2, byFlow: 1, inLedger: 1, failed: [] });
      for (const { cnj, workflowId } of [parked, ended]) {
        expect(await flows.client.workflow.getHandle(workflowId).result()).toMatchObject({ cnj, status: 'done' });
        expect(await flows.charges({ cnj })).toHaveLength(1);
      }
      const listed = await tramita('ledger', 'list', '--workflow', parked.workflowId, '--state', 'closed');
      expect(listed.out).toMatch(/^\S+ +closed +requestRefresh +0 +0 +requestRefresh +/m);
      expect((await tramita('settle', ...where, ...NOT_CHARGED, '--yes')).out).toBe('no undecided charge matches\n');
    });

    it('leaves out of "not-charged" what the service has reported as charged, and says so', async () => {
      const cnj = newCase();
      const body = { error: { code: 'INTERNAL' }, meta: { creditsCharged: 0.3, requestId: 'meta-1' } };
      await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 500, body });
      const { workflowId } = await flows.refresh({ cnj });
      await flows.parked(workflowId);
      const where = ['settle', '--where', 'state=unknown', 'reason=http 500'];
      const dry = await tramita(...where, ...NOT_CHARGED);
      expect(dry.out).toMatch(/^! 1 left out: the service has reported/);
      const done = await tramita(...where, ...NOT_CHARGED, '--yes', '--json');
      expect(done).toMatchObject({ exitCode: 3 });
      expect(done.json()).toMatchObject({ count: 0, leftOut: [{ workflowId, charged: '0.3' }] });
      expect((await flows.progress(workflowId)).state).toBe('parked');
      const given = await tramita(...where, '--decision', 'abandon', '--by', 'ana', '--yes', '--json');
      expect(given.json()).toMatchObject({ count: 1, byFlow: 1 });
    });

    it('exits with 3 while there are more charges than one run decides', async () => {
      const parked = [await parkRefresh(), await parkRefresh()];
      const settle = async (yes: boolean) => {
        let out = '';
        const context = {
          env: flows.env,
          cwd: tmpdir(),
          out: (text: string) => (out += text),
          err: () => '',
          isTerminal: false,
        };
        const wanted = { where: ['state=unknown'], decision: 'not-charged', by: 'ana', yes, json: true } as const;
        return [await settleMany(context, { ...wanted, most: 1 }), JSON.parse(out)] as const;
      };
      expect(await settle(false)).toMatchObject([0, { count: 1, more: true }]);
      expect(await settle(true)).toMatchObject([3, { count: 1, more: true }]);
      expect(await settle(true)).toMatchObject([0, { count: 1, more: false }]);
      for (const { workflowId } of parked) await flows.client.workflow.getHandle(workflowId).result();
    });

    it('continues after a refused decision, and exits with 1', async () => {
      const lost = newCase();
      await flows.fault({ operation: 'listPublicDocuments', fault: 'F12' });
      const { workflowId } = await flows.refresh({ cnj: lost, documents: true });
      await flows.parked(workflowId);
      const other = await parkRefresh();
      const run = await tramita(
        'settle',
        '--where',
        'workflow=refresh/',
        '--decision',
        'charged',
        '--by',
        'ana',
        '--yes',
        '--json',
      );
      expect(run.exitCode).toBe(1);
      expect(run.json()).toMatchObject({
        byFlow: 1,
        failed: [{ workflowId, problem: expect.stringContaining('give the requestId') as string }],
      });
      await flows.client.workflow.getHandle(other.workflowId).terminate();
      await tramita('settle', workflowId, '--step', 'listPublicDocuments/1', '--decision', 'abandon', '--by', 'ana');
      await expect(flows.client.workflow.getHandle(workflowId).result()).rejects.toMatchObject({
        cause: { type: 'ChargedLost' },
      });
      // The details in the UI do not ask for a decision any more.
      const ended = await flows.client.workflow
        .getHandle(workflowId)
        .query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(ended.currentDetails).toMatch(/^\*\*Ended as `ChargedLost`\.\*\* /);
    });

    it('gives the only charge that matches its request, so that the answer settles it and no start buys again', async () => {
      const lose = async (): Promise<FlowHandle<object>> => {
        await flows.fault({ operation: 'requestSummary', fault: 'F4' });
        const flow = await startSummarizeCase(flows.deps, { cnj: newCase() });
        await flows.parked(flow.workflowId);
        await flows.client.workflow.getHandle(flow.workflowId).terminate();
        return flow;
      };
      const [{ workflowId }, other] = [await lose(), await lose()];
      const cnj = workflowId.slice(workflowId.lastIndexOf('.') + 1);
      const requestId = (await flows.charges({ cnj }))[0]?.requestId ?? '';
      const settle = (...where: readonly string[]): Promise<CommandRun> =>
        tramita(
          ...['settle', '--where', ...where, '--decision', 'charged', '--by', 'ana'],
          ...['--request-id', requestId, '--yes'],
        );
      expect(await settle('operation=requestSummary')).toMatchObject({
        exitCode: 2,
        err: expect.stringContaining('--request-id belongs to one charge, and 2 match') as string,
      });
      // Somebody has read the answer before.
      expect((await tramita('start', 'awaitRequest', '--request-id', requestId, '--wait')).exitCode).toBe(0);
      const done = await settle(`workflow=${workflowId}`);
      expect(done.out).toContain('0 by their flows, 1 in the ledger; failed: 0');
      const [, command = ''] = /^get its answer, free: tramita (.+)$/m.exec(done.out) ?? [];
      expect((await tramita(...command.split(' '), '--wait')).exitCode).toBe(0);
      const listed = await tramita('ledger', 'list', '--workflow', workflowId, '--json');
      expect(listed.json()).toMatchObject([{ state: 'done', requestId, charged: '0.6' }]);
      await (await startSummarizeCase(flows.deps, { cnj, maxAge: '1h' })).result();
      expect(await flows.charges({ cnj, operation: 'requestSummary' })).toHaveLength(1);
      await tramita(
        'settle',
        '--where',
        `workflow=${other.workflowId}`,
        '--decision',
        'abandon',
        '--by',
        'ana',
        '--yes',
      );
    });

    it.each([
      ['operation=requestRefrsh', '--where operation: there is no operation "requestRefrsh"'],
      ['account=defualt', '--where account: there is no account "defualt"; configured: default'],
    ])('refuses the misspelt filter %s', async (where, problem) => {
      const run = await tramita('settle', '--where', where, ...NOT_CHARGED, '--yes');
      expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining(problem) as string });
      const none = await tramita('settle', '--where', 'operation=searchBoard', ...NOT_CHARGED);
      expect(none).toMatchObject({ exitCode: 2 });
    });

    it.each([
      [['settle', ...NOT_CHARGED], 'give the workflow id of a parked flow, or --where'],
      [['settle', 'refresh/x', ...NOT_CHARGED], '--step is missing'],
      [['settle', 'refresh/x', ...NOT_CHARGED, '--where', 'account=default'], 'not both'],
      [['settle', ...NOT_CHARGED, '--step', 'x', '--where', 'account=default'], '--step goes with one workflow id'],
      [['settle', ...NOT_CHARGED, '--intent', 'x', '--where', 'account=default'], '--intent goes with one workflow id'],
      [['settle', ...NOT_CHARGED, '--where', 'colour=red'], '--where: seen "colour=red"'],
      [['settle', '--decision', 'maybe', '--by', 'ana', '--where', 'account=default'], 'decision must be one of'],
    ])('refuses %j with a usage error', async (args, problem) => {
      const run = await tramita(...args);
      expect(run.exitCode).toBe(2);
      expect(run.err).toContain(problem);
    });
  });

  describe('ledger check', () => {
    it('exits with 3 while a charge is undecided, and lists it', async () => {
      const { workflowId } = await parkRefresh();
      const seen = await tramita('ledger', 'check', '--json');
      expect(seen.exitCode).toBe(3);
      expect(seen.json()).toMatchObject({
        needsPerson: true,
        accounts: [{ account: 'default', undecided: [{ state: 'unknown', age: 'under 1 h', count: 1 }] }],
      });
      expect((await tramita('ledger', 'check')).out).toMatch(/! 1 unknown charges, under 1 h old, reserved 0/);
      await tramita('settle', '--where', 'state=unknown', ...NOT_CHARGED, '--yes');
      await flows.client.workflow.getHandle(workflowId).result();
      const clean = await tramita('ledger', 'check', '--account', 'default');
      expect(clean.out).toMatch(/^default: \d+ balances compared/);
      expect(clean.out).not.toContain('!');
      expect(clean.exitCode).toBe(0);
    });

    it('refuses an unknown account and an unreadable time', async () => {
      expect((await tramita('ledger', 'check', '--account', 'nobody')).exitCode).toBe(2);
      expect((await tramita('ledger', 'check', '--since', 'yesterday')).err).toContain('expected a duration like 24h');
    });

    it('reads a day in the time zone of São Paulo', async () => {
      const seen = await tramita('ledger', 'check', '--no-files', '--since', '2026-03-10', '--json');
      expect(seen.json()).toMatchObject({ since: '2026-03-10T03:00:00.000Z' });
    });

    it('reports an open file download only when no worker can be waiting for it', async () => {
      await (await flows.refresh({ cnj: newCase() })).result();
      const { db } = flows.database;
      const newest = db.selectFrom('tramita.intent').select(({ fn }) => fn.max('seq').as('seq'));
      const set = (values: object) => db.updateTable('tramita.intent').set(values).where('seq', '=', newest).execute();
      const before = await db
        .selectFrom('tramita.intent')
        .select(['state', 'operation', 'opened_at'])
        .where('seq', '=', newest)
        .executeTakeFirstOrThrow();
      const openSince = (minutes: number, operation: string) =>
        set({ state: 'open', operation, opened_at: sql`now() - ${minutes} * interval '1 minute'` });
      const check = async () => (await tramita('ledger', 'check', '--no-files')).out;
      // We take the turn of the sweep, which would make the row unknown before the check.
      await until(() => takeTurn(db, 'sweep', 60_000), { what: 'our turn' });
      await openSince(8, 'getElectoralEditionPdf');
      expect(await check()).not.toContain('open for too long');
      await openSince(17, 'getElectoralEditionPdf');
      expect(await check()).toContain('! 1 rows open for too long');
      // A later sweep would make an open row unknown, and later tests would find it.
      await set({ ...before, opened_at: instant(before.opened_at) });
    });
  });

  describe('ledger export', () => {
    it('prints the same rows as CSV and as JSON, amounts as decimal strings', async () => {
      const cnj = newCase();
      await (await flows.refresh({ cnj, documents: true })).result();
      const json = (await tramita('ledger', 'export', '--format', 'json')).json() as Record<string, unknown>[];
      const listed = (await tramita('ledger', 'list', '--json')).json() as Record<string, unknown>[];
      expect(json).toEqual(listed.reverse());
      const csv = (await tramita('ledger', 'export', '--format', 'csv')).out;
      const [head, ...lines] = csv.trimEnd().split('\r\n');
      expect(head).toMatch(/^intentId,account,workflowId,/);
      expect(lines).toHaveLength(json.length);
      expect(lines.at(-1)).toContain(`,refresh.default.${cnj},`);
      expect(lines.at(-1)).toMatch(/,0,0\.2,/);
    });

    it('selects days of São Paulo, including the last one', async () => {
      const dayOf = (ms: number): string => new Date(ms - 3 * 3_600_000).toISOString().slice(0, 10);
      // The first rows may be from the day before.
      const [from, today] = [dayOf(Date.now() - 3_600_000), dayOf(Date.now())];
      const rows = async (...args: string[]) =>
        ((await tramita('ledger', 'export', '--format', 'json', ...args)).json() as unknown[]).length;
      expect(await rows('--from', from, '--to', today)).toBe(await rows());
      expect(await rows('--to', '2026-01-01')).toBe(0);
      expect((await tramita('ledger', 'export', '--format', 'json', '--from', '1.1.2026')).exitCode).toBe(2);
      expect((await tramita('ledger', 'export', '--format', 'xml')).exitCode).toBe(2);
    });
  });

  describe('metrics of a worker', () => {
    it('show money by operation, parked flows and undecided charges, and nothing personal', async () => {
      const { cnj, workflowId } = await parkRefresh();
      // A worker caches its figures for half a minute, so another worker is started.
      const other = await flows.startWorker();
      const text = await until(
        async () => {
          const seen = await other.metrics();
          const isComplete = !/^tramita_worker_reachable\{.*\} 0$/m.test(seen);
          return isComplete && /tramita_flows_parked\{attention="unknown-charge"\} [1-9]/.test(seen) ? seen : undefined;
        },
        { what: 'the parked flow in visibility', withinMs: 100_000, everyMs: 1_000 },
      );
      expect(text).toMatch(/^tramita_charged_today\{account="default",operation="requestRefresh"\} \d+(\.\d+)?$/m);
      expect(text).toMatch(/^tramita_reserved\{account="default",operation="requestRefresh"\} 0\.\d+$/m);
      expect(text).toMatch(/^tramita_charges_undecided\{state="unknown",age="under 1 h"\} 1$/m);
      for (const source of ['database', 'temporal', 'spool']) {
        expect(text).toContain(`tramita_worker_reachable{source="${source}"} 1`);
      }
      expect(text).toContain('tramita_spool_answers 0');
      expect(text).toContain('tramita_wakes_owed 0');
      expect(text).not.toContain(cnj);
      expect(await worker.metrics()).toContain('tramita_calls_pending');
      await flows.client.workflow.getHandle(workflowId).terminate();
    });
  });
});
