/** Types of the proof: one run of a flow, how it ended, where it parked, and what a kill hit. */
import type { JsonObject } from '../../src/contract/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import type { FlowEnd, Parking } from '../flow-book.js';

/** `undisturbed`: the twin account at the twin sandbox, never while a worker is killed. */
export type Side = 'undisturbed' | 'killed';

export interface FlowCase {
  readonly type: WorkflowType;
  /** Different for every case: all identifiers are derived from it. */
  readonly n: number;
}

/** What a case needs on one side: its input, and the workflows that it starts without waiting for those that park. */
export interface Prepared {
  readonly input: JsonObject;
  readonly others: readonly string[];
  /** Pending work that was bought in advance, outside any flow. */
  readonly foreignRequest?: string;
}

export interface FlowRun {
  readonly case: FlowCase;
  readonly workflowIds: readonly string[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly ending: FlowEnd | { readonly kind: 'not ended' };
  readonly parked: readonly Parking[];
  readonly foreignRequest?: string;
}

/** Both runs of a case, and the kills that happened during the second. */
export interface Pair {
  readonly undisturbed: FlowRun;
  readonly killed: FlowRun;
  readonly kills: readonly number[];
}
