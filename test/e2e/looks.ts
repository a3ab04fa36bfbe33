/** What kill tests observe from outside: the charge book, current ledger rows, the spool, workflow histories. */
import { join } from 'node:path';
import { createSpool } from '../../src/ledger/index.js';
import type { IntentState } from '../../src/ledger/index.js';
import type { Charge } from '../../sandbox/index.js';
import type { Flows } from '../flows/with-flows.js';
import { until } from '../support/until.js';

export async function chargesOf(flows: Flows, cnj: string): Promise<readonly Charge[]> {
  return await flows.charges({ cnj });
}

export interface Row {
  readonly intentId: string;
  readonly state: IntentState;
  readonly ordinal: number;
  readonly openedAtMs: number;
}

/** Oldest first. */
export async function rowsOf(flows: Flows, workflowId: string): Promise<readonly Row[]> {
  const rows = await flows.database.db
    .selectFrom('tramita.intent')
    .select(['intent_id', 'state', 'ordinal', 'opened_at'])
    .where('workflow_id', '=', workflowId)
    .orderBy('opened_at')
    .execute();
  return rows.map((row) => ({
    intentId: row.intent_id,
    state: row.state as IntentState,
    ordinal: row.ordinal,
    openedAtMs: row.opened_at,
  }));
}

/** The first row of the flow, once it is in `state`. */
export function untilRow(flows: Flows, workflowId: string, state: IntentState): Promise<Row> {
  return until(async () => (await rowsOf(flows, workflowId)).find((row) => row.state === state), {
    everyMs: 20,
    what: `a row of ${workflowId} to be ${state}`,
  });
}

export async function spoolHas(flows: Flows, intentId: string): Promise<boolean> {
  return (await createSpool(join(flows.config.filesDir, 'spool')).list()).includes(intentId);
}

/** Until the answer of this row is on the worker's disk. */
export async function untilSpooled(flows: Flows, intentId: string): Promise<void> {
  await until(() => spoolHas(flows, intentId), { everyMs: 10, what: 'the answer in the spool' });
}

export async function untilCharged(flows: Flows, cnj: string, times = 1): Promise<readonly Charge[]> {
  return until(
    async () => {
      const charges = await chargesOf(flows, cnj);
      return charges.length >= times ? charges : undefined;
    },
    { everyMs: 10, what: `${times} charge(s) of ${cnj}` },
  );
}

export async function untilWaitingFor(flows: Flows, workflowId: string, what: string): Promise<void> {
  await until(async () => (await flows.progress(workflowId)).waitingFor?.includes(what) === true, {
    what: `${workflowId} to wait for ${what}`,
  });
}

/** Number of polls for this request that the service has received. */
export async function pollsOf(flows: Flows, requestId: string | null | undefined): Promise<number> {
  const requests = await flows.requests();
  return requests.filter(({ operation, target }) => operation === 'getRequest' && target.includes(requestId ?? '-'))
    .length;
}

export interface HistorySummary {
  readonly signals: readonly Readonly<Record<string, unknown>>[];
  readonly activities: readonly string[];
  /** Number of accepted updates: decisions and resumes by people. */
  readonly updates: number;
}

/** The signals, activities and updates in a flow's history. */
export async function historyOf(flows: Flows, workflowId: string): Promise<HistorySummary> {
  const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
  const signals: Record<string, unknown>[] = [];
  const activities: string[] = [];
  let updates = 0;
  for (const event of events ?? []) {
    const { workflowExecutionSignaledEventAttributes: signal, activityTaskScheduledEventAttributes: activity } = event;
    if (signal) signals.push(readPayload(signal.input?.payloads?.[0]?.data));
    if (activity) activities.push(activity.activityType?.name ?? '');
    if (event.workflowExecutionUpdateAcceptedEventAttributes) updates += 1;
  }
  return { signals, activities, updates };
}

function readPayload(data: Uint8Array | null | undefined): Record<string, unknown> {
  return data ? (JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>) : {};
}
