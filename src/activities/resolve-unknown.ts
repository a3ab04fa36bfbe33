/**
 * The resolver of an unknown charge (design 10), as far as our own ledger can decide: (a) closes the door, so that a late
 * attempt sends nothing; (b) waits out the call; (c) reads the row: a late settlement decides, and a row that had to be
 * written now proves that nothing was sent. Free evidence from the service is not looked for yet: what stays `unknown` parks.
 */
import type { CallOutcome, ResolveUnknownInput } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';
import { ledgerParams } from './ledger-params.js';
import { settleFromSpoolIfHere } from './settle-from-spool.js';
import { storedOutcome, withoutWebhook } from './stored-outcome.js';
import { notYet } from './to-failure.js';

/** Longest life of a JSON call (activity start-to-close) and a margin for clocks. */
const CALL_DEADLINE_MS = 60_000;
const MARGIN_MS = 5_000;
const AGAIN_AFTER_MS = 2_000;

export async function resolveUnknown(deps: ActivityDeps, input: ResolveUnknownInput): Promise<CallOutcome> {
  if (input.intentId !== undefined) await settleFromSpoolIfHere(deps, input.intentId);
  const intent = await deps.ledger.closeStep({
    workflowId: input.workflowId,
    firstRunId: input.firstRunId,
    step: input.step,
    ordinal: input.ordinal,
    account: input.account,
    operation: input.operation,
    params: ledgerParams(input),
    ...(input.body === undefined ? {} : { body: input.body }),
    deadlineMs: CALL_DEADLINE_MS + MARGIN_MS,
  });
  if (intent.state === 'open') {
    const waited = deps.clock.nowMs() - intent.openedAtMs;
    const leftMs = CALL_DEADLINE_MS + MARGIN_MS - waited;
    throw notYet('the call may still be on its way', Math.max(AGAIN_AFTER_MS, Math.min(leftMs + 100, 30_000)));
  }
  return storedOutcome(deps, intent, withoutWebhook(input));
}
