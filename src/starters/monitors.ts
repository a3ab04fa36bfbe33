/**
 * Starting the monitor flows. Monitors bill again and again: each flow has an id of what it is about, so that asking twice
 * is one run, and `createRadar`/`createCaseMonitor` are paid once under their `reference`, forever.
 */
import {
  auditMonitorsId,
  deactivateMonitorId,
  monitorId,
  noticeMonitorId,
  parseAuditMonitorsInput,
  parseCreateMonitorInput,
  parseDeactivateMonitorInput,
  parseEnsureNoticeMonitorInput,
  type AuditMonitorsResult,
  type CommonInput,
  type CreateMonitorInput,
  type DeactivateMonitorInput,
  type DeactivateMonitorResult,
  type EnsureNoticeMonitorInput,
  type MonitorResult,
} from '../protocol/index.js';
import { defineStarter, type Starter } from './define-starter.js';
import type { FlowHandle, StartOptions, StarterDeps } from './start-flow.js';

/** Starts (or joins) what makes one notice monitor watch these registrations. Default id `monitor/<account>/notices/<token>`. */
export const startEnsureNoticeMonitor: Starter<EnsureNoticeMonitorInput, MonitorResult> = defineStarter({
  type: 'ensureNoticeMonitor',
  parse: parseEnsureNoticeMonitorInput,
  place: ({ account, oabs }, { token }) => ({
    id: noticeMonitorId(account, token('oabs', oabs)),
    summary: `Notice monitor of ${oabs.length} registrations`,
  }),
});

/** Starts (or joins) the making of a radar, paid once for its reference. Default id `monitor/<account>/radar/<reference>`. */
export const startCreateRadar: Starter<CreateMonitorInput, MonitorResult> = defineStarter({
  type: 'createRadar',
  parse: parseCreateMonitorInput,
  place: ({ account, reference }) => ({
    id: monitorId(account, 'radar', reference),
    summary: `Radar ${reference}`,
  }),
});

/** Starts (or joins) the making of a case monitor, paid once for its reference. Default id `monitor/<account>/case/<reference>`. */
export const startCreateCaseMonitor: Starter<CreateMonitorInput, MonitorResult> = defineStarter({
  type: 'createCaseMonitor',
  parse: parseCreateMonitorInput,
  place: ({ account, reference }) => ({
    id: monitorId(account, 'case', reference),
    summary: `Case monitor ${reference}`,
  }),
});

/** Starts (or joins) the switching off of a monitor. Default id `monitor/<account>/off/<kind>/<id>`. */
export const startDeactivateMonitor: Starter<DeactivateMonitorInput, DeactivateMonitorResult> = defineStarter({
  type: 'deactivateMonitor',
  parse: parseDeactivateMonitorInput,
  place: ({ account, kind, id }) => ({
    id: deactivateMonitorId(account, kind, id),
    summary: `Switch off ${kind} monitor ${id}`,
  }),
});

const startAudit: Starter<CommonInput, AuditMonitorsResult> = defineStarter({
  type: 'auditMonitors',
  parse: parseAuditMonitorsInput,
  place: ({ account }) => ({ id: auditMonitorsId(account), summary: `Audit of the monitors of ${account}` }),
});

/** Starts (or joins) the audit of an account's monitors, which is free. Default id `monitor/<account>/audit`. */
export function startAuditMonitors(
  deps: StarterDeps,
  input: CommonInput = {},
  options: StartOptions = {},
): Promise<FlowHandle<AuditMonitorsResult>> {
  return startAudit(deps, input, options);
}
