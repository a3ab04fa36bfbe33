/** `deactivateMonitor`: one DELETE, which may be repeated. Kinds without a built-in operation need one from configuration. */
import { DEACTIVATIONS, FLOWS, type DeactivateMonitorResult } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { runMonitorCall } from './parts/monitor-steps.js';
import { readInput } from './flow/read-input.js';

export const deactivateMonitor = defineFlow(
  'deactivateMonitor',
  async (input, ...more): Promise<DeactivateMonitorResult> => {
    const settings = readInput(FLOWS.deactivateMonitor.parse, input, more);
    const { kind, id } = settings;
    const flow = await beginFlow({ type: 'deactivateMonitor', settings, label: `${kind} monitor ${id}` });
    const operation = DEACTIVATIONS[kind];
    const { reading } = await runMonitorCall(
      flow,
      { step: 'deactivateMonitor', operation, params: { id }, title: `DELETE ${kind} monitor` },
      {
        [`operation "${operation}"`]: `kind "${kind}" needs the operation ${operation} ("operations" in the TRAMITA_CONFIG file), which`,
        'params.id': 'id',
      },
    );
    return { status: reading.monitors[0]?.status ?? 'inactive', ...flow.end() };
  },
);
