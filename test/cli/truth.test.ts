/** Commands say the truth: details, truncated lists, costs, workers that do not poll, calls that were not sent. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defineSearchAttributeKey } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { sql } from 'kysely';
import { ANSWER_WITHIN_MS } from '../../src/cli/with/with-client.js';
import { createSpool } from '../../src/ledger/index.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand, type CommandRun } from './run-command.js';

/** Own namespace: `subject erase` reads every run, and runs of other tests are encrypted, or end meanwhile. */
const NAMESPACE = 'truth-of-commands';

describe('the commands', () => {
  const flows = withFlows({ namespace: NAMESPACE });
  const tramita = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CommandRun> =>
    runCommand(args, {
      ...flows.env,
      ...more,
    });

  it('show the details of a flow in status and start --wait, and offer only the decisions that it accepts', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'listPublicDocuments', fault: 'F12' });
    const run = await tramita(['start', 'refreshCase', '--cnj', cnj, '--documents', '--wait']);
    expect(run.exitCode).toBe(3);
    const { workflowId } = { workflowId: `refresh.default.${cnj}` };
    const { currentDetails } = await flows.client.workflow
      .getHandle(workflowId)
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    const status = await tramita(['status', workflowId]);
    expect(status.exitCode).toBe(3);
    for (const text of [run.err, status.out]) {
      expect(text).toContain(currentDetails.replaceAll('**', ''));
      // A lost answer can only be requested by its request id.
      expect(text).toContain('`charged` with `requestId` (`--request-id …`)');
      expect(text).not.toContain('`charged` without');
      expect(text).not.toContain('not-charged|charged|abandon');
    }
    const json = (await tramita(['status', workflowId, '--json'])).json();
    expect(json).toMatchObject({ details: currentDetails, problem: null, progress: { attention: 'charged-lost' } });
    await flows.client.workflow.getHandle(workflowId).terminate();
    // The ended flow has no attention any more.
    const ended = await until(
      async () => {
        const rows = (await tramita(['list', '--json', '--case', cnj])).json() as { status: string }[];
        return rows[0]?.status === 'TERMINATED' ? rows : undefined;
      },
      { what: 'the end in visibility' },
    );
    expect(ended).toMatchObject([{ workflowId, attention: null }]);
  });

  it('show a flow parked at its cap with spend, price and cap, and its unsent call as not sent', async () => {
    const cnj = newCase();
    // The first page teaches the price of a page.
    await (await flows.refresh({ cnj: newCase(), documents: true })).result();
    const { workflowId } = await flows.refresh({ cnj, documents: true, maxSpend: '0.25' });
    await flows.parked(workflowId);
    const { out } = await tramita(['status', workflowId]);
    expect(out).toContain('would exceed the cap of this flow: spent 0.1, this call 0.2, cap 0.25. Nothing was sent.');
    expect(out).toContain('`resume` with `maxSpend` (`--max-spend …`)');
    expect(out).toContain('(listPublicDocuments): HELD, not sent');
    expect(out).not.toContain('in flight');
    await flows.client.workflow.getHandle(workflowId).terminate();
  });

  it('preview subject erase without --yes, with the flows that prevent it, and exit with 3', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const { workflowId } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    const dry = ['subject', 'erase', '--cnj', cnj, '--by', 'ana', '--reason', 'ticket 17'];
    const run = await tramita(dry);
    expect(run.exitCode).toBe(3);
    expect(run.out).toMatch(/^flows +1$/m);
    expect(run.out).toContain(`still running: ${workflowId}\nnothing was erased: wait for the flows`);
    expect((await tramita([...dry, '--json'])).json()).toMatchObject({ dryRun: true, workflowIds: [workflowId] });
    expect((await tramita([...dry, '--cancel'])).out).toContain('nothing was erased: add --yes');
    await flows.client.workflow.getHandle(workflowId).terminate();
  });

  it('create the folder for the list of subject erase, and change nothing if that fails', async () => {
    const erase = (cnj: string, filesDir: string): Promise<CommandRun> =>
      tramita(['subject', 'erase', '--cnj', cnj, '--by', 'ana', '--reason', 'ticket 17', '--yes'], {
        TRAMITA_FILES_DIR: filesDir,
      });
    const folder = temporaryFolder('subject');
    const done = await erase(newCase(), join(folder, 'of', 'no-worker'));
    expect(done.err).not.toContain('the database');
    expect(done).toMatchObject({ exitCode: 0, out: expect.stringContaining('nothing was held\nerasure ') as unknown });
    expect(readFileSync(join(folder, 'of', 'no-worker', 'erasures.jsonl'), 'utf8')).toContain('"kind":"cnj"');
    const mistyped = await tramita([
      ...['subject', 'erase', '--cnj', newCase(), '--by', 'ana', '--reason', 'ticket 17', '--yes', '--without', 'a:b'],
    ]);
    expect(mistyped).toMatchObject({ exitCode: 2, err: expect.stringContaining('--without: seen "a:b"') as unknown });
    // A folder that has lost its journal gives the name to the next one, whose disk is not clean yet.
    const journalIds = [randomUUID(), randomUUID()];
    for (const id of journalIds) {
      await sql`insert into tramita.ledger_journal (journal_id, label) values (${id}::uuid, 'host:/files')`.execute(
        flows.database.db,
      );
    }
    const without = (named: string): Promise<CommandRun> =>
      tramita([
        ...['subject', 'erase', '--cnj', lostDisk, '--by', 'ana', '--reason', 'ticket 17', '--yes', '--without', named],
      ]);
    const lostDisk = newCase();
    const unclear = await without('host:/files');
    expect(unclear.exitCode).toBe(2);
    for (const id of journalIds) expect(unclear.err).toContain(id);
    const waiting = await without(journalIds[0] ?? '');
    expect(waiting.exitCode).toBe(0);
    expect(waiting.out).toMatch(/^erasure \S+ waits for the disks of (?:.*, )?host:\/files/m);
    await sql`delete from tramita.ledger_journal where label = 'host:/files'`.execute(flows.database.db);
    const again = await tramita(['subject', 'erase', '--again', '--by', 'ana', '--reason', 'ticket 17']);
    expect(again).toMatchObject({ exitCode: 3, out: expect.stringMatching(/^cnj +\S+$/m) as unknown });
    expect(again.out).toContain('erasures would be repeated: add --yes');
    const erasures = async (): Promise<unknown> =>
      (await sql`select * from tramita.erasure`.execute(flows.database.db)).rows;
    const before = await erasures();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await erase(newCase(), join(file, 'below'))).toMatchObject({
      exitCode: 2,
      err: `tramita: TRAMITA_FILES_DIR: ${file}/below cannot be written (ENOTDIR), and the list of what was erased is kept there; name a folder of this machine\n`,
    });
    expect(await erasures()).toEqual(before);
  });

  it('say if ledger list is truncated', async () => {
    await (await flows.refresh({ cnj: newCase(), documents: true })).result();
    const cut = await tramita(['ledger', 'list', '--limit', '1', '--json']);
    expect(cut.json()).toHaveLength(1);
    expect(cut.err).toMatch(/^tramita: there are more rows than the newest 1; raise --limit/);
    expect((await tramita(['ledger', 'list', '--json'])).err).toBe('');
  });

  it('filter the list of flows, and show the cost of each', async () => {
    const cnj = newCase();
    await (await flows.refresh({ cnj, documents: true })).result();
    const rows = async (...filter: string[]) =>
      (await tramita(['list', '--json', ...filter])).json() as { workflowId: string; spent: unknown }[];
    const found = await until(
      async () => {
        const seen = await rows(
          '--case',
          cnj,
          '--flow',
          'refreshCase',
          '--account',
          'default',
          '--status',
          'completed',
        );
        return seen.length === 1 ? seen : undefined;
      },
      { what: 'the flow in visibility' },
    );
    expect(found).toMatchObject([{ workflowId: `refresh.default.${cnj}`, spent: { known: '0.3', unknown: 0 } }]);
    expect(await rows('--case', cnj, '--status', 'running')).toEqual([]);
    expect(await rows('--case', cnj, '--flow', 'readCase')).toEqual([]);
    expect(await rows('--case', cnj, '--older-than', '1h')).toEqual([]);
    expect(await rows('--case', cnj, '--newer-than', '1h')).toHaveLength(1);
    expect((await tramita(['list', '--case', cnj])).out).toMatch(
      /WORKFLOW +STATUS +ATTENTION +SPENT[^]+COMPLETED +0\.3 /,
    );
    await (await flows.refresh({ cnj, maxAge: '1h' })).result();
    const again = await until(
      async () => {
        const seen = await rows('--case', cnj);
        return seen.length === 2 ? seen : undefined;
      },
      { what: 'the second run in visibility' },
    );
    expect(again.map(({ spent }) => (spent as { known: string }).known)).toEqual(['0', '0.3']);
    const none = await tramita(['list', '--case', cnj, '--json'], { TRAMITA_DATABASE_URL: '' });
    expect(none.json()).toMatchObject([{ spent: null }, { spent: null }]);
  });

  it('print foreign ids without control characters', async () => {
    const workflowId = `odd\u001b[2J\u202e${randomBytes(4).toString('hex')}`;
    const cnj = newCase();
    await flows.refresh({ cnj }, { workflowId });
    const shown = await until(
      async () => {
        const { out } = await tramita(['list', '--case', cnj]);
        return out.includes('odd') ? out : undefined;
      },
      { what: 'the flow in visibility' },
    );
    expect(shown).toContain('odd?[2J?');
    for (const { out, err } of [await tramita(['list']), await tramita(['status', workflowId])]) {
      // eslint-disable-next-line no-control-regex -- the characters that must not be printed
      expect(`${out}${err}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it('report in ledger check a spooled paid answer without a row, but not a spooled unsent call', async () => {
    const spool = createSpool(join(flows.config.filesDir, 'spool'));
    const [unsent, paid] = [randomUUID(), randomUUID()];
    const check = async () => (await tramita(['ledger', 'check', '--no-files', '--json'])).json() as object;
    await spool.write(unsent, { state: 'not_sent', reason: 'no connection' }, null);
    expect(await check()).toMatchObject({ spooledWithoutRow: [] });
    await spool.write(paid, { state: 'done', httpStatus: 200 }, null);
    expect(await check()).toMatchObject({ spooledWithoutRow: [paid], needsPerson: true });
    await Promise.all([spool.remove(unsent), spool.remove(paid)]);
  });

  it.each(['spool', 'spool/answers-1700000000000-00000000-0000-4000-8000-000000000000.jsonl'])(
    'report in ledger check a spool that cannot be read (%s)',
    async (unreadable) => {
      const filesDir = temporaryFolder('spool');
      // A file in place of a folder, a folder in place of a file: neither can be read, also by root.
      if (unreadable === 'spool') writeFileSync(join(filesDir, unreadable), '');
      else mkdirSync(join(filesDir, unreadable), { recursive: true });
      const run = await tramita(['ledger', 'check', '--no-files'], { TRAMITA_FILES_DIR: filesDir });
      expect(run.exitCode).toBe(3);
      expect(run.out).toMatch(/^! spooled answers were not checked: .*\/spool cannot be read \(E(NOTDIR|ISDIR)\); /m);
      const json = await tramita(['ledger', 'check', '--no-files', '--json'], { TRAMITA_FILES_DIR: filesDir });
      expect(json.json()).toMatchObject({
        needsPerson: true,
        spool: expect.stringContaining('cannot be read') as string,
        spooledWithoutRow: [],
      });
    },
  );

  it('explain in list how to register missing search attributes', async () => {
    const namespace = `bare-${randomBytes(4).toString('hex')}`;
    const workflowExecutionRetentionPeriod = msToTs('1 day');
    await flows.client.connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    const run = await until(
      async () => {
        const seen = await tramita(['list', '--attention'], { TEMPORAL_NAMESPACE: namespace });
        return seen.err.includes('has no namespace') ? undefined : seen;
      },
      { what: 'the namespace' },
    );
    expect(run.err).toMatch(/^tramita: search attributes TramitaFlow, .*TramitaAttention are not registered/);
    expect(run.err).toContain(`temporal operator search-attribute create --namespace ${namespace} --name TramitaFlow`);
    expect(run.exitCode).toBe(1);
  });

  it('explain in list that the namespace does not exist', async () => {
    const run = await tramita(['list'], { TEMPORAL_NAMESPACE: 'nowhere' });
    expect(run.err).toMatch(/^tramita: .* has no namespace "nowhere"; set TEMPORAL_NAMESPACE, or create it\n$/);
    expect(run.exitCode).toBe(1);
  });

  it('say in start --wait, status and doctor that no worker polls', async () => {
    const taskQueue = `nobody-${randomBytes(4).toString('hex')}`;
    const elsewhere = { TRAMITA_TASK_QUEUE: taskQueue };
    const cnj = newCase();
    const waiting = tramita(['start', 'refreshCase', '--cnj', cnj, '--wait'], elsewhere);
    const workflowId = `refresh.default.${cnj}`;
    const handle = flows.client.workflow.getHandle(workflowId);
    await until(() => handle.describe().catch(() => undefined), { what: 'the flow' });
    const text = `no worker polls task queue "${taskQueue}", so flows make no progress`;
    expect((await tramita(['status', workflowId], elsewhere)).out).toContain(text);
    expect((await tramita(['doctor'], elsewhere)).out).toContain(`! worker: ${text}`);
    expect((await tramita(['doctor'])).out).toContain(`worker: 1 polls task queue "${flows.taskQueue}"`);
    await handle.terminate();
    expect((await waiting).err).toContain(`${workflowId}: ${text}`);
  });

  it('say in status that a worker runs and cannot continue the flow', async () => {
    const taskQueue = { name: `failing-${randomBytes(4).toString('hex')}` };
    const { workflow, workflowService } = flows.client;
    const run = { taskQueue: taskQueue.name, workflowId: taskQueue.name, args: [{ cnj: newCase() }] };
    const handle = await workflow.start('refreshCase', run);
    await flows.client.withDeadline(Date.now() + 60_000, async () => {
      for (let failed = 0; failed < 2; failed += 1) {
        const { taskToken } = await workflowService.pollWorkflowTaskQueue({
          namespace: NAMESPACE,
          taskQueue,
          identity: 'a worker',
        });
        await workflowService.respondWorkflowTaskFailed({ namespace: NAMESPACE, taskToken });
      }
    });
    const { out } = await tramita(['status', handle.workflowId]);
    expect(out).toContain('its next task has failed or timed out 2 times');
    expect(out).not.toContain('no worker answered');
    await handle.terminate();
  });

  it('say in doctor that a flow waits for an account that is not configured any more', async () => {
    const attributes = { [SEARCH_ATTRIBUTES.flow]: 'refreshCase', [SEARCH_ATTRIBUTES.account]: 'office' };
    const handle = await flows.client.workflow.start('refreshCase', {
      taskQueue: flows.taskQueue,
      workflowId: `office.${newCase()}`,
      startDelay: '1 hour',
      args: [{ cnj: newCase(), account: 'office' }],
      typedSearchAttributes: Object.entries(attributes).map(([name, value]) => ({
        key: defineSearchAttributeKey(name, 'KEYWORD'),
        value,
      })),
    });
    const text = `no worker polls "${flows.taskQueue}-charged-office": charged calls of its account wait`;
    const doctor = await until(
      async () => {
        const { out } = await tramita(['doctor']);
        return out.includes('-charged-office') ? out : undefined;
      },
      { what: 'the flow to be listed' },
    );
    expect(doctor).toContain(`! worker: ${text}`);
    expect(doctor).not.toContain(`"${flows.taskQueue}-charged-default"`);
    await handle.terminate();
  });
});

describe('a decision while the database is down', () => {
  const flows = withFlows({ wired: true });

  it('is accepted by the flow, as settle says, and takes effect when the database is back', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const handle = await flows.refresh({ cnj, webhook: false });
    await flows.parked(handle.workflowId);
    flows.takeDatabaseAway();
    const decision = ['--step', 'requestRefresh', '--decision', 'not-charged', '--by', 'ana'];
    const run = await runCommand(['settle', handle.workflowId, ...decision], flows.env);
    expect(run.err).toContain('the flow has the decision, and its worker could not write it into the database');
    expect(run).toMatchObject({ exitCode: 1, err: expect.not.stringContaining('no worker answered') as string });
    flows.bringDatabaseBack();
    expect(await handle.result()).toMatchObject({ status: 'done' });
  });
});

describe('a worker', () => {
  const flows = withFlows({ worker: false, wired: true });

  it('is ready only with database, Temporal and pollers', async () => {
    const worker = await flows.startWorker();
    // A readiness check ends after two seconds even if it is incomplete, so it is repeated on a slow machine.
    const untilReady = (wanted: Readonly<Record<string, boolean>>): Promise<true> =>
      until(async () => isDeepStrictEqual(await worker.readiness(), wanted), {
        what: JSON.stringify(wanted),
      });
    await untilReady({ database: true, temporal: true, pollers: true });
    flows.takeDatabaseAway();
    await untilReady({ database: false, temporal: true, pollers: true });
    flows.bringDatabaseBack();
    await until(async () => (await worker.readiness()).database, { what: 'the database' });
    worker.shutdown();
    await until(async () => !(await worker.readiness()).pollers, { what: 'the pollers to end' });
  });

  it('is not needed to see with status how a flow has ended', async () => {
    const worker = await flows.startWorker();
    const { workflowId, result } = await flows.refresh({ cnj: newCase(), webhook: false });
    await result();
    worker.shutdown();
    await until(async () => !(await worker.readiness()).pollers, { what: 'the pollers to end' });
    const beganMs = performance.now();
    const { exitCode, out } = await runCommand(['status', workflowId], flows.env);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringContaining('): COMPLETED\n') as string });
    expect(performance.now() - beganMs).toBeLessThan(ANSWER_WITHIN_MS);
  });
});
