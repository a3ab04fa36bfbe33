/** Commands for stored events, for an operator or a backend without its own webhook. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createInbox, keysOfEvent } from '../../src/inbox/index.js';
import { wakeFlow } from '../../src/starters/index.js';
import { formatCnj, readWebhookEvent } from '../../src/contract/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { runCommand, type CommandRun } from './run-command.js';

interface Page {
  readonly events: readonly { readonly eventId: string; readonly event: string; readonly body?: string }[];
  readonly cursor: number;
  readonly more: boolean;
}

/** The members of a replay report besides `woken`. */
const none = { gone: 0, refused: 0, later: 0 };

describe('tramita events', () => {
  const flows = withFlows();
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);

  /** Stores an event as a bridge does, and loses its wakes. */
  async function recordEvent(event: string, cnj: string): Promise<string> {
    const inbox = createInbox({ db: flows.database.db, clock: Date.now });
    const eventId = randomUUID();
    const members = { id: eventId, event, data: { numeroCnj: formatCnj(cnj) } };
    const body = Buffer.from(JSON.stringify(members));
    const read = readWebhookEvent(members);
    if (read === undefined) throw new Error('no event');
    const keys = keysOfEvent(read);
    const { wakes } = await inbox.record({ account: 'default', eventId, event, body, bodySha256: eventId, keys });
    await inbox.markWoken(wakes);
    return eventId;
  }

  /** Starts a refresh that is accepted and waits for its webhook. */
  async function startWaiting(): Promise<{ readonly cnj: string; readonly workflowId: string }> {
    const cnj = newCase();
    const { workflowId } = await flows.refresh({ cnj, webhook: true });
    await flows.waiting(workflowId, /webhook/);
    return { cnj, workflowId };
  }

  it('list shows the newest events, or those after a cursor, and bodies only on request', async () => {
    const [first, second] = [await recordEvent('nova_movimentacao', newCase()), await recordEvent('outro', newCase())];
    const text = await tramita('events', 'list');
    expect(text.out).toMatch(
      new RegExp(`nova_movimentacao +${first}[^]*outro +${second}[^]*continue later with --after \\d+`),
    );

    const page = (await tramita('events', 'list', '--after', '0', '--limit', '1', '--json')).json() as Page;
    expect([page.events.length, page.more]).toEqual([1, true]);
    expect(Object.keys(page.events[0] ?? {})).not.toContain('body');
    const next = await tramita('events', 'list', '--after', String(page.cursor), '--bodies', '--by', 'T-1', '--json');
    const { events, cursor, more } = next.json() as Page;
    expect(more).toBe(false);
    expect(events.map(({ eventId }) => eventId)).toContain(second);
    expect(events.at(-1)?.body).toContain(second);
    const { rows } = await sql<{ via: string; items: number }>`
      select via, items from tramita.access_log where by_whom = 'T-1'`.execute(flows.database.db);
    expect(rows).toEqual([{ via: 'events list --bodies', items: events.length }]);
    const none = await tramita('events', 'list', '--after', String(cursor), '--json');
    expect(none.json()).toEqual({ events: [], cursor, more: false });

    const only = await tramita('events', 'list', '--event', 'outro', '--id', second, '--account', 'default', '--json');
    expect((only.json() as Page).events.map(({ eventId }) => eventId)).toEqual([second]);
  });

  it('list --bodies omits the body of an event about a sealed case, and --sealed shows it and is logged', async () => {
    const cnj = newCase();
    const id = await recordEvent('outro', cnj);
    await sql`insert into tramita.sealed_case (account, cnj) values ('default', ${cnj})`.execute(flows.database.db);
    const list = async (...more: string[]) =>
      (await tramita('events', 'list', '--id', id, '--bodies', '--by', 'T-2', '--json', ...more)).json() as Page;
    expect((await list()).events).toMatchObject([{ eventId: id, sealed: true, bodyDropped: false, body: null }]);
    expect((await list('--sealed')).events[0]?.body).toContain(id);
    const { rows } = await sql`select via, items from tramita.access_log where by_whom = 'T-2' order by seq`.execute(
      flows.database.db,
    );
    expect(rows).toEqual([
      { via: 'events list --bodies', items: 1 },
      { via: 'events list --bodies --sealed', items: 1 },
    ]);
  });

  it('list hides ids and names of events that may be personal, except with --bodies', async () => {
    const [eventId, event] = ['own-process:529.982.247-25:1', 'Maria das Dores'];
    const [inbox, body] = [createInbox({ db: flows.database.db, clock: Date.now }), Buffer.from('{}')];
    await inbox.record({ account: 'default', eventId, event, body, bodySha256: 'ab'.repeat(32), keys: [] });
    for (const args of [
      ['events', 'list'],
      ['events', 'list', '--json'],
    ]) {
      const { out } = await tramita(...args);
      expect(out).toMatch(/other[^]*sha256:|sha256:[^]*other/);
      // The pattern needs more than the first digits, which a time or a hash may contain.
      expect(out).not.toMatch(/own-process|529\.?982|Maria/);
    }
    const whole = (await tramita('events', 'list', '--bodies', '--json')).json() as Page;
    expect(whole.events).toContainEqual(expect.objectContaining({ eventId, event }));
  });

  it.each([
    [['list', '--sealed'], /--sealed goes with --bodies/],
    [['list', '--limit', '0'], /expected a whole number from 1 to 1000/],
    [['list', '--after', 'x'], /expected the cursor of an earlier page/],
    [['list', '--from', 'yesterday'], /--from: seen "yesterday"; expected a day like/],
    [['list', '--bodies'], /--bodies goes with --json/],
    [['replay'], /select events with --id/],
    [['replay', '--after', '0', '--dry-run', '--yes'], /option '--dry-run' cannot be used with option '--yes'/],
    [['missed', '--since', 'lately'], /expected a duration like 24h, a day like 2026-03-10/],
    [['missed', '--since', '40d'], /expected at most 30 days/],
  ])('%j is a usage error that says what is accepted', async (args, problem) => {
    const { exitCode, err } = await tramita('events', ...args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(problem);
  });

  it('replay lists the flows that it would wake, wakes them with --yes, and costs nothing', async () => {
    const { cnj, workflowId } = await startWaiting();
    const eventId = await recordEvent('atualizacao_processo_concluida', cnj);
    const dry = await tramita('events', 'replay', '--id', eventId, '--json');
    expect(dry.json()).toMatchObject({ dryRun: true, events: 1, wakes: [{ eventId, workflowId }] });
    expect((await tramita('events', 'replay', '--id', eventId)).out).toContain('1 flows would be woken; add --yes');
    expect((await flows.progress(workflowId)).state).not.toBe('done');

    const done = await tramita('events', 'replay', '--id', eventId, '--yes', '--json');
    expect(done.json()).toEqual({ dryRun: false, events: 1, withoutKeys: 0, woken: 1, ...none });
    expect(await flows.client.workflow.getHandle(workflowId).result()).toMatchObject({ cnj, status: 'done' });
    const again = ['events', 'replay', '--id', eventId, '--yes'];
    expect((await tramita(...again)).out).toBe('1 events: no flow waits for them\n');
    expect((await tramita(...again, '--json')).json()).toEqual({
      dryRun: false,
      events: 1,
      withoutKeys: 0,
      woken: 0,
      ...none,
    });
    expect(await flows.charges({ cnj })).toHaveLength(1);
  });

  it('replay counts flows that have ended, and does not try them again', async () => {
    const cnj = newCase();
    // The waiter is a minute old, because a recent waiter may belong to a run that has just begun and is kept.
    const inbox = createInbox({ db: flows.database.db, clock: () => Date.now() - 60_000 });
    await inbox.waitFor({ workflowId: `gone/${cnj}`, intentId: randomUUID(), keys: [`cnj:${cnj}`] });
    const eventId = await recordEvent('atualizacao_processo_concluida', cnj);
    const run = ['events', 'replay', '--id', eventId, '--yes'];
    expect((await tramita(...run)).out).toBe('1 events: 0 flows woken, 1 had ended\n');
    expect((await tramita(...run)).out).toContain('no flow waits for them');
  });

  it('replay fails if Temporal refuses a wake, and says what to look at', async () => {
    const cnj = newCase();
    const inbox = createInbox({ db: flows.database.db, clock: () => Date.now() - 60_000 });
    // Temporal takes no empty id.
    await inbox.waitFor({ workflowId: '', intentId: randomUUID(), keys: [`cnj:${cnj}`] });
    const eventId = await recordEvent('atualizacao_processo_concluida', cnj);
    const run = await tramita('events', 'replay', '--id', eventId, '--yes');
    expect(run).toMatchObject({ exitCode: 1, out: '1 events: 0 flows woken, 1 refused by Temporal\n' });
    expect(run.err).toContain('wake refused by Temporal; given up');
    expect(run.err).toMatch(/tramita: Temporal refused 1 wakes, and nothing sends them again: .*tramita doctor/);
  });

  it('replay fails without a side effect while Temporal is down, and names the address', async () => {
    const { cnj, workflowId } = await startWaiting();
    const eventId = await recordEvent('atualizacao_processo_concluida', cnj);
    const away = await runCommand(['events', 'replay', '--id', eventId, '--yes'], {
      ...flows.env,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    expect(away.exitCode).toBe(1);
    expect(away.err).toContain('no Temporal server answers at 127.0.0.1:1');
    expect((await tramita('events', 'replay', '--id', eventId, '--yes', '--json')).json()).toMatchObject({ woken: 1 });
    await flows.client.workflow.getHandle(workflowId).result();
  });

  it('missed lists the waits that polling ended, but not those whose webhook came', async () => {
    const announced = await startWaiting();
    const silent = await startWaiting();
    await recordEvent('atualizacao_processo_concluida', announced.cnj);
    for (const { workflowId } of [announced, silent]) {
      await wakeFlow(flows.client, workflowId, { reason: 'test' });
      await flows.client.workflow.getHandle(workflowId).result();
    }
    const report = (await tramita('events', 'missed', '--json')).json() as {
      readonly missed: number;
      readonly waits: readonly { readonly workflowId: string; readonly lateMs: number | null }[];
    };
    const missed = report.waits.map(({ workflowId }) => workflowId);
    expect(missed).toContain(silent.workflowId);
    expect(missed).not.toContain(announced.workflowId);
    await recordEvent('atualizacao_processo_concluida', silent.cnj);
    const text = (await tramita('events', 'missed', '--since', '1h')).out;
    expect(text).toMatch(new RegExp(`${silent.workflowId} +arrived \\d+ s later`));
    expect(text).toContain('the dashboard of the service names this bridge');
  });
});
