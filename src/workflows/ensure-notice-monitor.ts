/**
 * `ensureNoticeMonitor`: lists the monitors (free), then creates, activates or changes those that differ from the input.
 * Charged calls: one POST for all registrations without an active monitor, one PUT for each whose active monitor differs.
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
import {
  listingRefused,
  monitorOf,
  NOTICE_MONITOR_MEMBERS,
  runMonitorCall,
  type MonitorCall,
} from './parts/monitor-steps.js';
import { readInput } from './flow/read-input.js';

/** A registration whose monitor was created or changed by a call whose answer did not name it. */
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
  // Validated as if all had to be created: a bad input is refused whatever the listing shows.
  const { operation, params, body } = createCall(settings, oabs);
  await describe(flow, { operation, params, ...present({ body }) }, NOTICE_MONITOR_MEMBERS);
  const run = { workflowId: flow.workflowId, firstRunId: flow.firstRunId };
  const wanted = { account, oabs, run, ...present({ terms, origins, webhookUrl }) };
  const plan = await freeCalls('list notice monitors').planNoticeMonitor(wanted);
  if (plan.kind === 'refused') throw listingRefused(flow, 'listNoticeMonitors', plan);
  if (plan.unexpected !== undefined) flow.inform(plan.unexpected);

  const { readings, unnamed } = await makeChanges(flow, settings, plan);
  const lookedUp =
    unnamed.length > 0 && patched('unnamed-monitors-are-looked-up') ? await lookUp(flow, wanted, unnamed) : [];
  const answered = readings.flatMap((reading) => reading.monitors);
  const changed = lookedUp.length > 0 ? lookedUp : answered;
  // A monitor without an id may be one that was just updated: it counts as unchanged only if none was.
  const unchanged = plan.monitors.filter(({ id }) =>
    id === null ? plan.update.length === 0 : changed.every((other) => other.id !== id),
  );
  const monitors = [...changed, ...unchanged];
  return {
    monitor: monitorOf(monitors[0], readings[0]),
    ...(monitors.length > 1 ? { monitors: monitors.map(({ id, status }) => ({ id, status })) } : {}),
    action: actionOf(plan),
    ...flow.end(),
  };
});

/** Makes the charged calls of the plan. `unnamed`: registrations whose monitor no answer has named. */
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
    const namesMonitor = reading.monitors.some(({ id }) => id !== null);
    if (!namesMonitor) unnamed.push(...about.map((oab) => ({ oab, intentId })));
  };
  if (create.length > 0) await run(createCall(settings, create), create);
  // Later starts under one `once`, and runs after a reset, plan fewer changes: an index among all gives stable step keys.
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

/** The answer to a change may not name the monitor. The listing does, and it is free. */
async function lookUp(
  flow: Flow,
  wanted: PlanNoticeMonitorInput,
  unnamed: readonly Unnamed[],
): Promise<EnsurePlan['monitors']> {
  const plan = await freeCalls('list notice monitors').planNoticeMonitor({
    ...wanted,
    made: unnamed.map(({ oab }) => oab),
    madeBy: unnamed.map(({ intentId }) => intentId),
  });
  if (plan.kind === 'refused') {
    for (const charge of plan.charges ?? []) flow.inform(charge);
    return [];
  }
  if (plan.unexpected !== undefined) flow.inform(plan.unexpected);
  return plan.monitors;
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

/** `params`: as configured; undefined in plans of older workers. */
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
