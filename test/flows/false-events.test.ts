/**
 * Completion events that are false or of another refresh, for unknown, pending and adopted refreshes, before and after true
 * ones. None of them decides a charge. Every state can still be decided through its flow, and the ledger lists it.
 */
import { randomUUID } from 'node:crypto';
import { createInbox } from '../../src/inbox/index.js';
import { cnjKey } from '../../src/inbox/waiter-keys.js';
import { listUndecided } from '../../src/ledger/index.js';
import { readDetails, settleCharge, wakeFlow } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { incomingEvent } from '../store/support.js';
import { startShortWorker } from './short-waits.js';
import { withFlows, type Flows } from './with-flows.js';

const STEP = 'requestRefresh';
/** Long enough to be seen running, also when this process pauses for some seconds. */
const REFRESH_MS = 8_000;

const chargesOf = async (flows: Flows, cnj: string): Promise<number> => (await flows.charges({ cnj })).length;
const rowOf = (flows: Flows, workflowId: string) =>
  flows.database.db
    .selectFrom('tramita.intent')
    .selectAll()
    .where('workflow_id', '=', workflowId)
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow();
const undecidedStatesOf = async (flows: Flows, workflowId: string) =>
  (await listUndecided(flows.database.db, {})).filter((row) => row.workflowId === workflowId).map(({ state }) => state);

/** Records a completion event of the case as any signer could post it: dated in the future, with any request id. */
async function recordFalseEvent(flows: Flows, cnj: string, requestId?: string): Promise<void> {
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

/** The number of finished looks of the flow at its charge. */
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
  ])('%s leaves an unknown refresh unknown, to be decided by a person', async (_name, requestId) => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const { workflowId, ...handle } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    const looks = await looksOf(flows, workflowId);
    await recordFalseEvent(flows, cnj, requestId);
    await until(async () => (await looksOf(flows, workflowId)) > looks, { what: 'a look' });
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await undecidedStatesOf(flows, workflowId)).toEqual(['unknown']);
    await decide(workflowId, 'not-charged');
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('does not settle a refresh whose answer was lost, and the later true end does', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj, 1);
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    await recordFalseEvent(flows, cnj);
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({ state: 'unknown' });
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS + 500));
    await recordFalseEvent(flows, cnj, randomUUID());
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
    await recordFalseEvent(flows, cnj);
    await handle.result();
    const { evidence, opened_at: openedAtMs, settled_at: settledAtMs } = await rowOf(flows, handle.workflowId);
    expect((settledAtMs ?? 0) - openedAtMs).toBeGreaterThanOrEqual(REFRESH_MS);
    expect(JSON.stringify(evidence ?? {})).not.toContain('event');
  });

  it('does not keep a person from revising "charged" to "not-charged", which sends the refresh again', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    await decide(handle.workflowId, 'charged');
    await flows.waiting(handle.workflowId);
    await recordFalseEvent(flows, cnj);
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({ state: 'pending' });
    expect(await undecidedStatesOf(flows, handle.workflowId)).toEqual(['pending']);
    await expect(decide(handle.workflowId, 'charged', 'not-a-uuid')).rejects.toThrow();
    expect(await decide(handle.workflowId, 'not-charged')).toEqual({ step: STEP, decision: 'not-charged' });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1' } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('is not needed for a second flow to join an adopted refresh and settle it as not charged', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const first = await flows.refresh({ cnj });
    await flows.parked(first.workflowId);
    await decide(first.workflowId, 'charged');
    await flows.client.workflow.getHandle(first.workflowId).terminate('gone');
    const second = await flows.refresh({ cnj }, { workflowId: `again/${cnj}` });
    await flows.waiting(second.workflowId);
    expect(await undecidedStatesOf(flows, first.workflowId)).toEqual(['pending']);
    await decide(second.workflowId, 'not-charged');
    expect(await second.result()).toMatchObject({ status: 'done' });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });
});

describe('a refresh status that was charged before', () => {
  const flows = withFlows({ sandbox: { refreshMs: REFRESH_MS } });
  const body = { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, searchLogId: 'l', requestId: 'm' } };

  it('is not read again: only a person or a request id named by an event decides the refresh', async () => {
    await flows.fault({ operation: 'getRefreshStatus', fault: 'status', status: 404, body });
    await (await flows.refresh({ cnj: newCase() })).result();

    // A person settles it as charged. Nothing can be read about it, so it parks for a person again.
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const { workflowId } = await flows.refresh({ cnj });
    await flows.parked(workflowId);
    await settleCharge(flows.client, workflowId, { step: STEP, decision: 'charged', by: 'ana' });
    await recordFalseEvent(flows, cnj);
    await until(async () => (await rowOf(flows, workflowId)).reason?.includes('is not read'));
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'unknown-charge' });
    await recordFalseEvent(flows, cnj, randomUUID());
    expect(await undecidedStatesOf(flows, workflowId)).toEqual(['unknown']);
    await settleCharge(flows.client, workflowId, { step: STEP, decision: 'abandon', by: 'ana' });
    expect(await failureOf(flows.client.workflow.getHandle(workflowId))).toMatchObject({ type: 'UnknownCharge' });

    // It is paid and its answer is lost. An event names its request id, and polling that request shows the end.
    const lost = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.refresh({ cnj: lost });
    await flows.parked(handle.workflowId);
    const charge = (await flows.charges()).find(({ subject }) => subject.cnj === lost);
    const requestId = charge?.requestId ?? '';
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS + 500));
    await recordFalseEvent(flows, lost, requestId);
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({ request_id: requestId });
    expect(await chargesOf(flows, lost)).toBe(1);
  });
});

describe('a round of polling that confirms nothing', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: 600_000 } });
  const exchanged = { '../flow/calls.js': 'short-rounds.ts', '../flow/event-looks.js': 'soon.ts' };
  beforeAll(() => startShortWorker(flows, exchanged));

  it('parks the flow, and events that it has already answered do not end the park', async () => {
    const { workflowId } = await flows.refresh({ cnj: newCase(), webhook: false });
    await flows.waiting(workflowId, /polling it/);
    await wakeFlow(flows.client, workflowId);
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'stalled' });
    const rounds = async (): Promise<number> =>
      ((await flows.client.workflow.getHandle(workflowId).fetchHistory()).events ?? []).filter(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'awaitFinal',
      ).length;
    // One poll before the event, and one in answer to it.
    expect(await rounds()).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await flows.progress(workflowId)).toMatchObject({ state: 'parked', attention: 'stalled' });
    expect(await rounds()).toBe(2);
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it('names the unknown status of the service where it asks a person', async () => {
    const cnj = newCase();
    // Without a request id a refresh goes by the status of its case.
    const status = (word: string) => ({ fault: 'status', cnj, body: { data: { status: word } } }) as const;
    await flows.fault({ ...status('PENDENTE'), operation: 'requestRefresh', status: 202 });
    await flows.fault({ ...status('EM_TRIAGEM'), operation: 'getRefreshStatus', status: 200, times: 1_000 });
    const { workflowId } = await flows.refresh({ cnj, webhook: false });
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'stalled' });
    const details = await readDetails(flows.client, workflowId);
    expect(details).toContain('last poll: the service has not finished: its status says "EM_TRIAGEM"');
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it('makes adopted work unknown again, but parks work from the service’s own 202 as stalled', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    const decide = (decision: 'charged' | 'abandon') =>
      settleCharge(flows.client, handle.workflowId, { step: STEP, decision, by: 'ana' });
    await decide('charged');
    // Pending for a polling round of some seconds, then unknown again.
    await until(async () => {
      const { state, reason } = await rowOf(flows, handle.workflowId);
      return state === 'pending' || reason?.includes('nothing has confirmed') === true;
    });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await rowOf(flows, handle.workflowId)).toMatchObject({
      state: 'unknown',
      reason: expect.stringContaining('nothing has confirmed') as string,
    });
    expect(await undecidedStatesOf(flows, handle.workflowId)).toEqual(['unknown']);
    await decide('abandon');
    expect(await failureOf(flows.client.workflow.getHandle(handle.workflowId))).toMatchObject({
      type: 'UnknownCharge',
    });

    const slow = await flows.refresh({ cnj: newCase() });
    expect(await flows.parked(slow.workflowId)).toMatchObject({ attention: 'stalled' });
    await flows.client.workflow.getHandle(slow.workflowId).terminate('seen');
  });
});
