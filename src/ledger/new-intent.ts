/** New rows of a step: one that is to be sent, one that joins another, one that shuts the door. Pure. */
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { intentKey, requestKey } from '../inbox/index.js';
import type { StepKey } from '../protocol/index.js';
import type { KeptIntent } from './intent-row.js';
import { isFinal, rootOf } from './states.js';
import type { Intent, OpenIntent } from './types.js';

export interface NewRow {
  readonly intentId: string;
  readonly subject: string;
  readonly nowMs: number;
}

export function buildOpen(request: OpenIntent, row: NewRow & { readonly reserved: Amount }): KeptIntent {
  return {
    intent: {
      ...blankIntent(request, request, row),
      workflowType: request.workflowType,
      once: request.once ?? null,
      flags: request.flags,
      state: 'open',
      reserved: row.reserved,
      webhookExpected: request.webhookExpected,
    },
    attemptToken: request.attemptToken,
    waiterKeys: unique(request.waiterKeys),
    budgetKey: request.budget?.key ?? null,
  };
}

/** The charge stays with the original: this row costs nothing, and that is known. */
export function buildJoined(request: OpenIntent, row: NewRow, from: KeptIntent): KeptIntent {
  const original = from.intent;
  return {
    intent: {
      ...original,
      ...blankKey(request, row),
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

/** Written by the resolver where no row is: an attempt that comes late finds the door shut. */
export function buildShut(
  key: StepKey & { readonly account: string; readonly operation: string },
  row: NewRow,
): KeptIntent {
  const intent: Intent = {
    ...blankIntent(key, key, row),
    state: 'closed',
    settledAtMs: row.nowMs,
    evidence: { closed: 'before it was sent' },
  };
  return { intent, attemptToken: null, waiterKeys: [], budgetKey: null };
}

/** Events about the original's work, and the settlement of the original itself. */
function joinedKeys(request: OpenIntent, from: KeptIntent): readonly string[] {
  const { requestId } = from.intent;
  return unique([
    ...request.waiterKeys,
    ...from.waiterKeys.filter((key) => !key.startsWith('intent:')),
    ...(requestId === null ? [] : [requestKey(requestId)]),
    intentKey(rootOf(from.intent)),
  ]);
}

function blankKey(key: StepKey, row: NewRow) {
  const { workflowId, firstRunId, step, ordinal } = key;
  return { intentId: row.intentId, workflowId, firstRunId, step, ordinal };
}

export function blankIntent(
  key: StepKey,
  call: { readonly account: string; readonly operation: string },
  row: NewRow,
): Intent {
  return {
    ...blankKey(key, row),
    account: call.account,
    workflowType: '',
    once: null,
    operation: call.operation,
    subject: row.subject,
    flags: [],
    state: 'open',
    joined: null,
    reserved: ZERO_AMOUNT,
    charged: null,
    amountSource: null,
    balanceAfter: null,
    requestId: null,
    metaRequestId: null,
    searchLogId: null,
    httpStatus: null,
    errorCode: null,
    reason: null,
    bodySha256: null,
    finalState: null,
    rawStatus: null,
    runningSeen: false,
    serviceOpenedAtMs: null,
    webhookExpected: false,
    openedAtMs: row.nowMs,
    settledAtMs: null,
    evidence: null,
  };
}

function unique(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}
