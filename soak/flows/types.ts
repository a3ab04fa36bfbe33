/** Words of the proof: one run of a flow, how it ended, where it parked, and what a kill was seen to hit. */
import type { JsonObject } from '../../src/contract/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import type { FlowEnd, Parking } from '../flow-book.js';

/** `undisturbed`: the twin account at the twin sandbox, never while a worker is killed. */
export type Side = 'undisturbed' | 'killed';

export interface FlowCase {
  readonly type: WorkflowType;
  /** Unlike every other case's: all identifiers follow from it. */
  readonly n: number;
}

/** What a case needs on one side: its input, and workflows that it starts by itself and does not wait for when they park. */
export interface Prepared {
  readonly input: JsonObject;
  readonly others: readonly string[];
  /** Pending work that was bought beforehand, by no flow. */
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

/** Both runs of a case, and the kills that fell while the second was under way. */
export interface Pair {
  readonly undisturbed: FlowRun;
  readonly killed: FlowRun;
  readonly kills: readonly number[];
}
