/**
 * The resolver of an unknown charge (design 10): (a) closes the door, so that a late attempt sends nothing; (b) waits out the
 * call; (c) reads the row: a late settlement decides, and a row that had to be written now proves that nothing was sent; (d)
 * looks for free evidence. What no proof decides stays `unknown`, and the flow parks.
 */
import type { Intent } from '../ledger/index.js';
import type { CallOutcome, ResolveUnknownInput } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';
import { findEvidence, type Finding } from './evidence/index.js';
import { ledgerParams } from './ledger-params.js';
import { settleFromSpoolIfHere } from './settle-from-spool.js';
import { storedOutcome, withoutWebhook } from './stored-outcome.js';
import { notYet } from './to-failure.js';

/** Longest life of a call (activity start-to-close), and a margin for clocks. */
const JSON_DEADLINE_MS = 60_000;
const FILE_DEADLINE_MS = 11 * 60_000;
const MARGIN_MS = 5_000;
const AGAIN_AFTER_MS = 2_000;

export async function resolveUnknown(deps: ActivityDeps, input: ResolveUnknownInput): Promise<CallOutcome> {
  if (input.intentId !== undefined) await settleFromSpoolIfHere(deps, input.intentId);
  const intent = await closeDoor(deps, input);
  if (intent.state !== 'unknown') return storedOutcome(deps, intent, withoutWebhook(input));
  const account = deps.accounts.get(input.account);
  // A row that took over another flow's call is decided by that flow, or by a person.
  if (account === undefined || intent.joined !== null) return storedOutcome(deps, intent, withoutWebhook(input));
  const finding = await findEvidence(deps, { account, intent, subject: input });
  const decided = await act(deps, intent, finding);
  const outcome = await storedOutcome(deps, decided, withoutWebhook(input));
  return {
    ...outcome,
    ...(finding.looked === '' ? {} : { looked: finding.looked }),
    ...(finding.unexpected === undefined ? {} : { unexpected: finding.unexpected }),
  };
}

async function closeDoor(deps: ActivityDeps, input: ResolveUnknownInput): Promise<Intent> {
  const isFile = deps.catalogue.operationOf(input.operation).answer === 'pdf';
  const deadlineMs = (isFile ? FILE_DEADLINE_MS : JSON_DEADLINE_MS) + MARGIN_MS;
  const intent = await deps.ledger.closeStep({
    workflowId: input.workflowId,
    firstRunId: input.firstRunId,
    step: input.step,
    ordinal: input.ordinal,
    account: input.account,
    operation: input.operation,
    params: ledgerParams(input),
    ...(input.body === undefined ? {} : { body: input.body }),
    deadlineMs,
  });
  if (intent.state !== 'open') return intent;
  const leftMs = deadlineMs - (deps.clock.nowMs() - intent.openedAtMs);
  throw notYet('the call may still be on its way', Math.max(AGAIN_AFTER_MS, Math.min(leftMs + 100, 30_000)));
}

/** Writes what was proven into the ledger; the row as it is now, whoever was faster. */
async function act(deps: ActivityDeps, intent: Intent, finding: Finding): Promise<Intent> {
  switch (finding.found) {
    case 'nothing':
      return intent;
    case 'sent': {
      const settled = await deps.ledger.settle(intent.intentId, finding.settlement, intent.workflowId);
      await deps.wake(settled.intent, settled.wake);
      return settled.intent;
    }
    case 'charged': {
      const { charged, proof } = finding;
      const settled = await deps.ledger.settle(
        intent.intentId,
        // A refresh that was charged goes by its status; the answer of anything else is lost.
        intent.operation === 'requestRefresh'
          ? { state: 'pending', charged, evidence: proof }
          : { state: 'charged_lost', charged, reason: 'the balance shows its charge', evidence: proof },
        intent.workflowId,
      );
      await deps.wake(settled.intent, settled.wake);
      return settled.intent;
    }
    case 'not charged':
    case 'repeatable': {
      const keepsReserve = finding.found === 'repeatable';
      const closed = await deps.ledger.closeByEvidence(intent.intentId, { proof: finding.proof, keepsReserve });
      await deps.wake(
        closed.intent,
        closed.wake.filter((workflowId) => workflowId !== intent.workflowId),
      );
      return closed.intent;
    }
  }
}
