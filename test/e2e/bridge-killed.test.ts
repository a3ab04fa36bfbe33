/**
 * The webhook path with real processes: service → signed webhook → bridge → inbox → wake → flow. The bridge is killed with
 * SIGKILL before and after its commit. Flows in this file wait ten minutes for their webhook, so a flow that ends earlier
 * was woken.
 */
import { createServer, type Server } from 'node:net';
import { cnjKey } from '../../src/inbox/index.js';
import type { RefreshCaseResult } from '../../src/protocol/index.js';
import type { FlowHandle } from '../../src/starters/index.js';
import { lockNumber } from '../../src/store/index.js';
import { listen } from '../../soak/loopback.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { hold } from './hold.js';
import { chargesOf, historyOf, untilWaitingFor } from './looks.js';
import { WEBHOOK_SECRET, withPrograms, type BridgeProgram } from './processes.js';

/** Work of the service finishes only when the test advances the service's clock. */
const HOUR_MS = 3_600_000;
/** The service's first retry of a failed delivery (interface, "Delivery"). */
const RETRY_MS = 2 * 60_000;

interface Delivery {
  readonly eventId: string;
  readonly state: string;
  readonly attempts: readonly { readonly status: number | null }[];
}

describe('the webhook path', () => {
  const programs = withPrograms(() => flows);
  const flows = withFlows({
    worker: false,
    sandbox: { refreshMs: HOUR_MS, pollAfterMs: 200 },
    env: { TRAMITA_WEBHOOKS: 'on' },
  });

  /** A stand-in for Temporal: accepts connections, counts them and closes them. */
  let fakeTemporal: Server;
  let connections = 0;
  let bridge: BridgeProgram;

  beforeAll(async () => {
    fakeTemporal = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const temporalAddress = await listen(fakeTemporal);
    flows.atEnd(() => new Promise((resolve) => fakeTemporal.close(resolve)));
    await programs.startWorker();
    bridge = await programs.startBridge({ temporalAddress });
    await flows.control('/webhook', { url: bridge.webhookUrl, secret: WEBHOOK_SECRET });
  });

  const startWaiting = async (): Promise<{ cnj: string; handle: FlowHandle<RefreshCaseResult> }> => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await untilWaitingFor(flows, handle.workflowId, 'the webhook');
    return { cnj, handle };
  };
  const finishWork = () => flows.control('/clock', { advanceMs: HOUR_MS });
  const postEvent = async (body: object): Promise<readonly Delivery[]> =>
    (await flows.control<{ deliveries: Delivery[] }>('/events', body)).deliveries;
  const lastDelivery = async (): Promise<Delivery | undefined> =>
    (await flows.control<{ deliveries: Delivery[] }>('/events')).deliveries.at(-1);
  const countEvents = async (): Promise<number> => {
    const { count } = await flows.database.db
      .selectFrom('tramita.event')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  };
  const wakesOf = (workflowId: string) =>
    flows.database.db
      .selectFrom('tramita.event_wake')
      .select(['event_key', 'woken_at'])
      .where('workflow_id', '=', workflowId)
      .where('event_key', 'not like', 'intent:%')
      .execute();
  const expectWokenOnceAndPaidOnce = async (cnj: string, handle: FlowHandle<RefreshCaseResult>): Promise<void> => {
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect((await historyOf(flows, handle.workflowId)).signals).toHaveLength(1);
    expect(await chargesOf(flows, cnj)).toHaveLength(1);
    await programs.audit();
  };

  it('stores an event that no flow waits for, without a call to Temporal', async () => {
    // At its start the bridge looks for Temporal once, and logs that it is away.
    await until(() => bridge.logged().includes('no Temporal server answers'), {
      what: 'the bridge to say that Temporal is away',
    });
    // The gRPC channel of that attempt may reconnect by itself during some events, but not during every one.
    let sent = 0;
    const causesNoConnection = async (): Promise<boolean> => {
      const before = connections;
      const [delivery] = await postEvent({ action: 'send', cnj: newCase() });
      expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 202 }] });
      expect(await countEvents()).toBe((sent += 1));
      return connections === before;
    };
    await until(causesNoConnection, { what: 'an event without a call to Temporal' });
    // No wake is owed either.
    expect(await flows.database.db.selectFrom('tramita.event_wake').select('event_key').execute()).toEqual([]);
  });

  it('wakes the flow through the next bridge when the first is killed between commit and signal', async () => {
    const { cnj, handle } = await startWaiting();
    const before = connections;
    await finishWork();
    await until(async () => (await lastDelivery())?.state === 'delivered', { what: 'the 202' });
    // A flow waits for this event, so the bridge connects. This also proves that the counter works.
    await until(() => connections > before, { what: 'the bridge to look for Temporal' });
    await bridge.kill();
    expect(await wakesOf(handle.workflowId)).toMatchObject([{ woken_at: null }]);
    expect((await historyOf(flows, handle.workflowId)).signals).toEqual([]);

    bridge = await programs.startBridge();
    await expectWokenOnceAndPaidOnce(cnj, handle);
    expect((await historyOf(flows, handle.workflowId)).signals).toMatchObject([{ reason: 'relay' }]);
  });

  it('refuses forged webhooks with 401, and wakes the flow with the genuine one', async () => {
    const { cnj, handle } = await startWaiting();
    const stored = await countEvents();
    const [charge] = await chargesOf(flows, cnj);
    for (const signature of ['none', 'wrong-secret', 'tampered-body', 'garbage']) {
      const forged = await postEvent({
        action: 'forge',
        cnj,
        requestId: charge?.requestId,
        status: 'SUCESSO',
        signature,
      });
      expect(forged).toMatchObject([{ state: 'given up', attempts: [{ status: 401 }] }]);
    }
    expect(await countEvents()).toBe(stored);
    expect(await wakesOf(handle.workflowId)).toEqual([]);
    expect((await historyOf(flows, handle.workflowId)).signals).toEqual([]);

    await finishWork();
    await expectWokenOnceAndPaidOnce(cnj, handle);
    expect(await countEvents()).toBe(stored + 1);
    expect((await historyOf(flows, handle.workflowId)).signals).toMatchObject([
      { eventId: expect.any(String) as string, event: 'atualizacao_processo_concluida' },
    ]);
  });

  it('records an event once when the bridge is killed during its commit and the service delivers again', async () => {
    const { cnj, handle } = await startWaiting();
    const stored = await countEvents();
    const lock = await hold(flows.database.url, 'select pg_advisory_xact_lock($1)', [String(lockNumber(cnjKey(cnj)))]);
    // Moving the clock waits for the delivery, and the delivery waits for the lock.
    const delivered = finishWork();
    await lock.untilAwaited();
    await bridge.kill();
    await lock.release();
    await delivered;
    await until(async () => (await lastDelivery())?.attempts.length === 1, {
      what: 'the failed delivery',
    });
    expect(await lastDelivery()).toMatchObject({ state: 'waiting', attempts: [{ status: null }] });
    // Locks, row and commit are sent in one message, so PostgreSQL may still commit after the bridge is gone.
    expect(await countEvents()).toBeLessThanOrEqual(stored + 1);

    bridge = await programs.startBridge();
    await flows.control('/clock', { advanceMs: RETRY_MS });
    await expectWokenOnceAndPaidOnce(cnj, handle);
    expect(await countEvents()).toBe(stored + 1);
    expect(await lastDelivery()).toMatchObject({ state: 'delivered', attempts: [{ status: null }, { status: 202 }] });
  });
});
