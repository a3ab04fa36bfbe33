/** `auditMonitors`: compares the monitors that bill at the service with those asked for here. Free; changes nothing. */
import { present } from '../contract/values/index.js';
import { FLOWS, type AuditMonitorsResult } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { freeCalls } from './flow/calls.js';
import { listingRefused } from './parts/monitor-steps.js';
import { readInput } from './flow/read-input.js';

export const auditMonitors = defineFlow('auditMonitors', async (input, ...more): Promise<AuditMonitorsResult> => {
  const settings = readInput(FLOWS.auditMonitors.parse, input, more);
  const flow = await beginFlow({ type: 'auditMonitors', settings, label: `monitors of ${settings.account}` });
  flow.enter({ state: 'reading', waitingFor: 'the listings of monitors (free)' });
  const { account } = settings;
  const report = await freeCalls('audit monitors').auditMonitors({ account, firstRunId: flow.firstRunId });
  if (report.kind === 'refused') throw listingRefused(flow, 'the listing of monitors', report);
  const { known, orphans, missing, notAuditable, truncated, counts, charges = [] } = report;
  for (const charge of charges) flow.inform(charge);
  flow.count({ known, ...(counts ?? { orphans: orphans.length, missing: missing.length }) });
  return { known, orphans, missing, notAuditable, ...present({ truncated }), ...flow.end() };
});
