/**
 * `ensureNoticeMonitor`: list (free) → nothing, create or activate, or change. Charged calls: one POST for the
 * registrations that have no active monitor, one PUT for each that has another one than asked.
 */
import { patched } from '@temporalio/workflow';
import { present } from '../contract/values/index.js';
import type { Parameters } from '../contract/route.js';
import {
  FLOWS,
  noticeMonitorBody,
  type EnsurePlan,
  type FlowSettings,
  type MonitorReading,
  type MonitorResult,
  type PlanNoticeMonitorInput,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { freeCalls } from './flow/calls.js';
import type { Flow } from './flow/flow.js';
import { describe } from './parts/described-call.js';
import { listingRefused, NOTICE_MONITOR_MEMBERS, runMonitorCall, type MonitorCall } from './parts/monitor-steps.js';
import { readInput } from './flow/read-input.js';

/** A registration whose monitor was made, or changed, by an answer that did not name it. */
interface Unnamed {
  readonly oab: string;
  readonly intentId: string;
}

export const ensureNoticeMonitor = defineFlow('ensureNoticeMonitor', async (input, ...more): Promise<MonitorResult> => {
  const settings = readInput(FLOWS.ensureNoticeMonitor.parse, input, more);
  const { account, oabs, terms, origins, webhookUrl } = settings;
  const flow = await beginFlow({
    type: 'ensureNoticeMonitor',
    settings,
    label: `notice monitor of ${oabs.length} registrations`,
  });
  // Checked first as if all had to be created: a bad input is refused, with or without a listing.
  const { operation, params, body } = createCall(settings, oabs);
  await describe(flow, { operation, params, ...present({ body }) }, NOTICE_MONITOR_MEMBERS);
  const asked = { account, oabs, ...present({ terms, origins, webhookUrl }) };
  const run = { workflowId: flow.workflowId, firstRunId: flow.firstRunId };
  const plan = await freeCalls('list notice monitors').planNoticeMonitor({ ...asked, run });
  if (plan.kind === 'refused') throw listingRefused(flow, 'listNoticeMonitors', plan);
  if (plan.unexpected !== undefined) flow.inform(plan.unexpected);

  const { readings, unnamed } = await makeChanges(flow, settings, plan);
  const [first] = readings;
  const listedNow =
    unnamed.length > 0 && patched('unnamed-monitors-are-looked-up') ? await lookUp(flow, asked, unnamed) : [];
  const named = readings.flatMap((reading) => reading.monitors);
  const changed = listedNow.length > 0 ? listedNow : named;
  // Those that were right already too; what has no id is only known to be one of them where nothing was changed.
  const right = plan.monitors.filter(({ id }) =>
    id === null ? plan.update.length === 0 : changed.every((other) => other.id !== id),
  );
  const monitors = [...changed, ...right];
  return {
    monitor: {
      id: monitors[0]?.id ?? null,
      status: monitors[0]?.status ?? null,
      ...present({ callback: first?.callback, billing: first?.billing }),
    },
    ...(monitors.length > 1 ? { monitors: monitors.map(({ id, status }) => ({ id, status })) } : {}),
    action: actionOf(plan),
    ...flow.end(),
  };
});

/** The charged calls of the plan. `unnamed`: whose monitor no answer has named. */
async function makeChanges(
  flow: Flow,
  settings: FlowSettings<'ensureNoticeMonitor'>,
  { create, update, updateParams }: EnsurePlan,
): Promise<{ readonly readings: readonly MonitorReading[]; readonly unnamed: readonly Unnamed[] }> {
  const readings: MonitorReading[] = [];
  const unnamed: Unnamed[] = [];
  const run = async (call: MonitorCall, about: readonly string[]): Promise<void> => {
    const { reading, intentId = '' } = await runMonitorCall(flow, call, NOTICE_MONITOR_MEMBERS);
    readings.push(reading);
    const namesOne = reading.monitors.some(({ id }) => id !== null);
    if (!namesOne) unnamed.push(...about.map((oab) => ({ oab, intentId })));
  };
  if (create.length > 0) await run(createCall(settings, create), create);
  // The next start under one `once`, and a run that was reset, have less to change: the place among all names a change for good.
  const isByPlace =
    update.length > 0 &&
    patched(settings.once === undefined ? 'all-changes-are-named-by-place' : 'changes-are-named-by-place');
  for (const [index, oab] of update.entries()) {
    const place = isByPlace ? settings.oabs.indexOf(oab) : index;
    await run(updateCall(settings, { oab, place, params: updateParams?.[index] }), [oab]);
  }
  return { readings, unnamed };
}

function actionOf({ create, update, activates }: EnsurePlan): MonitorResult['action'] {
  if (create.length > 0) return activates ? 'activated' : 'created';
  return update.length > 0 ? 'updated' : 'unchanged';
}

/** An answer to a change need not name the monitor. The listing does, and it is free. */
async function lookUp(
  flow: Flow,
  asked: PlanNoticeMonitorInput,
  unnamed: readonly Unnamed[],
): Promise<EnsurePlan['monitors']> {
  const seen = await freeCalls('list notice monitors').planNoticeMonitor({
    ...asked,
    made: unnamed.map(({ oab }) => oab),
    madeBy: unnamed.map(({ intentId }) => intentId),
  });
  if (seen.kind === 'refused') return [];
  if (seen.unexpected !== undefined) flow.inform(seen.unexpected);
  return seen.monitors;
}

function createCall(settings: FlowSettings<'ensureNoticeMonitor'>, oabs: readonly string[]): MonitorCall {
  return {
    step: 'createNoticeMonitor',
    operation: 'createNoticeMonitor',
    params: {},
    body: { oabs: [...oabs], ...noticeMonitorBody(settings) },
    title: `POST notice monitor of ${oabs.length} registrations`,
  };
}

/** `params`: as configured; a plan that an older worker made has none. */
function updateCall(
  settings: FlowSettings<'ensureNoticeMonitor'>,
  { oab, place, params }: { readonly oab: string; readonly place: number; readonly params: Parameters | undefined },
): MonitorCall {
  const [uf = '', number = ''] = oab.split(':');
  return {
    step: `updateNoticeMonitor/${place + 1}`,
    operation: 'updateNoticeMonitor',
    params: params ?? { oab_numero: number, oab_estado: uf },
    body: noticeMonitorBody(settings),
    title: `PUT notice monitor ${place + 1}`,
  };
}
