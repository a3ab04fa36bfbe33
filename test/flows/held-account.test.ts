/**
 * An account whose calls wait: during an outage of the service (brake and free look) and after its 429. A held call is not
 * sent, counts no attempt and adds little history. Afterwards the flow completes.
 */
import { sql } from 'kysely';
import { resumeFlow } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { startShortWorker } from './short-waits.js';
import { withFlows } from './with-flows.js';

describe('the outage brake', () => {
  const flows = withFlows({ account: { outageAfter: 3 } });

  it('holds the next flow unsent after three failed calls, until a free look finds the service back', async () => {
    const failing = [newCase(), newCase(), newCase()];
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 503, body: 'gateway', times: 3 });
    const handles = [];
    for (const cnj of failing) {
      handles.push(await flows.refresh({ cnj }));
      await flows.parked(`refresh.default.${cnj}`);
    }
    // Another process has looked just now, so nobody looks again before a minute has passed.
    await setLastLook('now()');

    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await waitsFor(handle.workflowId, /^the service, which has been down for account "default" since /);
    expect((await flows.progress(handle.workflowId)).attention).toBeNull();
    expect(await sentFor(cnj)).toBe(0);
    expect(await looks()).toBe(0);

    await setLastLook("now() - interval '2 minutes'");
    expect(await handle.result()).toMatchObject({ cnj, status: 'done' });
    expect(await looks()).toBe(1);
    expect(await sentFor(cnj)).toBe(1);
    const { events } = await flows.client.workflow.getHandle(handle.workflowId).fetchHistory();
    expect((events ?? []).length).toBeLessThanOrEqual(40);
    expect(flows.logs.join('\n')).toContain('the service answers again');
    for (const { workflowId } of handles) await flows.client.workflow.getHandle(workflowId).terminate();
  });

  it('lets a flow that has paid wait with its next call and complete', async () => {
    const cnj = newCase();
    // The first poll is slow, so that the outage begins before the next call.
    await flows.fault({ operation: 'getRequest', fault: 'F7', ms: 8_000 });
    const handle = await flows.refresh({ cnj, documents: true, webhook: false });
    await until(async () => (await sentFor(cnj)) > 0, { what: 'the paid call' });
    // Set again and again, because every answer that still arrives ends the outage.
    await until(
      async () => {
        await beginOutage();
        return /has been down for account/.test((await flows.progress(handle.workflowId)).waitingFor ?? '');
      },
      { what: `${handle.workflowId} to wait for the service` },
    );
    await sql`update tramita.account_hold set outage_since = null`.execute(flows.database.db);
    expect(await handle.result()).toMatchObject({ cnj, status: 'done' });
    expect(await sentFor(cnj)).toBe(1);
  });

  it('lets calls try again after an hour when only the balance does not answer', async () => {
    await beginOutage();
    await sql`
      update tramita.account_hold set outage_since = now() - interval '61 minutes', probed_at = null`.execute(
      flows.database.db,
    );
    await flows.fault({ operation: 'getBalance', fault: 'status', status: 503, body: 'gateway', times: 1 });
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(flows.logs.join('\n')).toContain('charged calls are tried again');
  });

  it('lets a held flow be cancelled at once', async () => {
    await beginOutage();
    const handle = await flows.refresh({ cnj: newCase() });
    await waitsFor(handle.workflowId, /has been down for account/);
    await flows.client.workflow.getHandle(handle.workflowId).cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await sql`update tramita.account_hold set outage_since = null`.execute(flows.database.db);
  });

  it('lets a held flow be cancelled during its look, whatever the look finds', async () => {
    await beginOutage();
    await setLastLook("now() - interval '2 minutes'");
    const { db } = flows.database;
    // The look finds its row locked, and then that another process has just looked.
    const taken = sql`update tramita.account_hold set probed_at = now() where account = 'default'`;
    const handle = await flows.database.holding(taken, async () => {
      const held = await flows.refresh({ cnj: newCase() });
      const looking = sql`
        select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query ~ 'update "tramita"."account_hold"'`;
      await until(async () => (await looking.execute(db)).rows[0], { what: 'the look to wait for its row' });
      const run = flows.client.workflow.getHandle(held.workflowId);
      await run.cancel();
      await until(
        async () =>
          (await run.fetchHistory()).events?.find((event) => event.activityTaskCancelRequestedEventAttributes),
        { what: 'the cancellation to be requested' },
      );
      return held;
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await sql`update tramita.account_hold set outage_since = null`.execute(db);
  });

  it('counts what its free look was charged as spent by the flow that made it', async () => {
    await beginOutage();
    await setLastLook("now() - interval '2 minutes'");
    const body = { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, requestId: 'meta-1' } };
    await flows.fault({ operation: 'getBalance', fault: 'status', status: 404, body, times: 1 });
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.15', unknown: 0 } });
  });

  async function beginOutage(): Promise<void> {
    await sql`
      insert into tramita.account_hold (account, failures, outage_since, probed_at) values ('default', 3, now(), now())
      on conflict (account) do update set outage_since = now(), probed_at = now(), failures = 3`.execute(
      flows.database.db,
    );
  }

  async function setLastLook(at: string): Promise<void> {
    await sql`update tramita.account_hold set probed_at = ${sql.raw(at)} where account = 'default'`.execute(
      flows.database.db,
    );
  }

  async function waitsFor(workflowId: string, what: RegExp): Promise<void> {
    await until(async () => what.test((await flows.progress(workflowId)).waitingFor ?? ''), {
      what: `${workflowId} to wait for ${String(what)}`,
    });
  }

  async function looks(): Promise<number> {
    return (await flows.requests('getBalance')).length;
  }

  async function sentFor(cnj: string): Promise<number> {
    return (await flows.requests()).filter(
      ({ operation, target }) => operation === 'requestRefresh' && target.replace(/\D/g, '').includes(cnj),
    ).length;
  }
});

describe('an answer 429', () => {
  const flows = withFlows();

  it('holds every call of the account until the time that the service named', async () => {
    const WAIT_S = 3;
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 429, retryAfter: WAIT_S, times: 1 });
    const first = await flows.refresh({ cnj: newCase() });
    await until(async () => (await flows.requests()).some(({ operation }) => operation === 'requestRefresh'), {
      what: 'the refusal',
    });
    await until(
      async () => {
        const row = await sql`select 1 from tramita.account_hold where throttled_until is not null`.execute(
          flows.database.db,
        );
        return row.rows.length > 0;
      },
      { what: 'the hold to be recorded' },
    );
    const others = await Promise.all([newCase(), newCase(), newCase()].map((cnj) => flows.refresh({ cnj })));
    await Promise.all([first, ...others].map((handle) => handle.result()));
    const [refused = 0, ...rest] = (await flows.requests('requestRefresh'))
      .map(({ at }) => Date.parse(at))
      .sort((left, right) => left - right);
    expect(rest).toHaveLength(4);
    expect(Math.min(...rest) - refused).toBeGreaterThanOrEqual(WAIT_S * 1_000 - 50);
    const receipts = await Promise.all(others.map(async (handle) => (await handle.result()).receipts));
    // A held call is not refused: its first send is the only one.
    for (const list of receipts) expect(list).toHaveLength(1);
  });

  it('to a poll delays the polls of all flows, which resume spread out, and holds no paid call', async () => {
    // Long, so that paid calls are sent well within it, also when this process pauses for some seconds.
    const WAIT_S = 12;
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 429, retryAfter: WAIT_S, times: 1 });
    const before = (await flows.requests()).length;
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    const refusedAtMs = await until(
      async () => {
        const refused = (await flows.requests()).slice(before).find(({ status }) => status === 429);
        return refused === undefined ? undefined : Date.parse(refused.at);
      },
      { what: 'the refused poll' },
    );
    const others = await Promise.all(
      Array.from({ length: 8 }, () => flows.refresh({ cnj: newCase(), webhook: false })),
    );
    await Promise.all([handle, ...others].map((each) => each.result()));
    const later = (await flows.requests()).slice(before);
    const timesOf = (id: string): readonly number[] =>
      later
        .filter(({ operation, status }) => operation === id && status !== 429)
        .map(({ at }) => Date.parse(at) - refusedAtMs)
        .filter((atMs) => atMs > 0);
    const paid = timesOf('requestRefresh');
    expect(paid).toHaveLength(others.length);
    expect(Math.max(...paid)).toBeLessThan(WAIT_S * 1_000 - 500);
    const polls = timesOf('getRequest');
    expect(Math.min(...polls)).toBeGreaterThanOrEqual(WAIT_S * 1_000 - 50);
    // Nine flows were held until the same moment. They resume up to 20 % of their wait apart.
    const first = polls.slice(0, others.length + 1);
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(100);
  });
});

describe('a flow that has paid and is asked to wait', () => {
  const flows = withFlows({ worker: false });
  beforeAll(() => startShortWorker(flows, { '../flow/calls.js': 'short-rounds.ts' }));

  it('asks a person after a round of waiting, and again after another round', async () => {
    const { db } = flows.database;
    // The account has to wait from the moment at which the cover is paid.
    await sql`create function tramita.hold_account() returns trigger language plpgsql as $$ begin
      insert into tramita.account_hold (account, failures, throttled_until)
      values (new.account, 0, now() + interval '10 minutes')
      on conflict (account) do update set throttled_until = excluded.throttled_until; return null; end $$`.execute(db);
    await sql`create trigger hold_account after update of state on tramita.intent for each row
      when (new.operation = 'getCase' and new.state = 'done') execute function tramita.hold_account()`.execute(db);
    const handle = await flows.startPlain('readCase', { cnj: newCase(), include: ['cover', 'movements'] });
    const { workflowId } = handle;
    const asked = { state: 'parked', attention: 'stalled' };
    expect(await flows.parked(workflowId)).toMatchObject(asked);
    const resumed = await resumeFlow(flows.client, workflowId, { by: 'ana' });
    expect(resumed).toMatchObject({ resumed: true });
    expect(await flows.parked(workflowId)).toMatchObject(asked);
    await sql`update tramita.account_hold set throttled_until = null`.execute(db);
    await resumeFlow(flows.client, workflowId, { by: 'ana' });
    expect(await handle.result()).toMatchObject({ spent: { unknown: 0 } });
    expect(await flows.requests('listMovements')).toHaveLength(1);
  });
});
