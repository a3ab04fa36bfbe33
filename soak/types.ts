/** Words of the soak: a planned call, how it ended, and what the books say about all of them. */
import type { JsonObject, Parameters } from '../src/contract/index.js';
import type { WorkflowType } from '../src/protocol/index.js';

/** One logical charged call with arguments that no other call has: it may be charged once, whatever happens. */
export interface PlannedCall {
  readonly n: number;
  readonly operation: string;
  readonly flow: WorkflowType;
  readonly input: JsonObject;
  readonly params: Parameters;
  readonly body?: JsonObject;
  /** Fault that is armed for its operation just before it starts; undefined for the share without faults. */
  readonly fault?: PlannedFault;
}

export interface PlannedFault {
  readonly fault: string;
  /** Operation whose next request meets it: the call itself, or its poll. */
  readonly operation: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export type CallEnd = 'done' | 'failed' | 'not ended';

export interface EndedCall {
  readonly call: PlannedCall;
  readonly workflowId: string;
  readonly end: CallEnd;
  /** Failure type, where it failed. */
  readonly failure?: string;
  /** Attentions that it parked under, in order. */
  readonly parked: readonly string[];
  /** Decisions that a person had to make. */
  readonly decisions: number;
}

export interface SoakOptions {
  readonly calls: number;
  readonly kills: number;
  readonly pauses: number;
  /** Restarts of Temporal and of PostgreSQL, by turns; only with servers of the soak's own. */
  readonly restarts?: number;
  /** Times that all connections of the workers to one of the two are reset, by turns. */
  readonly cuts?: number;
  /** Fail-overs of the database to a replica that lacks the last commits. */
  readonly failovers?: number;
  readonly seed: number;
  /** Flows at the same time. */
  readonly concurrency: number;
}
