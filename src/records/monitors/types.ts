/** Words of monitors: what this installation asked for. What bills at the service and is not here is an orphan. */
import type { Json } from '../../contract/index.js';

export type MonitorKind = 'notices' | 'radar' | 'case' | 'administrative';

export interface KnownMonitor {
  readonly kind: MonitorKind;
  readonly id: string;
  /** The caller's own name for it. */
  readonly reference: string | null;
  readonly active: boolean;
  readonly status: string | null;
}

export interface AskedMonitor extends KnownMonitor {
  readonly account: string;
  readonly intentId: string | null;
  /** The record as it came. */
  readonly data: Json;
  readonly nowMs: number;
}

export interface StepOfRun {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly step: string;
}

export interface Snapshot {
  /** Ids of the active monitors. */
  readonly ids: readonly string[];
  readonly complete: boolean;
}

export interface Monitors {
  save(monitor: AskedMonitor): Promise<void>;
  /** Switched off by us, or seen to be off. */
  deactivate(monitor: {
    readonly account: string;
    readonly kind: MonitorKind;
    readonly id: string;
    readonly status: string | null;
    readonly nowMs: number;
  }): Promise<void>;
  list(account: string): Promise<readonly KnownMonitor[]>;
  /** What a listing had before a step was sent. A later reading of the same step replaces it only while it is not complete. */
  saveSnapshot(step: StepOfRun, snapshot: Snapshot & { readonly nowMs: number }): Promise<void>;
  snapshotOf(step: StepOfRun): Promise<Snapshot | undefined>;
}
