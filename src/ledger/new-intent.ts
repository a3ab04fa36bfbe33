/** Builds the new rows of a step: one that is to be sent, one that joins another, a closed one. Pure. */
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { CLOCK_MARGIN_MS } from '../contract/values/index.js';
import { intentKey, isIntentKey, requestKey } from '../inbox/index.js';
import type { StepKey } from '../protocol/index.js';
import { BLANK_INTENT, type Intent } from './intent.js';
import type { KeptIntent } from './intent-row.js';
import type { OpenIntent } from './opening-request.js';
import { isFinal, rootOf } from './states.js';

export interface NewRow {
  readonly intentId: string;
  readonly subject: string;
  readonly nowMs: number;
}

export function buildOpen(
  request: OpenIntent,
  { intentId, subject, nowMs, reserved }: NewRow & { readonly reserved: Amount },
): KeptIntent {
  const { account, operation, workflowType, once = null, flags, webhookExpected } = request;
  return {
    intent: {
      ...BLANK_INTENT,
      ...keyOf(request),
      intentId,
      account,
      operation,
      subject,
      workflowType,
      once,
      flags,
      reserved,
      webhookExpected,
      openedAtMs: openedAt(request, nowMs),
    },
    attemptToken: request.attemptToken,
    waiterKeys: [...new Set(request.waiterKeys)],
    budgetKey: request.budget?.key ?? null,
  };
}

/** The charge stays with the original, so this row is known to cost nothing. */
export function buildJoined(request: OpenIntent, row: NewRow, from: KeptIntent): KeptIntent {
  const original = from.intent;
  return {
    intent: {
      ...original,
      ...keyOf(request),
      intentId: row.intentId,
      workflowType: request.workflowType,
      once: request.once ?? null,
      flags: request.flags,
      joined: rootOf(original),
      reserved: ZERO_AMOUNT,
      charged: ZERO_AMOUNT,
      amountSource: null,
      balanceAfter: null,
      serviceOpenedAtMs: original.serviceOpenedAtMs ?? original.openedAtMs,
      openedAtMs: row.nowMs,
    },
    attemptToken: request.attemptToken,
    waiterKeys: isFinal(original.state) ? [] : joinedKeys(request, from),
    budgetKey: null,
  };
}

/**
 * `sentNotBeforeMs` may come from a clock that is slightly ahead of ours. The row is dated so that it still counts as sent in
 * time: otherwise an equal call with the same limit would not see it, and be paid again.
 */
function openedAt({ sentNotBeforeMs = 0 }: OpenIntent, nowMs: number): number {
  return Math.max(nowMs, Math.min(sentNotBeforeMs, nowMs + CLOCK_MARGIN_MS));
}

/** A closed row, so that a late attempt of its step sends nothing. The resolver writes it if there is no row. */
export function buildShut(
  key: StepKey & { readonly account: string; readonly operation: string },
  { intentId, subject, nowMs }: NewRow,
): KeptIntent {
  const { account, operation } = key;
  const intent: Intent = {
    ...BLANK_INTENT,
    ...keyOf(key),
    intentId,
    account,
    operation,
    subject,
    state: 'closed',
    openedAtMs: nowMs,
    settledAtMs: nowMs,
    evidence: { closed: 'before it was sent' },
  };
  return { intent, attemptToken: null, waiterKeys: [], budgetKey: null };
}

/** Events about the original's work, and the settlement of the original itself. */
function joinedKeys(request: OpenIntent, from: KeptIntent): readonly string[] {
  const { requestId } = from.intent;
  const keys = [
    ...request.waiterKeys,
    ...from.waiterKeys.filter((key) => !isIntentKey(key)),
    ...(requestId === null ? [] : [requestKey(requestId)]),
    intentKey(rootOf(from.intent)),
  ];
  return [...new Set(keys)];
}

export function keyOf({ workflowId, firstRunId, step, ordinal }: StepKey): StepKey {
  return { workflowId, firstRunId, step, ordinal };
}
