/**
 * `createRadar` and `createCaseMonitor`: one charged POST; its monitor bills again and again. The service does not deduplicate:
 * the `reference` becomes the `once` of the ledger, so that under one reference a monitor is created once, forever.
 */
import { FLOWS, monitorToCreate, type FlowSettings, type MonitorResult, type WorkflowType } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { monitorOf, runMonitorCall } from './parts/monitor-steps.js';
import { readInput } from './flow/read-input.js';

export const createRadar = defineFlow('createRadar', (input, ...more): Promise<MonitorResult> => {
  return createMonitor('createRadar', 'POST radar', input, more);
});

export const createCaseMonitor = defineFlow('createCaseMonitor', (input, ...more): Promise<MonitorResult> => {
  return createMonitor('createCaseMonitor', 'POST case monitor', input, more);
});

async function createMonitor(
  type: WorkflowType & ('createRadar' | 'createCaseMonitor'),
  title: string,
  input: unknown,
  more: readonly unknown[],
): Promise<MonitorResult> {
  const given: FlowSettings<'createRadar'> = readInput(FLOWS.createRadar.parse, input, more);
  const { body, once } = monitorToCreate(given);
  const settings = { ...given, once };
  const { reference } = settings;
  const flow = await beginFlow({ type, settings, label: reference });
  const { reused, reading } = await runMonitorCall(
    flow,
    { step: type, operation: type, params: {}, body, title },
    { 'body.webhook_url': 'webhookUrl', body: 'definition' },
  );
  const monitor = monitorOf(reading.monitors[0], reading);
  return { monitor, action: reused ? 'unchanged' : 'created', ...flow.end() };
}
