/** The run of a free activity: which flow asks, in which attempt, and whether it still wants to know. */
import { Context } from '@temporalio/activity';
import type { FreeRead } from '../http/index.js';

export interface Asker {
  readonly workflowId: string;
  readonly workflowType: string;
  /** A charge that should not be is booked under the flow that reads. */
  readonly reader: FreeRead['reader'];
  /** From 1. */
  readonly attempt: number;
  /** When the first attempt was scheduled, epoch ms. */
  readonly scheduledAtMs: number;
  /** When this attempt could begin, epoch ms by Temporal's clock: it is no earlier, whatever the clock of the worker says. */
  readonly attemptScheduledAtMs: number;
  readonly signal: AbortSignal;
  /** Time of this attempt, ms. */
  readonly withinMs: number;
}

export function currentAsker(): Asker {
  const { cancellationSignal: signal, info } = Context.current();
  const { attempt, scheduledTimestampMs: scheduledAtMs, startToCloseTimeoutMs: withinMs, workflowType = '' } = info;
  const { currentAttemptScheduledTimestampMs: attemptScheduledAtMs } = info;
  const { workflowId = '', runId: firstRunId = '' } = info.workflowExecution ?? {};
  const reader = { workflowId, firstRunId, workflowType };
  return { workflowId, workflowType, reader, attempt, scheduledAtMs, attemptScheduledAtMs, signal, withinMs };
}
