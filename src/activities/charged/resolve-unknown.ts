/**
 * The resolver of an unknown charge: (a) closes the door, so that a late attempt sends nothing;
 * (b) waits out the call; (c) reads the row: a late settlement decides, and a missing one proves what `decide-missing-row.ts` says; (d) looks for free evidence, also of a paid answer that was lost. What no proof decides stays as it is,
 * and the flow parks.
 */
import { formatAmount, present } from '../../contract/index.js';
import { CLOCK_MARGIN_MS, FILE_DEADLINE_MS, JSON_DEADLINE_MS } from '../../contract/values/index.js';
import { isIntentMissing, ledgerParams, type Intent, type Settlement } from '../../ledger/index.js';
import type { CallOutcome, ResolveUnknownInput } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';
import { findEvidence, type Finding } from '../evidence/index.js';
import { rememberAnswer, rememberSettled } from '../remember/remember-answer.js';
import { settleFromSpoolIfHere } from './settle-from-spool.js';
import { isFileCall } from './stored-file.js';
import { storedOutcome, withoutWebhook } from './stored-outcome.js';
import { notYet } from '../to-failure.js';
import { waiterKeysOf } from './waiter-keys-of.js';

/**
 * Nothing of the call can begin at the service after this: clocks of two workers differ, and a kernel sends what a closed
 * socket has left for up to two minutes.
 */
const OVER_AFTER_MS = 3 * 60_000;
const AGAIN_AFTER_MS = 2_000;
/** So long a flow waits for a lost row to come back from a journal before it parks. */
const BACK_WITHIN_MS = 2 * 60_000;

/** The free activity that asks. */
export interface Asker {
  readonly workflowType: string;
  /** When its first attempt was scheduled, epoch ms. */
  readonly scheduledAtMs: number;
}

export async function resolveUnknown(
  deps: ActivityDeps,
  input: ResolveUnknownInput,
  asker: Asker = { workflowType: '', scheduledAtMs: deps.clock.nowMs() },
): Promise<CallOutcome> {
  if (input.intentId !== undefined) await settleSpooledUnlessLost(deps, input.intentId);
  let intent = await closeDoor(deps, input, asker);
  if (intent.evidence?.['lost'] === true && isUndecided(intent)) {
    // Written again just now, or by another witness: this machine may have its answer.
    await settleSpooledUnlessLost(deps, intent.intentId);
    intent = (await deps.ledger.find(intent.intentId)) ?? intent;
  }
  const account = deps.accounts.get(input.account);
  // A row that took over another flow's call is decided by that flow, or by a person.
  if (account === undefined || intent.joined !== null || !isUndecided(intent)) {
    await rememberSettled(deps, { intent, params: input.params });
    return storedOutcome(deps, intent, withoutWebhook(input));
  }
  const isFile = isFileCall(deps.catalogue.operationOf(input.operation));
  const overAtMs = intent.openedAtMs + (isFile ? FILE_DEADLINE_MS : 0) + OVER_AFTER_MS;
  const finding = await findEvidence(deps, { account, intent, subject: input, overAtMs });
  const decided = await act(deps, { intent, input }, finding);
  const outcome = await storedOutcome(deps, decided, withoutWebhook(input));
  return {
    ...outcome,
    looked: finding.looked,
    ...present({ unexpected: finding.unexpected }),
  };
}

/** Open to evidence: nobody knows, or it was paid and lost and no person has decided. */
function isUndecided({ state, evidence }: Intent): boolean {
  return state === 'unknown' || (state === 'charged_lost' && evidence?.['decision'] === undefined);
}

async function closeDoor(deps: ActivityDeps, input: ResolveUnknownInput, asker: Asker): Promise<Intent> {
  const { attempt, intentId, workflowId, firstRunId, step, ordinal, account, operation, body } = input;
  const isFile = isFileCall(deps.catalogue.operationOf(operation));
  const deadlineMs = (isFile ? FILE_DEADLINE_MS : JSON_DEADLINE_MS) + CLOCK_MARGIN_MS;
  const closed = await deps.ledger.closeStep({
    ...{ workflowId, firstRunId, step, ordinal, account, operation, deadlineMs },
    params: ledgerParams(input),
    ...present({ body }),
    workflowType: attempt?.workflowType ?? asker.workflowType,
    flags: attempt?.flags ?? [],
    once: attempt?.once ?? null,
    waiterKeys: waiterKeysOf(input, deps.gaps),
    askedAtMs: attempt?.askedAtMs ?? null,
    ...(intentId === undefined ? {} : { known: { intentId, isCopy: attempt?.isCopy === true } }),
    isOverdue: deps.clock.nowMs() - asker.scheduledAtMs > BACK_WITHIN_MS,
  });
  if (closed.kind === 'held') throw notYet('the ledger is being reconciled; the row may come back', AGAIN_AFTER_MS);
  const { intent } = closed;
  if (intent.state !== 'open') return intent;
  const leftMs = deadlineMs - (deps.clock.nowMs() - intent.openedAtMs);
  throw notYet('the call may still be on its way', Math.max(AGAIN_AFTER_MS, Math.min(leftMs + 100, 30_000)));
}

/** A row that no journal of this machine knows is left to the resolver. */
async function settleSpooledUnlessLost(deps: ActivityDeps, intentId: string): Promise<void> {
  await settleFromSpoolIfHere(deps, intentId).catch((error: unknown) => {
    if (!isIntentMissing(error)) throw error;
  });
}

/** Writes what was proven into the ledger; the row as it is now, whoever was faster. */
async function act(
  deps: ActivityDeps,
  { intent, input }: { readonly intent: Intent; readonly input: ResolveUnknownInput },
  finding: Finding,
): Promise<Intent> {
  const decided = await write(deps, intent, finding);
  if (finding.found === 'nothing') return decided;
  const { intentId, operation, account } = intent;
  deps.log.info({ intentId, operation, account, found: finding.found, looked: finding.looked }, 'decided by evidence');
  if (finding.reading !== undefined) await deps.ledger.noteBalance(account, finding.reading);
  const body = finding.found === 'sent' ? finding.settlement.body : undefined;
  await rememberAnswer(deps, {
    intent: decided,
    params: input.params,
    ...(body === undefined ? {} : { body: body.bytes }),
  });
  return decided;
}

async function write(deps: ActivityDeps, intent: Intent, finding: Finding): Promise<Intent> {
  const { intentId, workflowId } = intent;
  switch (finding.found) {
    case 'nothing':
      return intent;
    case 'sent':
      return settle(deps, intent, finding.settlement);
    case 'charged': {
      const { charged, proof } = finding;
      const evidence = { ...proof, by: 'tramita (evidence)' };
      // A refresh that was charged goes by its status; the answer of anything else is lost.
      return settle(
        deps,
        intent,
        intent.operation === 'requestRefresh'
          ? { state: 'pending', charged, amountSource: 'evidence', evidence }
          : {
              state: 'charged_lost',
              charged,
              amountSource: 'evidence',
              reason: `the balance shows ${formatAmount(charged)} for it`,
              evidence,
            },
      );
    }
    case 'not charged':
    case 'repeatable': {
      const keepsReserve = finding.found === 'repeatable';
      const closed = await deps.ledger.closeByEvidence(intentId, { proof: finding.proof, keepsReserve });
      await deps.wake(
        closed.intent,
        closed.wake.filter((waiting) => waiting !== workflowId),
      );
      return closed.intent;
    }
  }
}

async function settle(deps: ActivityDeps, { intentId, workflowId }: Intent, settlement: Settlement): Promise<Intent> {
  const settled = await deps.ledger.settle(intentId, settlement, workflowId);
  await deps.wake(settled.intent, settled.wake);
  return settled.intent;
}
