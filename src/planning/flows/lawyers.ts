/** Charged calls of the flows about lawyers and their monitors. */
import { describeLawyer, peekNotices } from '../../activities/index.js';
import { present } from '../../contract/index.js';
import {
  DEACTIVATIONS,
  MAX_TEXTS,
  monitorToCreate,
  noticeMonitorBody,
  noticeQuery,
  type FlowSettings,
} from '../../protocol/index.js';
import type { Bill } from '../bill.js';
import type { Planner } from '../deps.js';
import { describeOrEnd } from './calls.js';

/** Page 1, which may be bought up to `maxPaidChecks` times. Further pages are free. */
export async function planImport(
  planner: Planner,
  bill: Bill,
  { oab, pageSize, maxPaidChecks, maxAgeMs }: FlowSettings<'importLawyerCases'>,
): Promise<void> {
  const operation = 'listLawyerCases';
  const params = describeLawyer(planner, { oab, ...present({ pageSize }) });
  await bill.add({ step: `${operation}/1`, operation, params, ...present({ maxAgeMs }) });
  await bill.addSome({ step: `${operation}/…`, operation, params }, { least: 0, most: maxPaidChecks - 1 });
}

export async function planSyncNotices(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'syncNotices'>,
): Promise<void> {
  const { account, oabs, since, once, fullText, maxAgeMs } = settings;
  const { batches, problem } = await peekNotices(planner, { account, oabs, ...present({ since, once }) });
  bill.endIf(problem);
  const operation = 'listNotices';
  for (const batch of batches) {
    describeOrEnd(planner, bill, { account, operation, params: noticeQuery(batch.oabs, batch.desde) });
  }
  for (const [index, { oabs: registrations, desde }] of batches.entries()) {
    const params = noticeQuery(registrations, desde);
    await bill.add({ step: `${operation}/${index + 1}`, operation, params, ...present({ maxAgeMs }) });
  }
  if (!fullText) return;
  // The queries may bring more notices to read. A publication that the service does not know costs nothing.
  const [missing = 'none'] = await planner.notices.withoutText(account, oabs, 1);
  const text = { step: 'getPublication/…', operation: 'getPublication', params: { diarioId: missing } };
  await bill.addSome(text, { least: 0, most: MAX_TEXTS });
}

/** The flow's free listing decides which registrations are created and which are changed. The plan does not read it. */
export async function planNoticeMonitor(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'ensureNoticeMonitor'>,
): Promise<void> {
  const { account, oabs } = settings;
  const create = 'createNoticeMonitor';
  const body = { oabs: [...oabs], ...noticeMonitorBody(settings) };
  if (describeOrEnd(planner, bill, { account, operation: create, params: {}, body }) === undefined) return;
  await bill.addSome({ step: create, operation: create, params: {}, body }, { least: 0, most: 1 });
  const update = 'updateNoticeMonitor';
  const [oab = ''] = oabs;
  const updateCall = { params: describeLawyer(planner, { oab }), body: noticeMonitorBody(settings) };
  await bill.addSome({ step: `${update}/…`, operation: update, ...updateCall }, { least: 0, most: oabs.length });
}

export async function planCreateMonitor(
  planner: Planner,
  bill: Bill,
  operation: 'createRadar' | 'createCaseMonitor',
  settings: FlowSettings<'createRadar'>,
): Promise<void> {
  const { body } = monitorToCreate(settings);
  const { account } = settings;
  if (describeOrEnd(planner, bill, { account, operation, params: {}, body }) === undefined) return;
  await bill.add({ step: operation, operation, params: {}, body });
}

export async function planDeactivateMonitor(
  planner: Planner,
  bill: Bill,
  { account, kind, id }: FlowSettings<'deactivateMonitor'>,
): Promise<void> {
  const operation = DEACTIVATIONS[kind];
  if (describeOrEnd(planner, bill, { account, operation, params: { id } }) === undefined) return;
  await bill.add({ step: 'deactivateMonitor', operation, params: { id } });
}
