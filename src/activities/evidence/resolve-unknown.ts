/**
 * The resolver of an unknown charge. It closes the step, so that a late attempt sends nothing, and waits until the call is over.
 * A late settlement of the row then decides; `decide-missing-row.ts` says what a missing row proves. Last it looks for free
 * evidence, also of a paid answer that was lost. Without proof the charge stays as it is, and the flow parks.
 */
import { formatAmount, goesByStatus, present } from '../../contract/index.js';
import { CLOCK_MARGIN_MS, FILE_DEADLINE_MS, JSON_DEADLINE_MS } from '../../contract/values/index.js';
import { isIntentMissing, isUndecided, ledgerParams, type Intent, type Settlement } from '../../ledger/index.js';
import type { CallOutcome, ResolveUnknownInput } from '../../protocol/index.js';
import { activityKey, type Asker } from '../asker.js';
import { findEvidence } from './find-evidence.js';
import type { WitnessDeps } from '../deps.js';
import { chargedBefore, chargedBy, collectCharges, factsOfCharges } from '../free/collect-charges.js';
import type { EvidenceDeps, Finding, UndecidedCall } from './types.js';
import { rememberAnswer, rememberSettled } from '../remember/remember-answer.js';
import { settleFromSpoolIfHere } from '../charged/settle-from-spool.js';
import { isFileCall } from '../charged/stored-file.js';
import { storedOutcome, withoutWebhook } from '../charged/stored-outcome.js';
import { notYet } from '../to-failure.js';
import { waiterKeysOf } from '../charged/waiter-keys-of.js';

/**
 * After this time the call can no longer reach the service. It covers the difference between the clocks of two workers, and
 * the two minutes for which a kernel may still send the data of a closed socket.
 */
const OVER_AFTER_MS = 3 * 60_000;
const AGAIN_AFTER_MS = 2_000;
/** How long a flow waits for a journal to bring a lost row back before it parks. */
const BACK_WITHIN_MS = 2 * 60_000;

type Deps = EvidenceDeps & WitnessDeps;

type Resolving = Pick<Asker, 'workflowType' | 'scheduledAtMs' | 'attemptScheduledAtMs'>;

export async function resolveUnknown(
  deps: Deps,
  input: ResolveUnknownInput,
  asker: Resolving & Partial<Pick<Asker, 'attempt' | 'activity' | 'runId'>>,
): Promise<CallOutcome> {
  const { workflowId, lostActivity } = input;
  const { runId = '' } = asker;
  const lost =
    lostActivity === undefined ? [] : await chargedBy(deps, { workflowId, activity: activityKey(runId, lostActivity) });
  const before = await chargedBefore(deps, workflowId, asker);
  const look = collectCharges(deps);
  const outcome = await resolve(look, input, asker);
  return { ...outcome, ...factsOfCharges([...lost, ...before, ...look.charges]) };
}

async function resolve(
  look: ReturnType<typeof collectCharges<Deps>>,
  input: ResolveUnknownInput,
  asker: Resolving,
): Promise<CallOutcome> {
  const { deps } = look;
  const aheadMs = Math.max(0, deps.clock.nowMs() - asker.attemptScheduledAtMs);
  if (input.intentId !== undefined) await settleSpooledUnlessLost(deps, input.intentId);
  let intent = await closeStep(deps, input, asker);
  if (intent.evidence?.['lost'] === true && isUndecided(intent)) {
    // The row was written again, just now or by another worker: this machine may have its answer.
    await settleSpooledUnlessLost(deps, intent.intentId);
    intent = (await deps.ledger.find(intent.intentId)) ?? intent;
  }
  const account = deps.accounts.get(input.account);
  // A row that joined another flow's call is decided by that flow, or by a person.
  if (intent.joined !== null || !isUndecided(intent)) {
    await rememberSettled(deps, { intent, params: input.params });
    return storedOutcome(deps, intent, withoutWebhook(input));
  }
  if (account === undefined) {
    const looked = `the service (not asked: this worker has no account "${input.account}")`;
    return { ...(await storedOutcome(deps, intent, withoutWebhook(input))), looked };
  }
  const isFile = isFileCall(deps.catalogue.operationOf(input.operation));
  const { attempt } = input;
  const begunAtMs = Math.max(intent.openedAtMs, attempt?.sentAtMs ?? attempt?.askedAtMs ?? 0);
  // By Temporal's clock: if ours is ahead now, or was behind at the call, the call would count as over while it is in flight.
  const overAtMs = begunAtMs + (isFile ? FILE_DEADLINE_MS : 0) + OVER_AFTER_MS + aheadMs;
  return decideByEvidence(deps, { account, intent, subject: input, overAtMs }).catch(async (error: unknown) => {
    // The next attempt would not know of these charges. The flow looks again while it is parked.
    if (look.charges.length === 0) throw error;
    const looked = 'the service (the look ended early: reading it was charged)';
    return { ...(await storedOutcome(deps, intent, withoutWebhook(input))), looked };
  });
}

async function decideByEvidence(deps: Deps, call: Parameters<typeof findEvidence>[1]): Promise<CallOutcome> {
  const { intent, subject } = call;
  const finding = await findEvidence(deps, call);
  const decided = await applyFinding(deps, { intent, subject }, finding);
  return { ...(await storedOutcome(deps, decided, withoutWebhook(subject))), looked: finding.looked };
}

/** The row of the step, which sends nothing any more. Throws "not yet" while its call may be in flight or its row may come back. */
async function closeStep(
  deps: Deps,
  input: ResolveUnknownInput,
  asker: Pick<Asker, 'workflowType' | 'scheduledAtMs'>,
): Promise<Intent> {
  const { attempt, intentId, workflowId, firstRunId, step, ordinal, account, operation, body } = input;
  const isFile = isFileCall(deps.catalogue.operationOf(operation));
  const deadlineMs = (isFile ? FILE_DEADLINE_MS : JSON_DEADLINE_MS) + CLOCK_MARGIN_MS;
  const closed = await deps.ledger.closeStep({
    workflowId,
    firstRunId,
    step,
    ordinal,
    account,
    operation,
    deadlineMs,
    params: ledgerParams(input),
    ...present({ body }),
    workflowType: attempt?.workflowType ?? asker.workflowType,
    flags: attempt?.flags ?? [],
    once: attempt?.once ?? null,
    waiterKeys: waiterKeysOf(input, deps.gaps),
    askedAtMs: attempt?.askedAtMs ?? null,
    ...present({ known: intentId === undefined ? undefined : { intentId, isCopy: attempt?.isCopy === true } }),
    isOverdue: deps.clock.nowMs() - asker.scheduledAtMs > BACK_WITHIN_MS,
  });
  if (closed.kind === 'held') throw notYet('the ledger is being reconciled; the row may come back', AGAIN_AFTER_MS);
  const { intent } = closed;
  if (intent.state !== 'open') return intent;
  const leftMs = deadlineMs - (deps.clock.nowMs() - intent.openedAtMs);
  throw notYet('the call may still be in flight', Math.max(AGAIN_AFTER_MS, Math.min(leftMs + 100, 30_000)));
}

/** A row that no journal of this machine knows is left to the resolver. */
async function settleSpooledUnlessLost(deps: Deps, intentId: string): Promise<void> {
  await settleFromSpoolIfHere(deps, intentId).catch((error: unknown) => {
    if (!isIntentMissing(error)) throw error;
  });
}

/** Writes what was proven to the ledger, and returns the row as it is now: another writer may have been faster. */
async function applyFinding(
  deps: Deps,
  { intent, subject }: Pick<UndecidedCall, 'intent' | 'subject'>,
  finding: Finding,
): Promise<Intent> {
  const decided = await writeFinding(deps, intent, finding);
  if (finding.found === 'nothing') return decided;
  const { intentId, operation, account } = intent;
  deps.log.info({ intentId, operation, account, found: finding.found, looked: finding.looked }, 'decided by evidence');
  if (finding.reading !== undefined) await deps.ledger.noteBalance(account, finding.reading);
  const body = finding.found === 'sent' ? finding.settlement.body : undefined;
  await rememberAnswer(deps, { intent: decided, params: subject.params, ...present({ body: body?.bytes }) });
  return decided;
}

async function writeFinding(deps: Deps, intent: Intent, finding: Finding): Promise<Intent> {
  const { intentId, workflowId } = intent;
  switch (finding.found) {
    case 'nothing':
      return intent;
    case 'sent':
      return settle(deps, intent, finding.settlement);
    case 'charged': {
      const { charged, proof } = finding;
      const evidence = { ...proof, by: 'tramita (evidence)' };
      // A refresh that was charged still shows its end in its status; any other answer is lost.
      return settle(
        deps,
        intent,
        goesByStatus(intent.operation)
          ? { state: 'pending', charged, amountSource: 'evidence', evidence }
          : {
              state: 'charged_lost',
              charged,
              amountSource: 'evidence',
              reason: `the balance proves that ${formatAmount(charged)} was charged for it`,
              evidence,
            },
      );
    }
    case 'not charged':
    case 'repeatable': {
      const keepsReserve = finding.found === 'repeatable';
      const closed = await deps.ledger.closeByEvidence(intentId, { proof: finding.proof, keepsReserve });
      await deps.wake(closed.wakes.filter((wake) => wake.workflowId !== workflowId));
      return closed.intent;
    }
  }
}

async function settle(deps: Deps, { intentId, workflowId }: Intent, settlement: Settlement): Promise<Intent> {
  const settled = await deps.ledger.settle(intentId, settlement, { source: 'evidence', askedBy: workflowId });
  await deps.wake(settled.wakes);
  return settled.intent;
}
