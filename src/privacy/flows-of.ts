/** What searches and erasures need of Temporal. The command line implements it, because this room speaks to no server. */

export interface FlowRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly isRunning: boolean;
  /** Ids, memo, search attributes and every payload of the history, decrypted. */
  readonly texts: readonly string[];
}

export interface FlowSchedule {
  readonly name: string;
  readonly texts: readonly string[];
}

export interface Flows {
  /** All runs of our flows, refused ones too. Rejects if a history cannot be read: only what was read can be called clean. */
  runs(): AsyncIterable<FlowRun>;
  schedules(): AsyncIterable<FlowSchedule>;
  /** Returns when the run has ended. */
  end(run: FlowRun): Promise<void>;
  /** Returns when it is gone. */
  remove(run: FlowRun): Promise<void>;
  removeSchedule(name: string): Promise<void>;
}
