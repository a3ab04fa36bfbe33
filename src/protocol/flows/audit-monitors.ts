/** `auditMonitors`: what bills at the service and nobody asked for. */
import { defineFlow, workflowIdOf } from '../flow.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** One monitor that an audit names. */
export interface MonitorFound {
  /** `notices`, `radar`, `case` or `administrative`. */
  readonly kind: string;
  /** Id at the service. */
  readonly id: string;
  /** The caller's own name, where it has one. */
  readonly reference?: string;
  /** Word of the service; `null` where it says none. */
  readonly status: string | null;
  /** What it bills each month, a decimal string; `null` where the service does not say. */
  readonly monthlyPrice: string | null;
}

/** Result of `auditMonitors`: what bills at the service beside what was asked for here. */
export interface AuditMonitorsResult extends FlowCosts {
  /** Active monitors that this installation asked for. */
  readonly known: number;
  /** Billing, and nobody asked for them here. */
  readonly orphans: readonly MonitorFound[];
  /** Asked for here, and not active at the service. */
  readonly missing: readonly MonitorFound[];
  /** Kinds without a listing. */
  readonly notAuditable: readonly string[];
  /** A list was cut because of its size (`counts` of `progress` has how many there are), or a listing was not read to its end. */
  readonly truncated?: true;
}

export const auditMonitors = defineFlow<CommonInput, AuditMonitorsResult>()({
  idPrefix: 'monitor',
  scheduled: true,
  example: '{}',
  members: {},
  place: ({ account }) => ({ id: ['audit'], summary: `Audit of the monitors of ${account}` }),
});

/** Default workflow id of `auditMonitors`: one per account. */
export function auditMonitorsId(account: string): string {
  return workflowIdOf(auditMonitors, account, 'audit');
}
