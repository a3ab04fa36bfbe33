/**
 * The ledger has forgotten pending work: its row is written again from what the flow knows, and polled on. Undefined where
 * that is not enough: the resolver takes over.
 */
import type { Intent } from '../../ledger/index.js';
import type { AwaitFinalInput } from '../../protocol/index.js';
import { ledgerParams } from '../charged/ledger-params.js';
import { waiterKeysOf } from '../charged/waiter-keys-of.js';
import type { ActivityDeps } from '../deps.js';
import { notYet } from '../to-failure.js';

const AGAIN_AFTER_MS = 5_000;

export async function bringBackPending(deps: ActivityDeps, input: AwaitFinalInput): Promise<Intent | undefined> {
  const { attempt, intentId, requestId, account, operation } = input;
  const held = await deps.ledger.holdOf(account, { free: false });
  if (held?.because === 'ledger') throw notYet('the ledger is being reconciled; the row may come back', AGAIN_AFTER_MS);
  if (attempt === undefined || attempt.isCopy === true || requestId === undefined) return undefined;
  const { workflowId, firstRunId, step, ordinal } = attempt;
  const { intent } = await deps.ledger.restoreFromFlow({
    ...{ intentId, requestId, account, operation, workflowId, firstRunId, step, ordinal },
    params: ledgerParams(input),
    ...(input.body === undefined ? {} : { body: input.body }),
    workflowType: attempt.workflowType,
    flags: attempt.flags,
    once: attempt.once ?? null,
    waiterKeys: waiterKeysOf(input),
    openedAtMs: input.sinceMs,
  });
  deps.log.error(
    { intentId, operation, account },
    'the ledger had lost the row of pending work; its flow has written it again',
  );
  return intent;
}
