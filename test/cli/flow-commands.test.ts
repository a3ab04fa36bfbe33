import { LEDGER_COLUMNS } from '../../src/cli/output/ledger-columns.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand, type CommandRun } from './run-command.js';

/** The public columns of the ledger. */
const DESIGN_COLUMNS =
  'intentId, account, workflowId, firstRunId, step, once, operation, subject, state, joined, reserved, charged, amountSource, balanceAfter, requestId, metaRequestId, searchLogId, httpStatus, bodySha256, openedAt, settledAt, evidence'.split(
    ', ',
  );

describe('the commands for flows, with a running worker', () => {
  const flows = withFlows();
  const tramitaWith = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandRun> =>
    runCommand(args, {
      ...flows.env,
      ...env,
    });
  const tramita = (...args: string[]): Promise<CommandRun> => tramitaWith(args);

  it('print with start --wait the result as JSON on stdout and the progress on stderr', async () => {
    const cnj = newCase();
    const run = await tramita('start', 'refreshCase', '--cnj', cnj, '--documents', '--wait');
    expect(run.err).toContain(`refresh.default.${cnj}: `);
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject({
      cnj,
      status: 'done',
      documentCount: expect.any(Number) as number,
      spent: { known: '0.3', unknown: 0 },
    });

    const listed = await tramita('ledger', 'list', '--workflow', `refresh.default.${cnj}`, '--json');
    const rows = listed.json() as Record<string, unknown>[];
    expect(rows.map(({ operation, charged, state }) => [operation, charged, state])).toEqual([
      ['listPublicDocuments', '0.2', 'done'],
      ['requestRefresh', '0.1', 'done'],
    ]);
    expect(LEDGER_COLUMNS).toEqual(DESIGN_COLUMNS);
    for (const row of rows) expect(Object.keys(row)).toEqual(DESIGN_COLUMNS);
    expect((await tramita('ledger', 'list', '--state', 'unknown', '--json')).json()).toEqual([]);

    const status = await tramita('status', `refresh.default.${cnj}`, '--json');
    expect(status.exitCode).toBe(0);
    expect(status.json()).toMatchObject({ type: 'refreshCase', status: 'COMPLETED', failure: null, result: { cnj } });
  });

  it('return the ids at once from start without --wait', async () => {
    const run = await tramita('start', 'refreshCase', '--input', JSON.stringify({ cnj: newCase() }), '--json');
    expect(run.exitCode).toBe(0);
    expect(run.json()).toEqual({
      workflowId: expect.stringMatching(/^refresh\.default\.\d{20}$/) as unknown,
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
  });

  it('exit with 2 and start nothing for input that the flow would refuse', async () => {
    const run = await tramita('start', 'refreshCase', '--cnj', newCase(), '--download');
    expect(run.exitCode).toBe(2);
    expect(run.err).toMatch(/^tramita: input\.download needs "documents": true.*Nothing was started\n$/);
  });

  it('refuse an invalid workflow id with the reason, and start nothing', async () => {
    const start = ['start', 'refreshCase', '--cnj', newCase(), '--workflow-id'];
    const empty = await tramita(...start, '');
    expect(empty).toMatchObject({ exitCode: 2, out: '' });
    expect(empty.err).toMatch(/^tramita: workflowId must be a non-empty string.*Nothing was started\n$/);
    const long = await tramita(...start, 'x'.repeat(2_000));
    expect(long).toMatchObject({ exitCode: 1, err: expect.stringContaining('length exceeds limit') as string });
  });

  it('exit with 1 for a failed flow, and show its type, message and spend', async () => {
    // Test files share one namespace, and others refresh this case too.
    const workflowId = `failed-${newCase()}`;
    const which = ['--cnj', '0010001-25.2024.5.02.0001', '--workflow-id', workflowId];
    const run = await tramita('start', 'refreshCase', ...which, '--wait');
    expect(run.exitCode).toBe(1);
    expect(run.out).toBe('');
    expect(run.err).toMatch(/^tramita: RefreshFailed: the refresh of .* ended empty.*\(spent 0\.1\)$/m);
    const status = await tramita('status', workflowId, '--json');
    expect(status.exitCode).toBe(1);
    expect(status.json()).toMatchObject({
      status: 'FAILED',
      failure: { type: 'RefreshFailed', spent: { known: '0.1' } },
    });
  });

  it('exit with 3 for a parked flow, list it, and continue it by a decision', async () => {
    const cnj = newCase();
    const workflowId = `refresh.default.${cnj}`;
    await flows.loseRefresh(cnj);
    const run = await tramita('start', 'refreshCase', '--cnj', cnj, '--wait');
    expect(run.exitCode).toBe(3);
    expect(run.err).toContain(`tramita: ${workflowId} needs a person: parked (unknown-charge)`);
    expect(run.err).toContain(`tramita settle '${workflowId}' --step requestRefresh`);
    expect((await tramita('status', workflowId)).exitCode).toBe(3);
    await until(
      async () => {
        const rows = (await tramita('list', '--attention', '--json')).json() as { workflowId: string }[];
        return rows.find((row) => row.workflowId === workflowId);
      },
      { what: 'the parked flow in the list' },
    );

    const wrong = await tramita('resume', workflowId, '--by', 'ana');
    expect(wrong.exitCode).toBe(1);
    expect(wrong.err).toMatch(/^tramita: resume is not what "unknown-charge" waits for/);
    const settled = await tramita(
      ...['settle', workflowId, '--step', 'requestRefresh', '--decision', 'not-charged', '--by', 'ana', '--json'],
    );
    expect(settled.exitCode).toBe(0);
    expect(settled.json()).toEqual({ workflowId, step: 'requestRefresh', decision: 'not-charged' });
    expect((await tramita('start', 'refreshCase', '--cnj', cnj, '--wait')).exitCode).toBe(0);
    const late = await tramita('resume', workflowId, '--by', 'ana');
    expect([late.exitCode, late.err]).toEqual([1, expect.stringContaining(`--where workflow=${workflowId} `)]);
  });

  it('say on stderr if list has more flows than it shows', async () => {
    const handles = await Promise.all([flows.refresh({ cnj: newCase() }), flows.refresh({ cnj: newCase() })]);
    await Promise.all(handles.map((handle) => handle.result()));
    const first = await until(
      async () => {
        const run = await tramita('list', '--limit', '1', '--json');
        return run.err === '' ? undefined : run;
      },
      { what: 'a second flow in visibility' },
    );
    expect(first.exitCode).toBe(0);
    expect(first.json()).toHaveLength(1);
    expect(first.err).toBe('tramita: there are more flows than the newest 1; raise --limit\n');
    const all = await tramita('list', '--limit', '999999', '--json');
    expect(all.err).toBe('');
    expect((all.json() as unknown[]).length).toBeGreaterThan(1);
  });

  it('exit with 1 for an unknown workflow id', async () => {
    const run = await tramita('status', 'nobody');
    expect(run.exitCode).toBe(1);
    expect(run.err).toBe('tramita: there is no workflow "nobody" in namespace "default"\n');
  });

  it('read the balance for free', async () => {
    const before = (await flows.charges()).length;
    const run = await tramita('balance', '--json');
    expect(run.json()).toEqual([
      {
        account: 'default',
        credits: expect.stringMatching(/^\d+(\.\d+)?$/) as unknown,
        currency: 'BRL',
        accountStatus: 'ACTIVE',
        problem: null,
      },
    ]);
    expect(await flows.charges()).toHaveLength(before);
  });

  it.each(['balance', 'doctor'])('name in %s the variable of an API key that the service refuses', async (command) => {
    const refused = await tramitaWith([command], { TRAMITA_API_KEY: 'sandbox-key-of-nobody' });
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.out).toContain('the service answered 401; check the API key of the account (TRAMITA_API_KEY)');
  });

  it('find no failure with doctor, which costs nothing', async () => {
    const before = (await flows.charges()).length;
    const run = await tramita('doctor', '--json');
    const findings = run.json() as { about: string; state: string; text: string }[];
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(run.exitCode).toBe(0);
    expect(findings.map(({ about }) => about)).toEqual(
      expect.arrayContaining([
        'node',
        'config',
        'Temporal',
        'search attributes',
        'database',
        'service, account default',
        'files',
      ]),
    );
    expect(await flows.charges()).toHaveLength(before);
  });

  it('apply nothing with migrate if the database is current', async () => {
    expect((await tramita('migrate', '--json')).json()).toEqual({ applied: [] });
  });

  it('book a charged balance read, report it on stderr, and do not repeat it', async () => {
    const meta = { creditsCharged: 0.05, searchLogId: 'log-9', requestId: 'meta-9' };
    await flows.fault({ operation: 'getBalance', fault: 'status', status: 404, body: { error: { code: 'NO' }, meta } });
    const charged = await tramita('balance');
    expect(charged).toMatchObject({ exitCode: 1, out: 'default: the service answered 404\n' });
    expect(charged.err).toMatch(/^tramita: unexpected charge: .*"charged":"0.05"}\n$/);
    const reads = async (): Promise<number> => (await flows.requests('getBalance')).length;
    const before = await reads();
    const again = await tramita('balance');
    expect(again.out).toBe('default: this read was charged, and is not made again for 30 days\n');
    expect(await reads()).toBe(before);
    const booked = await tramita('ledger', 'list', '--workflow', 'command line', '--json');
    expect(booked.json()).toMatchObject([{ operation: 'getBalance', charged: '0.05', state: 'done' }]);
  });
});
