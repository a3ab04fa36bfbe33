/**
 * Starting the monitor flows. Monitors bill again and again: each flow has an id of what it is about, so that asking twice
 * is one run, and `createRadar`/`createCaseMonitor` are paid once under their `reference`, for ever.
 *
 * All throw InvalidInput (an `ApplicationFailure`) before anything is started, and {@link DifferentInput} when a run with the
 * same id is on its way that would not give what is asked.
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
  type CommonSettings,
  type CreateMonitorInput,
  type DeactivateMonitorInput,
  type DeactivateMonitorResult,
  type EnsureNoticeMonitorInput,
  type MonitorResult,
  type Parsed,
  type WorkflowType,
} from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/** Default id `monitor/<account>/notices/<token>`. */
export function startEnsureNoticeMonitor(
  deps: StarterDeps,
  input: EnsureNoticeMonitorInput,
  options: StartOptions = {},
): Promise<FlowHandle<MonitorResult>> {
  return start(
    deps,
    { type: 'ensureNoticeMonitor', input, options, parsed: parseEnsureNoticeMonitorInput(input) },
    (settings) => ({
      id: noticeMonitorId(settings.account, deps.token('oabs', settings.oabs)),
      summary: `Notice monitor of ${settings.oabs.length} registrations`,
    }),
  );
}

/** Default id `monitor/<account>/radar/<reference>`. */
export function startCreateRadar(
  deps: StarterDeps,
  input: CreateMonitorInput,
  options: StartOptions = {},
): Promise<FlowHandle<MonitorResult>> {
  return start(deps, { type: 'createRadar', input, options, parsed: parseCreateMonitorInput(input) }, (settings) => ({
    id: monitorId(settings.account, 'radar', settings.reference),
    summary: `Radar ${settings.reference}`,
  }));
}

/** Default id `monitor/<account>/case/<reference>`. */
export function startCreateCaseMonitor(
  deps: StarterDeps,
  input: CreateMonitorInput,
  options: StartOptions = {},
): Promise<FlowHandle<MonitorResult>> {
  return start(
    deps,
    { type: 'createCaseMonitor', input, options, parsed: parseCreateMonitorInput(input) },
    (settings) => ({
      id: monitorId(settings.account, 'case', settings.reference),
      summary: `Case monitor ${settings.reference}`,
    }),
  );
}

/** Default id `monitor/<account>/off/<kind>/<id>`. */
export function startDeactivateMonitor(
  deps: StarterDeps,
  input: DeactivateMonitorInput,
  options: StartOptions = {},
): Promise<FlowHandle<DeactivateMonitorResult>> {
  return start(
    deps,
    { type: 'deactivateMonitor', input, options, parsed: parseDeactivateMonitorInput(input) },
    (settings) => ({
      id: deactivateMonitorId(settings.account, settings.kind, settings.id),
      summary: `Switch off ${settings.kind} monitor ${settings.id}`,
    }),
  );
}

/** Default id `monitor/<account>/audit`. Free. */
export function startAuditMonitors(
  deps: StarterDeps,
  input: CommonInput = {},
  options: StartOptions = {},
): Promise<FlowHandle<AuditMonitorsResult>> {
  return start(
    deps,
    { type: 'auditMonitors', input, options, parsed: parseAuditMonitorsInput(input) },
    ({ account }) => ({
      id: auditMonitorsId(account),
      summary: `Audit of the monitors of ${account}`,
    }),
  );
}

interface Order<Settings> {
  readonly type: WorkflowType;
  readonly input: unknown;
  readonly options: StartOptions;
  readonly parsed: Parsed<Settings>;
}

async function start<Settings extends CommonSettings, Result>(
  deps: StarterDeps,
  { type, input, options, parsed }: Order<Settings>,
  place: (settings: Settings) => { readonly id: string; readonly summary: string },
): Promise<FlowHandle<Result>> {
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { id, summary } = place(parsed.value);
  const { account } = parsed.value;
  const workflowId = options.workflowId ?? id;
  return startFlow<Result>(deps, { type, options, input, settings: parsed.value, workflowId, account, summary });
}
