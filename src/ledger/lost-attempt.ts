/** What a flow knows of its call, and of a step whose activity did not come back. */
import type { FlagName } from '../contract/index.js';
import type { CallSubject, StepKey } from '../protocol/index.js';
import type { Intent } from './intent.js';

/** A call as known to the flow that asked for it. */
export interface CallOfFlow extends StepKey, Pick<CallSubject, 'account' | 'operation' | 'params' | 'body'> {
  readonly workflowType: string;
  readonly flags: readonly FlagName[];
  readonly once: string | null;
  /** Keys under which events about this call are waited for, e.g. `cnj:<20 digits>`. */
  readonly waiterKeys: readonly string[];
}

export interface LostAttempt extends CallOfFlow {
  /** The longest that the call may take. */
  readonly deadlineMs: number;
  /** When the flow asked for it, epoch ms; null where an older flow does not say. */
  readonly askedAtMs: number | null;
  /** The row that the flow knows; undefined where it knows none. */
  readonly known?: { readonly intentId: string; readonly isCopy: boolean; readonly openedAtMs?: number };
  /** The flow has waited long enough for a row to come back. */
  readonly isOverdue: boolean;
}

/** `held`: the journals are being heard, ask again. */
export type ClosedStep = { readonly kind: 'row'; readonly intent: Intent } | { readonly kind: 'held' };
