/** `auditMonitors`: what bills at the service against what was asked for. Free; changes nothing. */
import { FLOWS, type AuditMonitorsResult } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { freeCalls } from './flow/calls.js';
import { openFlow } from './flow/flow.js';
import { listingRefused } from './parts/monitor-steps.js';
import { readInput } from './flow/read-input.js';

export async function auditMonitors(input: unknown, ...more: unknown[]): Promise<AuditMonitorsResult> {
  const settings = readInput(FLOWS.auditMonitors.parse, input, more);
  const flow = openFlow({ type: 'auditMonitors', settings, label: `monitors of ${settings.account}` });
  await checkAccount(flow);
  flow.enter({ state: 'reading', waitingFor: 'the listings of monitors (free)' });
  const report = await freeCalls('audit monitors').auditMonitors({ account: settings.account });
  if (report.kind === 'refused') throw listingRefused(flow, 'the listing of monitors', report);
  const { known, orphans, missing, notAuditable } = report;
  flow.count('known', known);
  flow.count('orphans', orphans.length);
  flow.count('missing', missing.length);
  flow.enter({ state: 'done' });
  return { known, orphans, missing, notAuditable, spent: flow.spent(), receipts: flow.receipts() };
}
