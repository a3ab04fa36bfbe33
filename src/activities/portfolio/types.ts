/** What the dispatcher needs of Temporal, given by whoever builds the worker: activities know no client. */
import type { RefreshCaseInput } from '../../protocol/index.js';

export interface SweepRefresh {
  readonly input: RefreshCaseInput;
  /** `once` key of this refresh: its steps are paid once, however often it is started. */
  readonly once: string;
  /** Cap of the whole portfolio; every intent of the refresh counts against it. */
  readonly budget?: { readonly key: string; readonly limit: string };
}

export type SweepStart =
  | { readonly kind: 'started'; readonly workflowId: string; readonly runId: string }
  /** A run with another input is under way. */
  | { readonly kind: 'other input' };

export type SweepEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly type: string }
  | { readonly kind: 'parked'; readonly attention: string };

/** Ordinary `refreshCase` runs under their own ids, shared with everybody who asks for the case. */
export interface SweepRuns {
  /** Starts or joins; idempotent while the run lasts, and paid once by its `once` key afterwards. */
  start(refresh: SweepRefresh): Promise<SweepStart>;
  /** Resolves when the run has ended or parked; rejects when aborted. */
  watch(run: { readonly workflowId: string; readonly runId: string }, signal: AbortSignal): Promise<SweepEnd>;
}
