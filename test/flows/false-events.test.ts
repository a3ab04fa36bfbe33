/**
 * Completion events that are not true, or not of our refresh, on unknown, pending and adopted refreshes, before and after true
 * ones. None of them decides about a charge; every state stays decidable, by its flow and by a list of the ledger.
 */
import { randomUUID } from 'node:crypto';
import { createInbox } from '../../src/inbox/index.js';
import { cnjKey } from '../../src/inbox/waiter-keys.js';
import { listUndecided } from '../../src/ledger/index.js';
import { settleCharge, wakeFlow } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { incomingEvent } from '../store/support.js';
import { startShortWorker } from './short-waits.js';
import { withFlows, type Flows } from './with-flows.js';

const STEP = 'requestRefresh';
/** Long enough to be seen running, also where we stand still for some seconds. */
const REFRESH_MS = 8_000;

const chargesOf = async (flows: Flows, cnj: string): Promise<number> => (await flows.charges({ cnj })).length;
const rowOf = (flows: Flows, workflowId: string) =>
  flows.database.db
    .selectFrom('tramita.intent')
    .selectAll()
    .where('workflow_id', '=', workflowId)
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow();
const listed = async (flows: Flows, workflowId: string) =>
  (await listUndecided(flows.database.db, {})).filter((row) => row.workflowId === workflowId).map(({ state }) => state);

/** The completion of a refresh of the case, as all who can sign may post it: dated in the future, by any request. */
async function lie(flows: Flows, cnj: string, requestId?: string): Promise<void> {
  const atMs = Date.now() + 60_000;
  const at = new Date(atMs).toISOString();
  const record = {
    numeroCnj: cnj,
    status: 'SUCESSO',
    concluido_em: at,
    ...(requestId === undefined ? {} : { requestId }),
  };
  const body = Buffer.from(
    JSON.stringify({ id: randomUUID(), event: 'atualizacao_processo_concluida', created_at: at, data: record }),
  );
  const inbox = createInbox({ db: flows.database.db, clock: Date.now });
  const event = incomingEvent({ event: 'atualizacao_processo_concluida', body, keys: [cnjKey(cnj)] });
  const { wakes } = await inbox.record(event);
  for (const { workflowId } of wakes) await wakeFlow(flows.client, workflowId, { event: event.event });
}

/** Looks of the flow at its charge since the start, finished ones. */
async function looksOf(flows: Flows, workflowId: string): Promise<number> {
  const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
  const looks = (events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'resolveUnknown',
  );
  return (events ?? []).filter((event) =>
    looks.some(
      ({ eventId }) => String(event.activityTaskCompletedEventAttributes?.scheduledEventId) === String(eventId),
    ),
  ).length;
}

describe('a false completion event', () => {
  const flows = withFlows({ sandbox: { refreshMs: REFRESH_MS } });
  const decide = (workflowId: string, decision: 'not-charged' | 'charged' | 'abandon', requestId?: string) =>
    settleCharge(flows.client, workflowId, {
      step: STEP,
      decision,
      by: 'ana',
      ...(requestId === undefined ? {} : { requestId }),
    });

  it.each([
    ['that names no request', undefined],
    ['that names an unknown request', randomUUID()],
  ])('%s leaves an unknown refresh unknown, and it is decided by a person', async (_name, requestId) => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const { workflowId, ...handle } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    const looks = await looksOf(flows, workflowId);
    await lie(flows, cnj, requestId);
    await until(async () => (await looksOf(flows, workflowId)) > looks, { what: 'a look' });
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await listed(flows, workflowId)).toEqual(['unknown']);
    await decide(workflowId, 'not-charged');
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('that was here before the call was lost decides nothing either, and the true end does', async () => {
    const cnj = newCase();
    await flows.loseRefresh();
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    await lie(flows, cnj);
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({ state: 'unknown' });
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS + 500));
    await lie(flows, cnj, randomUUID());
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({
      evidence: { adopted: 'own time', from: 'the refresh status' },
    });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('does not end a pending refresh', async () => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await until(async () => (await rowOf(flows, handle.workflowId).catch(() => undefined))?.state === 'pending');
    await lie(flows, cnj);
    await handle.result();
    const { evidence, opened_at: openedAtMs, settled_at: settledAtMs } = await rowOf(flows, handle.workflowId);
    expect((settledAtMs ?? 0) - openedAtMs).toBeGreaterThanOrEqual(REFRESH_MS);
    expect(JSON.stringify(evidence ?? {})).not.toContain('event');
  });

  it('leaves a refresh that a person has called charged decidable: it was not, and is sent again', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    await decide(handle.workflowId, 'charged');
    await flows.waiting(handle.workflowId);
    await lie(flows, cnj);
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({ state: 'pending' });
    expect(await listed(flows, handle.workflowId)).toEqual(['pending']);
    await expect(decide(handle.workflowId, 'charged', 'not-a-uuid')).rejects.toThrow();
    expect(await decide(handle.workflowId, 'not-charged')).toEqual({ step: STEP, decision: 'not-charged' });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1' } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('does not keep a new start from being decided: it joins what was adopted, and may say that nothing was paid', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const first = await flows.refresh({ cnj });
    await flows.parked(first.workflowId);
    await decide(first.workflowId, 'charged');
    await flows.client.workflow.getHandle(first.workflowId).terminate('gone');
    const second = await flows.refresh({ cnj }, { workflowId: `again/${cnj}` });
    await flows.waiting(second.workflowId);
    expect(await listed(flows, first.workflowId)).toEqual(['pending']);
    await decide(second.workflowId, 'not-charged');
    expect(await second.result()).toMatchObject({ status: 'done' });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });
});

describe('a status that has charged before', () => {
  const flows = withFlows({ sandbox: { refreshMs: REFRESH_MS } });
  const body = { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, searchLogId: 'l', requestId: 'm' } };

  it('leaves a refresh without a request id to a person, whichever events come; a request that one names is asked', async () => {
    await flows.fault({ operation: 'getRefreshStatus', fault: 'status', status: 404, body });
    await (await flows.refresh({ cnj: newCase() })).result();

    // A person calls it charged: nothing can be asked, so it is a person's again.
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const { workflowId } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    await settleCharge(flows.client, workflowId, { step: STEP, decision: 'charged', by: 'ana' });
    await lie(flows, cnj);
    await until(async () => (await rowOf(flows, workflowId)).reason?.includes('is not read'));
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'unknown-charge' });
    await lie(flows, cnj, randomUUID());
    expect(await listed(flows, workflowId)).toEqual(['unknown']);
    await settleCharge(flows.client, workflowId, { step: STEP, decision: 'abandon', by: 'ana' });
    expect(await failureOf(flows.client.workflow.getHandle(workflowId))).toMatchObject({ type: 'UnknownCharge' });

    // Paid, its answer lost: an event names its request, and the request itself tells the end.
    const lost = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.refresh({ cnj: lost });
    await flows.parked(handle.workflowId);
    const charge = (await flows.charges()).find(({ subject }) => subject.cnj === lost);
    const requestId = charge?.requestId ?? '';
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS + 500));
    await lie(flows, lost, requestId);
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({ request_id: requestId });
    expect(await chargesOf(flows, lost)).toBe(1);
  });
});

describe('a round of polling that confirms nothing', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: 600_000 } });
  const exchanged = { '../flow/calls.js': 'short-rounds.ts', '../flow/event-looks.js': 'soon.ts' };
  beforeAll(() => startShortWorker(flows, exchanged), 120_000);

  it('parks after the events that it has answered: they do not end the wait for a person', async () => {
    const { workflowId } = await flows.refresh({ cnj: newCase(), webhook: false });
    await flows.waiting(workflowId, /asking it/);
    await wakeFlow(flows.client, workflowId);
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'stalled' });
    const rounds = async (): Promise<number> =>
      ((await flows.client.workflow.getHandle(workflowId).fetchHistory()).events ?? []).filter(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'awaitFinal',
      ).length;
    // The poll before the event, and the one that answers it.
    expect(await rounds()).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await flows.progress(workflowId)).toMatchObject({ state: 'parked', attention: 'stalled' });
    expect(await rounds()).toBe(2);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it('makes what was adopted unknown again, for a person; work of the service’s own 202 is only slow', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    const decide = (decision: 'charged' | 'abandon') =>
      settleCharge(flows.client, handle.workflowId, { step: STEP, decision, by: 'ana' });
    await decide('charged');
    // Pending for the round of some seconds, and unknown again behind it.
    await until(async () => {
      const { state, reason } = await rowOf(flows, handle.workflowId);
      return state === 'pending' || reason?.includes('nothing has confirmed') === true;
    });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({
      state: 'unknown',
      reason: expect.stringContaining('nothing has confirmed') as string,
    });
    expect(await listed(flows, handle.workflowId)).toEqual(['unknown']);
    await decide('abandon');
    expect(await failureOf(flows.client.workflow.getHandle(handle.workflowId))).toMatchObject({
      type: 'UnknownCharge',
    });

    const slow = await flows.refresh({ cnj: newCase() });
    expect(await flows.parked(slow.workflowId)).toMatchObject({ attention: 'stalled' });
    await flows.client.workflow.getHandle(slow.workflowId).terminate('seen');
  });
});
