/** Types of monitors: what this installation asked for. A monitor that bills at the service and is not here is an orphan. */
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

/** A monitor as this installation knows it, inactive ones included. */
export interface KeptMonitor extends KnownMonitor {
  /** Ledger row of the call that reported it last. */
  readonly intentId: string | null;
  /** The record as the service last returned it. */
  readonly data: Json;
  readonly askedAtMs: number;
  readonly toldAtMs: number;
}

export interface StepOfRun {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly step: string;
  readonly ordinal: number;
}

export interface Snapshot {
  /** Ids of the active monitors. */
  readonly ids: readonly string[];
  readonly complete: boolean;
  readonly takenAtMs: number;
}

export interface Monitors {
  /** Changes nothing if the monitor was changed after `nowMs`. */
  save(monitor: AskedMonitor): Promise<void>;
  /** Switched off by us, or seen to be off; changes nothing if the monitor was changed after `nowMs`. */
  deactivate(monitor: {
    readonly account: string;
    readonly kind: MonitorKind;
    readonly id: string;
    readonly status: string | null;
    readonly nowMs: number;
  }): Promise<void>;
  list(account: string): Promise<readonly KnownMonitor[]>;
  kept(account: string): Promise<readonly KeptMonitor[]>;
  /** Stores a listing before a send. The newest one counts; once the intent of that send is written, none is stored. */
  saveSnapshot(step: StepOfRun, snapshot: Snapshot): Promise<void>;
  snapshotOf(step: StepOfRun): Promise<Snapshot | undefined>;
}
