/**
 * News about a case while a flow waits for its refresh, with a real bridge between the service and the flow. News neither
 * shortens nor lengthens the wait. The hint of a poll is two minutes here, so a poll that is begun in vain would hold the flow
 * until a wake may restart it.
 */
import { createBridge, createSignalWake, type Bridge } from '../../src/bridge/index.js';
import { createInbox } from '../../src/inbox/index.js';
import type { RefreshCaseResult } from '../../src/protocol/index.js';
import type { FlowHandle } from '../../src/starters/index.js';
import { BRIDGE_OPTIONS, SECRET } from '../bridge/support.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

/** The service's work ends only when its clock is moved. */
const HOUR_MS = 3_600_000;
/** Less than the minute after which a wake may restart a poll. */
const SOON_MS = 45_000;

describe('news while a refresh waits for its webhook', () => {
  const flows = withFlows({
    sandbox: { refreshMs: HOUR_MS, pollAfterMs: 120_000 },
    env: { TRAMITA_WEBHOOKS: 'on' },
  });
  let bridge: Bridge;
  const accepted: object[] = [];

  beforeAll(async () => {
    bridge = await createBridge({
      ...BRIDGE_OPTIONS,
      inbox: createInbox({ db: flows.database.db, clock: Date.now }),
      signalWake: createSignalWake(flows.client),
      log: { ...BRIDGE_OPTIONS.log, info: (fields) => void accepted.push(fields) },
      // A minute, because the bridge itself may pause for seconds, and a second wake from the relay would be counted.
      relay: { pauseMs: 100, olderThanMs: 60_000 },
    });
    flows.atEnd(() => bridge.close());
    await flows.control('/webhook', { url: new URL('/webhooks', bridge.url).href, secret: SECRET });
  });
  beforeEach(() => void accepted.splice(0));

  async function startWaiting(): Promise<{ readonly cnj: string; readonly handle: FlowHandle<RefreshCaseResult> }> {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await flows.waiting(handle.workflowId, /^the webhook of the service$/);
    return { cnj, handle };
  }
  const send = async (event: string, cnj: string): Promise<void> => {
    const sent = await flows.control('/events', { action: 'send', event, cnj });
    expect(sent).toMatchObject({ deliveries: [{ state: 'delivered', attempts: [{ status: 202 }] }] });
  };
  const pollsOf = async (): Promise<number> => (await flows.requests('getRequest')).length;
  const wakesOf = async ({ workflowId }: FlowHandle<RefreshCaseResult>): Promise<number> => {
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'wake')
      .length;
  };
  /** Lets the service end its work and send its webhook, and expects the flow to end soon after. */
  async function expectSoonEnd(cnj: string, handle: FlowHandle<RefreshCaseResult>): Promise<void> {
    await flows.control('/clock', { advanceMs: HOUR_MS });
    const endedAtMs = Date.now();
    expect(await handle.result()).toMatchObject({ cnj, status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(Date.now() - endedAtMs).toBeLessThan(SOON_MS);
    expect(await flows.charges({ cnj })).toHaveLength(1);
  }

  it('wakes no flow and causes no poll, and the completion is polled at once', async () => {
    const { cnj, handle } = await startWaiting();
    const polls = await pollsOf();
    for (const event of ['nova_movimentacao', 'publicacao_judicial_nova', 'novo_documento']) await send(event, cnj);
    expect(accepted).toMatchObject([{ waiting: 0 }, { waiting: 0 }, { waiting: 0 }]);
    expect((await flows.progress(handle.workflowId)).waitingFor).toBe('the webhook of the service');
    await expectSoonEnd(cnj, handle);
    expect(await pollsOf()).toBe(polls + 1);
    expect(await wakesOf(handle)).toBe(1);
  });

  it('that came before the wait is not taken for the webhook', async () => {
    const cnj = newCase();
    // Within the margin in which an event may be older than the call that it belongs to.
    await send('nova_movimentacao', cnj);
    const polls = await pollsOf();
    const handle = await flows.refresh({ cnj });
    await flows.waiting(handle.workflowId);
    expect((await flows.progress(handle.workflowId)).waitingFor).toBe('the webhook of the service');
    await expectSoonEnd(cnj, handle);
    expect(await pollsOf()).toBe(polls + 1);
  });

  it('with an unknown event name wakes the flow, because it may be the completion', async () => {
    const { cnj, handle } = await startWaiting();
    const polls = await pollsOf();
    await send('name_of_tomorrow', cnj);
    expect(accepted).toMatchObject([{ waiting: 1 }]);
    await until(async () => (await pollsOf()) > polls, { what: 'a look at the service' });
    expect(await wakesOf(handle)).toBe(1);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen enough');
  });
});
