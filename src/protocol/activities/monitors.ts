/** Monitors: the plan against a free listing, what an answer says, the audit. Types only. */
import type { Parameters } from '../../contract/route.js';
import type { UnexpectedRead } from '../outcome.js';
import type { AuditMonitorsResult } from '../flows/audit-monitors.js';
import type { FlowCosts } from '../results.js';

export interface PlanNoticeMonitorInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly terms?: readonly string[];
  readonly origins?: readonly (string | number)[];
  readonly webhookUrl?: string;
  /** The run, so that changes that it made before a reset are in its plan again; absent from flows of older workers. */
  readonly run?: { readonly workflowId: string; readonly firstRunId: string };
  /** Registrations whose monitor this flow has just made without learning its id: what the listing shows for them is ours. */
  readonly made?: readonly string[];
  /** For each of `made`, the ledger row of the call that created or changed it; absent from flows of older workers. */
  readonly madeBy?: readonly string[];
}

export interface EnsurePlan {
  readonly kind: 'plan';
  /** Registrations without an active monitor. */
  readonly create: readonly string[];
  /** True when some of them have an inactive one. */
  readonly activates: boolean;
  /** Registrations whose active monitor differs from the input, or from what our last call about it asked for. */
  readonly update: readonly string[];
  /** Parameters that name each registration of `update`, as configured; absent from plans of older workers. */
  readonly updateParams?: readonly Parameters[];
  /** Active monitors of the registrations. */
  readonly monitors: readonly { readonly id: string | null; readonly status: string | null }[];
  /** Set if the listing was charged, although it should be free. */
  readonly unexpected?: UnexpectedRead;
}

/** The free listing was refused, or could not be read for a long time: nothing was spent except `charges`. */
export interface ListingRefused {
  readonly kind: 'refused';
  /** 0: there was no answer. */
  readonly status: number;
  readonly errorCode?: string;
  readonly reason: string;
  /** No answer about the listing: the service is away, or throttles. */
  readonly isAway?: boolean;
  /** The service says that money is lacking. */
  readonly aboutBalance?: boolean;
  /** Listings that have charged, although they should be free. */
  readonly charges?: readonly UnexpectedRead[];
}

export interface AuditMonitorsInput {
  readonly account: string;
  /** A listing that is charged is booked under it. Absent in flows of older workers. */
  readonly firstRunId?: string;
}

export interface AuditMonitorsReport extends Omit<AuditMonitorsResult, keyof FlowCosts> {
  readonly kind: 'report';
  /** Full counts, also if a list was cut; absent from reports of older workers. */
  readonly counts?: { readonly orphans: number; readonly missing: number };
  /** Listings that have charged, although they should be free. */
  readonly charges?: readonly UnexpectedRead[];
}
